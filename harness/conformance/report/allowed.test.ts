import { expect, test } from 'vitest'
import { reportOf, rowOf } from '../test-support/reports.ts'
import { allowUndecided } from './allowed.ts'

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
