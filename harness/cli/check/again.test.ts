import { expect, test } from 'vitest'
import { reportOf, resultOf } from '../../conformance/test-support/reports.ts'
import { failedOf } from './again.ts'

test('requirements of suites that could not be loaded are checked again', () => {
  const requirements = [
    resultOf('OAI-CHAT-01', { verdict: 'unclaimed' }),
    resultOf('OAI-CHAT-03', { verdict: 'pass' }),
  ]
  expect(failedOf(reportOf(requirements))).toEqual(['OAI-CHAT-01'])
})
