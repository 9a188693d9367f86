import { expect, test } from 'vitest'
import type { LoadReport } from '../../../contract/report/load/report.ts'
import { loadReportOf } from '../../../reports/load/test-support/sketch.ts'
import { noUnboundedAnswer } from '../slo/implied.ts'
import { loadOutcome } from './outcome.ts'

const { integrity, generator, slo } = loadReportOf()
const violations = (level: 'required' | 'expected') => ({
  integrity: {
    ...integrity,
    findings: integrity.findings.map((finding) => ({ ...finding, level })),
  },
})
const invalid = { generator: { ...generator, verdict: 'invalid' as const } }
const rows = (verdict: 'met' | 'missed' | 'undecided', expression = 'e2e.p50 < 1s') => ({
  slo: slo.slice(0, 1).map((row) => ({ ...row, verdict, expression })),
})
const endless = rows('missed', noUnboundedAnswer)
const strict = { config: { strict: true } }

/** The worst of what was found decides, in the order of this table. */
test.each<[LoadReport['outcome'], Partial<Parameters<typeof loadOutcome>[0]>]>([
  ['violated', { ...violations('required'), ...invalid, ...endless }],
  ['violated', { ...violations('expected'), ...strict, ...invalid, ...endless }],
  ['missed', { ...violations('expected'), ...invalid, ...endless }],
  ['invalid', { ...violations('expected'), ...invalid, ...rows('missed') }],
  ['missed', { slo: [...rows('undecided').slo, ...rows('missed').slo] }],
  ['undecided', rows('undecided')],
  ['undecided', { ...rows('met'), partial: { of: 3, missing: [1] } }],
  ['met', { ...violations('expected'), ...rows('met') }],
  ['met', { ...strict, slo: [] }],
])('a run is %s', (outcome, found) => {
  const held = { integrity: { ...integrity, findings: [] }, generator, slo: [], config: {} }
  expect(loadOutcome({ ...held, ...found })).toBe(outcome)
})
