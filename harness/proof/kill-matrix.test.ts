import { describe, expect, test } from 'vitest'
import { dialects, faults } from '../../reference-server/deviations/index.ts'
import type { Services } from '../../reference-server/services.ts'
import { clashes, clashReason, crossingNamed } from './crossed/crossings.ts'
import { buildMatrix, messageProblem, objections } from './kill-matrix.ts'
import { proofPage } from './summary.ts'
import { nothingJudged, type RequirementVerdict, type TargetResult } from './verdicts.ts'

describe('a message of a violation', () => {
  test.each([
    'status of the repeat: expected less than 500, received 502',
    'a third turn without Idempotency-Key is refused: expected yes, received no',
    'the favorites show the deleted chat: expected no, received yes',
    'usage is missing: expected an object.',
    'The media type is "text/plain", not text/event-stream.',
    'A page with limit 2 has 3 rows.',
    'Expected status 200 with text/event-stream, received status 200 with text/html.',
    '44 deltas came in 2 reads, 158 ms apart',
    'the list of chats (no filter) lacks 1 of 3 chats',
  ])('is a sentence: %s', (message) => {
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
  ])('is not one: %s', (message, problem) => {
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

test('a fault counts as killed only if exactly its own requirements fail', () => {
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

describe('crossings', () => {
  test('clash only with what there is', () => {
    const names = new Set([...dialects, ...faults].map(({ name }) => name))
    const clashing = clashes.flatMap((clash) => [...clash.dialects, ...clash.faults])
    expect(clashing.filter((name) => !names.has(name))).toEqual([])
  })

  test('leave out dialects in which a fault is none', () => {
    const clashing = crossingNamed('openai-stream-blocks-run-together + comment-heartbeats')
    const other = crossingNamed('openai-stream-blocks-run-together + line-ends-crlf')
    const reasonOf = (one = clashing) => one && clashReason(one.fault, one.dialect)
    expect(reasonOf()).toBe('the empty line before a block ends the block before it')
    expect(other && reasonOf(other)).toBeUndefined()
    expect(other).toBeDefined()
  })
})

describe('a fault in a dialect', () => {
  const fault = faults.find(({ name }) => name === 'stream-completed-twice')
  const crossed = { fault: 'stream-completed-twice', dialect: 'line-ends-crlf', redAlone: [] }
  const name = 'stream-completed-twice + line-ends-crlf'
  const objectionsTo = (changes: Partial<TargetResult>) => {
    const results = [{ ...resultOf(name), kind: 'crossed', crossed, ...changes } as const]
    return objections(buildMatrix(fault ? [fault] : [], results), results)
  }
  const lacks = 'the answer lacks a member'

  test.each([
    ['is killed by its requirement', [row('V3-SSE-08', 'fail', lacks)], []],
    ['may be undecided', [row('V3-SSE-08', 'inconclusive', lacks)], []],
    [
      'may not pass',
      [row('V3-SSE-08', 'pass')],
      ['stream-completed-twice + line-ends-crlf: passes unseen'],
    ],
    [
      'turns no other requirement red',
      [row('V3-SSE-08', 'fail', lacks), row('V3-GEN-01', 'fail', lacks)],
      ['stream-completed-twice + line-ends-crlf: turns V3-GEN-01 red without naming it'],
    ],
  ])('%s', (_, requirements, expected) => {
    expect(objectionsTo({ requirements })).toEqual(expected)
  })

  test('may pass where the server answers as the dialect alone', () => {
    expect(objectionsTo({ requirements: [row('V3-SSE-08', 'pass')], applied: false })).toEqual([])
  })

  test('may be accused of what the dialect alone is accused of', () => {
    const requirements = [row('V3-SSE-08', 'fail', lacks), row('V3-SSE-29', 'fail', lacks)]
    expect(
      objectionsTo({ requirements, crossed: { ...crossed, redAlone: ['V3-SSE-29'] } }),
    ).toEqual([])
  })
})
