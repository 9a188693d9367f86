import { describe, expect, test } from 'vitest'
import type { RequirementResult } from '../../../contract/report/conformance.ts'
import { reportOf, resultOf } from '../test-support/reports.ts'
import { allowUndecided, countTotals, reportOutcome } from './totals.ts'

function result(
  verdict: RequirementResult['verdict'],
  level: RequirementResult['level'] = 'required',
  known = false,
): RequirementResult {
  return resultOf('V3-GEN-01', { verdict, level, known })
}

describe('the outcome', () => {
  test.each([
    [
      'conforms',
      [result('pass'), result('not-applicable'), result('unclaimed'), result('observed')],
    ],
    ['conforms', [result('pass'), result('warn', 'expected')]],
    [
      'conforms',
      [result('pass'), result('unproven', 'expected'), result('inconclusive', 'expected')],
    ],
    ['conforms', [result('fail', 'required', true)]],
    ['violated', [result('pass'), result('fail')]],
    ['violated', [result('fail'), result('inconclusive'), result('error')]],
    ['violated', [result('fail', 'required', true), result('fail')]],
    ['incomplete', [result('pass'), result('unproven')]],
    ['incomplete', [result('pass'), result('inconclusive')]],
    ['incomplete', [result('pass'), result('error')]],
    ['incomplete', [result('fail', 'required', true), result('unproven')]],
  ] as const)('is %s', (outcome, requirements) => {
    expect(reportOutcome(requirements, false)).toBe(outcome)
  })

  test('counts a warning only where it is asked to be strict', () => {
    const requirements = [result('pass'), result('warn', 'expected')]
    expect([reportOutcome(requirements, false), reportOutcome(requirements, true)]).toEqual([
      'conforms',
      'violated',
    ])
  })

  test('leaves a known warning alone even then', () => {
    expect(reportOutcome([result('warn', 'expected', true)], true)).toBe('conforms')
  })
})

test('totals count each verdict, and leave unclaimed requirements out', () => {
  const ids = [
    result('pass'),
    result('pass'),
    result('fail'),
    result('unclaimed'),
    result('fail', 'required', true),
  ]
  expect(countTotals(ids, 7)).toEqual({
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

const passed = resultOf('OAI-CHAT-01', { verdict: 'pass' })
const unproven = resultOf('KB-01', { verdict: 'unproven' })

test.each([
  ['what no member of the profile shows', [passed, unproven], 'conforms'],
  [
    'what the run could not decide',
    [passed, resultOf('KB-02', { verdict: 'inconclusive' })],
    'conforms',
  ],
  ['no violation', [passed, unproven, resultOf('KB-02')], 'violated'],
  ['no internal error', [passed, resultOf('KB-02', { verdict: 'error' })], 'incomplete'],
  [
    'nothing outside the glob',
    [passed, unproven, resultOf('RAG-01', { verdict: 'unproven' })],
    'incomplete',
  ],
  ['nothing if nothing passed', [unproven], 'incomplete'],
] as const)('allows %s', (_, ids, outcome) => {
  expect(allowUndecided(reportOf(ids), ['KB-*']).outcome).toBe(outcome)
})

test('allows nothing in a run that the target ended, and changes nothing without a glob', () => {
  const ended = reportOf([passed, unproven], { stopped: 'the target no longer answers' })
  expect(allowUndecided(ended, ['*'])).toMatchObject({
    outcome: 'incomplete',
    allowedUndecided: { ids: [] },
  })
  expect(allowUndecided(ended, [])).toBe(ended)
})
