import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { LoadReport } from '../../../contract/report/load/report.ts'
import { loadReportOf } from '../../../reports/load/test-support/sketch.ts'
import { noUnboundedAnswer } from '../slo/implied.ts'
import { loadOutcome } from './outcome.ts'

const sketch = loadReportOf()
const [finding] = sketch.integrity.findings
const [row] = sketch.slo

const levels = fc.array(fc.constantFrom('required', 'expected'), { maxLength: 3 })
const verdicts = fc.array(fc.constantFrom('met', 'missed', 'undecided'), { maxLength: 4 })
const generators = fc.constantFrom('valid', 'degraded', 'invalid')
const partials = fc.constantFrom<LoadReport['partial']>(undefined, { of: 3, missing: [1] })

test('the outcome of a run is the worst of what was found, in a fixed order', () => {
  if (finding === undefined || row === undefined) throw new Error('the sketch is empty')
  const outcomes = new Set<LoadReport['outcome']>()
  fc.assert(
    fc.property(
      fc.record({
        levels,
        verdicts,
        verdict: generators,
        partial: partials,
        endless: fc.boolean(),
        strict: fc.boolean(),
      }),
      ({ levels, verdicts, verdict, partial, endless, strict }) => {
        const outcome = loadOutcome({
          integrity: {
            ...sketch.integrity,
            findings: levels.map((level) => ({ ...finding, level })),
          },
          generator: { ...sketch.generator, verdict },
          slo: [
            ...verdicts.map((one) => ({ ...row, verdict: one })),
            ...(endless
              ? [{ ...row, verdict: 'missed' as const, expression: noUnboundedAnswer }]
              : []),
          ],
          partial,
          config: { strict },
        })
        outcomes.add(outcome)
        const holds: readonly [LoadReport['outcome'], boolean][] = [
          ['violated', levels.includes('required') || (strict && levels.length > 0)],
          ['missed', endless],
          ['invalid', verdict === 'invalid'],
          ['missed', verdicts.includes('missed')],
          ['undecided', verdicts.includes('undecided') || partial !== undefined],
          ['met', true],
        ]
        expect(outcome).toBe(holds.find(([, isHeld]) => isHeld)?.[0])
      },
    ),
    { numRuns: 500 },
  )
  expect([...outcomes].sort()).toEqual(['invalid', 'met', 'missed', 'undecided', 'violated'])
})
