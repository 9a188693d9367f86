import { describe, expect, test } from 'vitest'
import { FindingCollector } from './finding-collector.ts'
import { createStreamJudge } from './index.ts'
import { judgeToolCall } from './tool-calls.ts'

const request = { tools: [{ type: 'function', function: { name: 'get_time' } }] }
const call = {
  id: 'call_1',
  type: 'function',
  function: { name: 'get_time', arguments: '{"zone":"UTC"}' },
}

function verdictOf(one: unknown, more: { request?: object; cut?: boolean } = {}) {
  const collector = new FindingCollector()
  judgeToolCall(collector, 'OAI-TOOL-02', one, {
    request: { ...request, ...more.request },
    cut: more.cut ?? false,
  })
  return collector.judgement([]).findings.map(({ verdict, why }) => `${verdict}: ${why}`)
}

describe('a tool call', () => {
  test.each<[string, unknown, object]>([
    ['as the contract has it', call, {}],
    [
      'without arguments of its own',
      { ...call, function: { name: 'get_time', arguments: '{}' } },
      {},
    ],
    [
      'cut within its arguments',
      { ...call, function: { ...call.function, arguments: '{"z' } },
      { cut: true },
    ],
    ['with members of its own', { ...call, index: 0, extra: {} }, {}],
  ])('%s holds', (_, one, more) => {
    expect(verdictOf(one, more)).toEqual(['held: The tool call names "get_time".'])
  })

  test.each<[string, unknown, object]>([
    [
      'of another type, which was offered',
      { type: 'custom', id: 'c', custom: {} },
      { request: { tools: [...request.tools, { type: 'custom' }] } },
    ],
    ['of the service itself, where none was offered', { id: 7 }, { request: { tools: [] } }],
  ])('%s is not judged', (_, one, more) => {
    expect(verdictOf(one, more)).toEqual([])
  })

  test.each<[string, unknown, string]>([
    ['without a type', { ...call, type: undefined }, 'The tool call "call_1" has no type.'],
    [
      'of nobody',
      { ...call, function: { name: 'x', arguments: '{}' } },
      'The name of a tool call is "x"; the request offered "get_time".',
    ],
    [
      'with an object',
      { ...call, function: { name: 'get_time', arguments: {} } },
      'The arguments of a tool call are {}, not a string.',
    ],
    [
      'with empty arguments',
      { ...call, function: { name: 'get_time', arguments: '' } },
      'The arguments of a tool call are "", not JSON.',
    ],
  ])('%s breaks the requirement', (_, one, why) => {
    expect(verdictOf(one)).toEqual([`broken: ${why}`])
  })
})

describe('a streamed tool call', () => {
  const streamed = (fragments: readonly object[], finish_reason = 'tool_calls') => {
    const judge = createStreamJudge('openai.chat', { ...request, stream: true })
    const deltas = fragments.map((fragment) => ({ tool_calls: [fragment] }))
    const chunks = [...deltas.map((delta) => ({ delta })), { delta: {}, finish_reason }]
    const text = chunks.map(
      (choice) => `data: ${JSON.stringify({ choices: [{ index: 0, ...choice }] })}\n\n`,
    )
    judge.push({ atMs: 1, bytes: new TextEncoder().encode(`${text.join('')}data: [DONE]\n\n`) })
    return judge
      .end({ kind: 'complete', atMs: 2 })
      .findings.filter(({ requirement }) => requirement === 'OAI-TOOL-03')
      .map(({ verdict, why }) => `${verdict}: ${why}`)
  }
  const opening = {
    index: 0,
    id: 'c',
    type: 'function',
    function: { name: 'get_time', arguments: '' },
  }
  const more = (index: number, text: string) => ({ index, function: { arguments: text } })

  test('joins by index, two calls interleaved', () => {
    const second = { ...opening, index: 1, id: 'd' }
    const fragments = [opening, second, more(0, '{"a"'), more(1, '{}'), more(0, ':1}')]
    expect(streamed(fragments)).toEqual(['held: The tool call names "get_time".'])
  })

  test('keeps its id, which later fragments may repeat or leave empty', () => {
    const repeated = { ...more(0, '{'), id: 'c' }
    const empty = { ...more(0, '}'), id: '' }
    expect(streamed([opening, repeated, empty])).toEqual(['held: The tool call names "get_time".'])
    expect(streamed([opening, { ...more(0, '{}'), id: 'other' }])).toContain(
      'broken: The id of a tool call changes from "c" to "other".',
    )
  })

  test('has an id of its own', () => {
    const fragments = [opening, { ...opening, index: 1 }, more(0, '{}'), more(1, '{}')]
    expect(streamed(fragments)).toContain('broken: Two tool calls have the id "c".')
  })

  test('may be cut at the token limit', () => {
    expect(streamed([opening, more(0, '{"a')], 'length')).toEqual([
      'held: The tool call names "get_time".',
    ])
  })
})
