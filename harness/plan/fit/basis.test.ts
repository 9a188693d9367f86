import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type CapacityReport, capacityReport } from '../../../contract/report/capacity/report.ts'
import { simulatedReport } from '../test-support/simulated-report.ts'
import { basisOf, caveatOf, worstBasis } from './measured-probes.ts'

const empty = simulatedReport({ rates: [] })
const outcomes = capacityReport.shape.outcome.options

test.each<[Partial<CapacityReport>, ReturnType<typeof basisOf>, RegExp | null]>([
  [{ outcome: 'found' }, 'decided', null],
  [{ outcome: 'above max' }, 'decided', null],
  [{ outcome: 'below min' }, 'decided', null],
  [{ outcome: 'undecided' }, 'undecided', /its budget ended .* a longer --budget$/],
  [{ outcome: 'violated' }, 'undecided', /requirements were violated under load/],
  [{ outcome: 'unreachable' }, 'undecided', /the target stopped answering/],
  [{ outcome: 'invalid' }, 'invalid', /the load generator was the bottleneck, so/],
  [{ outcome: 'found', interrupted: true }, 'undecided', /its search was interrupted/],
  [{ outcome: 'invalid', interrupted: true }, 'invalid', /the load generator was the bottleneck/],
])('a search that ended with %j is %s', (end, basis, caveat) => {
  const report = { ...empty, ...end }
  expect(basisOf(report)).toBe(basis)
  const text = caveatOf({ file: 'one.json', replicas: 1, report })
  if (caveat === null) expect(text).toBeNull()
  else expect(text).toMatch(new RegExp(`^one\\.json is ${basis}: ${caveat.source}`))
})

test('several measurements are worth what the worst of them is, in any order', () => {
  const order = ['decided', 'undecided', 'invalid'] as const
  const all = outcomes.flatMap((outcome) =>
    [true, false].map((interrupted) => ({ ...empty, outcome, interrupted })),
  )
  fc.assert(
    fc.property(
      fc.shuffledSubarray(all, { minLength: 1 }),
      fc.constantFrom(1, 3),
      (reports, size) => {
        const measurements = reports.map((report) => ({ file: 'a', replicas: size, report }))
        const ranks = reports.map((report) => order.indexOf(basisOf(report)))
        expect(worstBasis(measurements)).toBe(order[Math.max(...ranks)])
      },
    ),
  )
})
