import { expect, test } from 'vitest'
import { reportOf, resultOf } from '../conformance/test-support/reports.ts'
import { failedOf } from './check/again.ts'
import { exitCodeOf } from './exit-codes.ts'

const violated = reportOf([resultOf('OAI-CHAT-03')])
const faults = [{ scenario: 'a', message: 'b' }]

test.each([
  ['an interrupt before a violation', { interrupted: true }, 130],
  ['a violation before an internal error', { faults }, 1],
  ['an internal error before what is undecided', { faults, outcome: 'incomplete' as const }, 4],
  ['what is undecided', { outcome: 'incomplete' as const }, 5],
])('the exit code of a check shows %s', (_, more, code) => {
  expect(exitCodeOf({ ...violated, ...more })).toBe(code)
})

test('requirements of suites that could not be loaded are checked again', () => {
  const requirements = [
    resultOf('OAI-CHAT-01', { verdict: 'unclaimed' }),
    resultOf('OAI-CHAT-03', { verdict: 'pass' }),
  ]
  expect(failedOf(reportOf(requirements))).toEqual(['OAI-CHAT-01'])
})
