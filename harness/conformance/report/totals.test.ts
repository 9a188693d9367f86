import { describe, expect, test } from 'vitest'
import type { RequirementRow } from '../../../contract/report/conformance.ts'
import { countTotals, reportOutcome } from './totals.ts'

function row(
  verdict: RequirementRow['verdict'],
  level: RequirementRow['level'] = 'required',
  isKnown = false,
): RequirementRow {
  return {
    id: 'V3-GEN-01',
    level,
    surface: 'v3',
    section: '4.3',
    verdict,
    known: isKnown,
    title: 'A row.',
    message: null,
    blockedBy: null,
    scenarios: [],
    brokenBy: [],
    exchanges: [],
    event: null,
  }
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
