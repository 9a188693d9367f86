import { describe, expect, test } from 'vitest'
import { FindingCollector } from '../finding-collector.ts'
import { createStreamJudge, judge } from '../index.ts'
import {
  answerExchange,
  answerNames,
  type BodyFault,
  type BodyOddity,
  set,
  testBodies,
} from '../test-support/bodies.ts'
import { brokenIn, heldIds } from '../test-support/exchanges.ts'
import { judgeToolCall } from './openai.ts'

describe('JSON answers', () => {
  test.each(answerNames)('a good %s breaks nothing', (name) => {
    expect(brokenIn(answerExchange(name))).toEqual({})
  })

  test('hold what they show, and nothing else', () => {
    const held = answerNames.map(
      (name) => `${name}: ${heldIds(judge(answerExchange(name))).join(' ')}`,
    )
    expect(held).toMatchInlineSnapshot(`
      [
        "chat: OAI-CHAT-02 OAI-CHAT-03 OAI-CHAT-04 OAI-CHAT-05 OAI-CHAT-06 OAI-CHAT-07 OAI-CHAT-08 OAI-CHAT-09 OAI-CHAT-10 OAI-CHAT-11 OAI-CHAT-15 OAI-MAXTOK-01 OAI-MAXTOK-02 OAI-N-01",
        "models: OAI-MODELS-04 OAI-MODELS-05",
        "message: V2-MSG-02 V2-MSG-03 V2-MSG-04 V2-MSG-05 V2-MSG-06 V2-MSG-07",
        "v2Generation: V2-GEN-01",
        "history: V3-HIST-01 V3-HIST-02 V3-HIST-03 V3-HIST-04 V3-HIST-05 V3-HIST-09",
        "response: V3-GEN-02 V3-GEN-10 V3-GEN-12",
      ]
    `)
  })

  test('models may be in groups whose ids are numbers', () => {
    const groups = [{ id: 1, models: [{ id: 'svc-main', description: 'main' }] }]
    const found = answerExchange('models', { body: JSON.stringify({ groups }) })
    expect(brokenIn(found)).not.toHaveProperty('OAI-MODELS-04')
    expect(heldIds(judge(found))).toContain('OAI-MODELS-04')
  })

  test('a body that is no JSON breaks the requirement of its kind alone', () => {
    const page = { body: '<html></html>', type: 'text/html' }
    const rows = answerNames.map((name) =>
      Object.keys(brokenIn(answerExchange(name, page))).join(' '),
    )
    expect(rows).toEqual(['OAI-CHAT-01', '', 'V2-MSG-01', 'V2-GEN-01', 'V3-HIST-01', 'V3-GEN-01'])
    const oneShot = answerExchange('response', { ...page, operation: 'v3.oneShot' })
    expect(Object.keys(brokenIn(oneShot))).toEqual(['V3-ONE-01'])
  })

  test('a one-shot that is answered with no response breaks its own requirement alone', () => {
    for (const body of ['{}', '{"response":{"object":"response"}}', '{"text":"Hello!"}']) {
      const oneShot = answerExchange('response', { body, operation: 'v3.oneShot' })
      expect(Object.keys(brokenIn(oneShot))).toEqual(['V3-ONE-01'])
    }
  })

  test('a body that did not arrive whole proves nothing', () => {
    const cut = { body: '{"id":', ending: { kind: 'cut', atMs: 1, error: 'reset' } } as const
    expect(brokenIn(answerExchange('chat', cut))).toEqual({})
  })

  test('what is open is observed', () => {
    const answers = answerNames.flatMap((name) =>
      judge(answerExchange(name)).observations.map(
        ({ question, answer }) => `${question}: ${answer}`,
      ),
    )
    expect(answers).toMatchInlineSnapshot(`
      [
        "OPEN-08: {data, object} of description, id, object",
        "OPEN-01: message.id, run",
        "OPEN-05: completed",
        "OPEN-03: row: created_at; pagination: total",
        "OPEN-05: completed",
        "OPEN-31: no",
      ]
    `)
  })
})

const openaiFaults: readonly BodyFault[] = [
  ['an id that is a number', 'OAI-CHAT-02', 'chat', set('id', 7)],
  ['created in milliseconds', 'OAI-CHAT-04', 'chat', set('created', 1760000000000)],
  ['created as text', 'OAI-CHAT-04', 'chat', set('created', '2026-01-01')],
  ['created with a fraction', 'OAI-CHAT-04', 'chat', set('created', 1760000000.5)],
  ['empty choices', 'OAI-CHAT-06', 'chat', set('choices', [])],
  ['choices as an object', 'OAI-CHAT-06', 'chat', set('choices', { 0: {} })],
  ['no index', 'OAI-CHAT-06', 'chat', set('choices[0].index', undefined)],
  ['content in parts', 'OAI-CHAT-07', 'chat', set('choices[0].message.content', [])],
  ['finish_reason null', 'OAI-CHAT-08', 'chat', set('choices[0].finish_reason', null)],
  ['a count as text', 'OAI-CHAT-09', 'chat', set('usage.total_tokens', '5')],
  ['an id that is a number', 'OAI-MODELS-04', 'models', set('data[1].id', 7)],
  ['a description that is an object', 'OAI-MODELS-04', 'models', set('data[0].description', {})],
  ['entries without id', 'OAI-MODELS-05', 'models', set('data[0].id', undefined)],
  ['ids alone', 'OAI-MODELS-05', 'models', () => ['svc-main-model']],
]

const openaiLegal: readonly BodyOddity[] = [
  ['created as long ago as it can be', 'chat', set('created', 0)],
  [
    'a tool call in the place of text',
    'chat',
    set('choices[0].message', { role: 'assistant', content: null, tool_calls: [{}] }),
  ],
  ['a null description', 'models', set('data[0].description', null)],
]

describe('JSON answers of the compatible surface', () => testBodies(openaiFaults, openaiLegal))

const v2Faults: readonly BodyFault[] = [
  ['an id that is no UUID', 'V2-MSG-02', 'message', set('id', 'm-1')],
  ['trimmed content', 'V2-MSG-06', 'message', set('content', 'H')],
  ['content as parts', 'V2-MSG-06', 'message', set('content', ['Hi'])],
  ['another zone', 'V2-MSG-07', 'message', set('created_at', '2026-01-01T10:00:00+02:00')],
  ['a time as a number', 'V2-MSG-07', 'message', set('created_at', 1760000000)],
  ['a time that is none', 'V2-MSG-07', 'message', set('created_at', '2026-13-41T10:00:00Z')],
  ['day 400 of a year', 'V2-MSG-07', 'message', set('created_at', '2026-400T10:00:00Z')],
  ['day 8 of a week', 'V2-MSG-07', 'message', set('created_at', '2026-W01-8T10:00:00Z')],
  ['an array', 'V2-MSG-01', 'message', (b) => [b]],
  ['another object', 'V2-MSG-01', 'message', ({ id }) => ({ id, object: 'response', output: [] })],
  ['an array', 'V2-GEN-01', 'v2Generation', (b) => [b]],
  ['content that is no string', 'V2-GEN-01', 'v2Generation', set('message.content', null)],
]

const v2Legal: readonly BodyOddity[] = [
  ['UTC in the basic form', 'message', set('created_at', '20260101T100000Z')],
  ['a week date in the basic form', 'message', set('created_at', '2026W014T100000+00')],
  ['a decimal minute', 'message', set('created_at', '2026-01-01T10:00,5Z')],
]

describe('JSON answers of v2', () => testBodies(v2Faults, v2Legal))

const v3Faults: readonly BodyFault[] = [
  ['result as an object', 'V3-HIST-01', 'history', set('result', {})],
  ['a row without item', 'V3-HIST-02', 'history', set('result[2].item', undefined)],
  ['another item_type', 'V3-HIST-03', 'history', set('result[0].item_type', 'text')],
  ['another item_status', 'V3-HIST-04', 'history', set('result[1].item_status', 'done')],
  ['another input role', 'V3-HIST-05', 'history', set('result[0].item.role', 'tool')],
  ['no type of a part', 'V3-HIST-05', 'history', set('result[0].item.content[0].type', undefined)],
  ['more rows than limit', 'V3-HIST-09', 'history', (b) => void b.result.push({ item: null })],
  ['an empty cursor', 'V3-HIST-11', 'history', set('pagination.cursor', '')],
  ['an array', 'V3-GEN-01', 'response', (b) => [b]],
  ['reasoning alone', 'V3-GEN-02', 'response', set('output[0]', { type: 'reasoning' })],
  ['an item without a type', 'V3-GEN-02', 'response', set('output[0].type', undefined)],
  ['a message as text', 'V3-GEN-02', 'response', set('output[0].content', 'Hello!')],
  ['no text', 'V3-GEN-02', 'response', set('output[0].content[0].text', undefined)],
]

const v3Legal: readonly BodyOddity[] = [
  ['an empty history', 'history', set('result', [])],
  ['a cursor', 'history', set('pagination.cursor', 'next')],
  ['items without type and status', 'history', set('result[1].item', { id: 'x' })],
  ['no usage', 'response', set('usage', undefined)],
  ['a failed response', 'response', (b) => void Object.assign(b, { status: 'failed', output: [] })],
  ['a call in the place of text', 'response', set('output[0]', { type: 'function_call' })],
]

describe('JSON answers of v3', () => testBodies(v3Faults, v3Legal))

const request = { tools: [{ type: 'function', function: { name: 'get_time' } }] }
const call = callOf('get_time', '{"zone":"UTC"}')
const held = 'held: The tool call names "get_time".'

function callOf(name: string, input: unknown) {
  return { id: 'call_1', type: 'function', function: { name, arguments: input } }
}

const custom = { tools: [...request.tools, { type: 'custom' }] }
const other = 'The name of a tool call is "x"; the request offered "get_time".'
test.each<[string, unknown, (string | undefined)?, { request?: object; cut?: boolean }?]>([
  ['as the contract has it', call, held],
  ['without arguments of its own', callOf('get_time', '{}'), held],
  ['cut within its arguments', callOf('get_time', '{"z'), held, { cut: true }],
  ['with members of its own', { ...call, index: 0, extra: {} }, held],
  ['of another type', { type: 'custom', id: 'c', custom: {} }, undefined, { request: custom }],
  ['of the service itself', { id: 7 }, undefined, { request: { tools: [] } }],
  ['without a type', { ...call, type: undefined }, 'The tool call "call_1" has no type.'],
  ['of nobody', callOf('x', '{}'), other],
  ['with {}', callOf('get_time', {}), 'The arguments of a tool call are {}, not a string.'],
  ['with no text', callOf('get_time', ''), 'The arguments of a tool call are "", not JSON.'],
])('a tool call: %s', (_, one, finding, { request: more, cut = false } = {}) => {
  const collector = new FindingCollector()
  judgeToolCall(collector, 'OAI-TOOL-02', one, { request: { ...request, ...more }, cut })
  const { findings } = collector.judgement([])
  const expected = finding === held ? held : `broken: ${finding}`
  const texts = findings.map(({ verdict, why }) => `${verdict}: ${why}`)
  expect(texts).toEqual(finding === undefined ? [] : [expected])
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
  const opening = { ...callOf('get_time', ''), index: 0, id: 'c' }
  const more = (index: number, text: string) => ({ index, function: { arguments: text } })

  test('joins by index, two calls interleaved', () => {
    const second = { ...opening, index: 1, id: 'd' }
    const fragments = [opening, second, more(0, '{"a"'), more(1, '{}'), more(0, ':1}')]
    expect(streamed(fragments)).toEqual([held])
  })

  test('keeps its id, which later fragments may repeat or leave empty', () => {
    const repeated = { ...more(0, '{'), id: 'c' }
    const empty = { ...more(0, '}'), id: '' }
    expect(streamed([opening, repeated, empty])).toEqual([held])
    expect(streamed([opening, { ...more(0, '{}'), id: 'other' }])).toContain(
      'broken: The id of a tool call changes from "c" to "other".',
    )
  })

  test('has an id of its own', () => {
    const fragments = [opening, { ...opening, index: 1 }, more(0, '{}'), more(1, '{}')]
    expect(streamed(fragments)).toContain('broken: Two tool calls have the id "c".')
  })

  test('may be cut at the token limit', () => {
    expect(streamed([opening, more(0, '{"a')], 'length')).toEqual([held])
  })
})
