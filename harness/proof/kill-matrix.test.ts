import { describe, expect, test } from 'vitest'
import type { Services } from '../../reference-server/services.ts'
import { buildMatrix, messageProblem, objections, proofPage } from './kill-matrix.ts'
import { nothingJudged, type RequirementVerdict, type TargetResult } from './verdicts.ts'

describe('messageProblem', () => {
  test.each([
    'status of the repeat: expected less than 500, received 502',
    'a third turn without Idempotency-Key is refused: expected yes, received no',
    'the favorites show the deleted chat: expected no, received yes',
    'usage is missing: expected an object.',
    'The media type is "text/plain", not text/event-stream.',
    'A page with limit 2 has 3 rows.',
    'Expected status 200 with text/event-stream, received status 200 with text/html.',
    '44 deltas arrived in 2 reads, 158 ms apart',
    'the list of chats (no filter) lacks 1 of 3 chats',
  ])('accepts the sentence %j', (message) => {
    expect(messageProblem(message)).toBeUndefined()
  })

  test.each([
    ['expected that a third turn without Idempotency-Key', 'does not say what was received'],
    ['unexpected: a chat was created', 'does not say what was received'],
    ['usage is nothing: expected an object', 'calls a missing value nothing'],
    [
      'a third turn without Idempotency-Key: expected yes, received no',
      'asks yes or no of a clause without a verb',
    ],
    ['3 rows on a page with limit 2.', 'has no verb'],
    ['status: expected 200, received 200', 'expects what it received'],
    ['expected 500 to be less than 500', 'quotes internals'],
    ['the id: expected a value, received undefined', 'quotes internals'],
  ])('rejects %j', (message, problem) => {
    expect(messageProblem(message)).toBe(problem)
  })
})

const invented = (['OAI-N-01', 'OAI-FORMAT-01'] as const).map((id) => ({
  name: `breaks-${id}`,
  summary: 'A sentence.',
  breaks: [id] as const,
  patch: (services: Services) => services,
}))

const row = (id: string, verdict: RequirementVerdict['verdict'], message: string | null = null) => {
  return { id, level: 'required' as const, verdict, message, brokenBy: ['a-scenario'] }
}

function resultOf(name: string, ...red: readonly string[]): TargetResult {
  const requirements = red.map((id) => row(id, 'fail'))
  const head = { ...nothingJudged, outcome: 'violated', kind: 'fault' } as const
  return { ...head, name, requirements, applied: true }
}

test('a fault is killed only if exactly its own requirements fail', () => {
  const page = (second: TargetResult) =>
    proofPage(buildMatrix(invented, [resultOf('breaks-OAI-N-01', 'OAI-N-01'), second]))
  const killed = page(resultOf('breaks-OAI-FORMAT-01', 'OAI-FORMAT-01'))
  expect(killed).toContain('2 of 2 faults')
  expect(killed).toContain('| OAI-N | 1 | 1 | 1 |')
  expect(killed).toContain('| OAI-FORMAT | 2 | 1 | 1 |')
  expect(killed.split('\n').length).toBeLessThan(100)
  for (const red of [[], ['OAI-FORMAT-01', 'OAI-N-01']] as const) {
    const other = page(resultOf('breaks-OAI-FORMAT-01', ...red))
    expect(other).toContain('1 of 2 faults')
    expect(other).toContain('| OAI-FORMAT | 2 | 1 | 0 |')
  }
})

test('a legal server that leaves a requirement undecided is an objection, unless it must', () => {
  const opposed = (name: string, id: string) => {
    const requirements = [row(id, 'inconclusive', 'the control was refused')]
    const result = { ...resultOf(name), kind: 'dialect' as const, requirements }
    return objections(buildMatrix([], [result]), [result])
  }
  expect(opposed('uploads-need-a-chat', 'V3-AUTH-01')).toEqual([
    'uploads-need-a-chat: a legal server leaves V3-AUTH-01 undecided: the control was refused',
  ])
  expect(opposed('lists-bare', 'V3-CHAT-08')).toEqual([])
})
