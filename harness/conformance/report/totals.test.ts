import { describe, expect, test } from 'vitest'
import type { RequirementRow } from '../../../contract/report/conformance.ts'
import { reportOf, rowOf } from '../test-support/reports.ts'
import { allowUndecided, countTotals, reportOutcome } from './totals.ts'

function row(
  verdict: RequirementRow['verdict'],
  level: RequirementRow['level'] = 'required',
  known = false,
): RequirementRow {
  return rowOf('V3-GEN-01', { verdict, level, known })
}

describe('the outcome', () => {
  test.each([
    ['conforms', [row('pass'), row('not-applicable'), row('unclaimed'), row('observed')]],
    ['conforms', [row('pass'), row('warn', 'expected')]],
    ['conforms', [row('pass'), row('unproven', 'expected'), row('inconclusive', 'expected')]],
    ['conforms', [row('fail', 'required', true)]],
    ['violated', [row('pass'), row('fail')]],
    ['violated', [row('fail'), row('inconclusive'), row('error')]],
    ['violated', [row('fail', 'required', true), row('fail')]],
    ['incomplete', [row('pass'), row('unproven')]],
    ['incomplete', [row('pass'), row('inconclusive')]],
    ['incomplete', [row('pass'), row('error')]],
    ['incomplete', [row('fail', 'required', true), row('unproven')]],
  ] as const)('is %s', (outcome, rows) => {
    expect(reportOutcome(rows, false)).toBe(outcome)
  })

  test('counts a warning only where it is asked to be strict', () => {
    const rows = [row('pass'), row('warn', 'expected')]
    expect([reportOutcome(rows, false), reportOutcome(rows, true)]).toEqual([
      'conforms',
      'violated',
    ])
  })

  test('leaves a known warning alone even then', () => {
    expect(reportOutcome([row('warn', 'expected', true)], true)).toBe('conforms')
  })
})

test('totals count each verdict, and leave unclaimed rows out', () => {
  const rows = [
    row('pass'),
    row('pass'),
    row('fail'),
    row('unclaimed'),
    row('fail', 'required', true),
  ]
  expect(countTotals(rows, 7)).toEqual({
    pass: 2,
    fail: 2,
    warn: 0,
    observed: 7,
    'not-applicable': 0,
    inconclusive: 0,
    error: 0,
    unproven: 0,
    known: 1,
  })
})

const passed = rowOf('OAI-CHAT-01', { verdict: 'pass' })
const unproven = rowOf('KB-01', { verdict: 'unproven' })

test.each([
  ['what no member of the profile shows', [passed, unproven], 'conforms'],
  [
    'what the run could not decide',
    [passed, rowOf('KB-02', { verdict: 'inconclusive' })],
    'conforms',
  ],
  ['no violation', [passed, unproven, rowOf('KB-02')], 'violated'],
  ['no internal error', [passed, rowOf('KB-02', { verdict: 'error' })], 'incomplete'],
  [
    'nothing outside the glob',
    [passed, unproven, rowOf('RAG-01', { verdict: 'unproven' })],
    'incomplete',
  ],
  ['nothing if nothing passed', [unproven], 'incomplete'],
] as const)('allows %s', (_, rows, outcome) => {
  expect(allowUndecided(reportOf(rows), ['KB-*']).outcome).toBe(outcome)
})

test('allows nothing in a run that the target ended, and changes nothing without a glob', () => {
  const ended = reportOf([passed, unproven], { stopped: 'the target no longer answers' })
  expect(allowUndecided(ended, ['*'])).toMatchObject({
    outcome: 'incomplete',
    allowedUndecided: { ids: [] },
  })
  expect(allowUndecided(ended, [])).toBe(ended)
})
