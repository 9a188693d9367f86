import { describe, expect, test } from 'vitest'
import { FindingCollector } from '../finding-collector.ts'
import { createStreamJudge, judge } from '../index.ts'
import {
  answerExchange,
  answerNames,
  type BodyFaults,
  set,
  testBodies,
} from '../test-support/bodies.ts'
import { brokenIn, heldIds } from '../test-support/exchanges.ts'
import { judgeToolCall } from './openai.ts'

describe('JSON responses', () => {
  test.each(answerNames)('without faults break nothing: %s', (name) => {
    expect(brokenIn(answerExchange(name))).toEqual({})
  })

  test('hold exactly the requirements that they show', () => {
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

  test('with models in groups may have numeric group ids', () => {
    const groups = [{ id: 1, models: [{ id: 'svc-main', description: 'main' }] }]
    const found = answerExchange('models', { body: JSON.stringify({ groups }) })
    expect(brokenIn(found)).not.toHaveProperty('OAI-MODELS-04')
    expect(heldIds(judge(found))).toContain('OAI-MODELS-04')
  })

  test('with models at any depth are judged', () => {
    const body = `${'{"a":'.repeat(100_000)}[{"id":"svc-main"}]${'}'.repeat(100_000)}`
    expect(heldIds(judge(answerExchange('models', { body })))).toContain('OAI-MODELS-04')
  })

  test('that are not JSON break only the requirement of their kind', () => {
    const page = { body: '<html></html>', type: 'text/html' }
    const rows = answerNames.map((name) =>
      Object.keys(brokenIn(answerExchange(name, page))).join(' '),
    )
    expect(rows).toEqual(['OAI-CHAT-01', '', 'V2-MSG-01', 'V2-GEN-01', 'V3-HIST-01', 'V3-GEN-01'])
    const oneShot = answerExchange('response', { ...page, operation: 'v3.oneShot' })
    expect(Object.keys(brokenIn(oneShot))).toEqual(['V3-ONE-01'])
  })

  test('to a one-shot without a response break only its own requirement', () => {
    for (const body of ['{}', '{"response":{"object":"response"}}', '{"text":"Hello!"}']) {
      const oneShot = answerExchange('response', { body, operation: 'v3.oneShot' })
      expect(Object.keys(brokenIn(oneShot))).toEqual(['V3-ONE-01'])
    }
  })

  test('that are cut break nothing', () => {
    const cut = { body: '{"id":', ending: { kind: 'cut', atMs: 1, error: 'reset' } } as const
    expect(brokenIn(answerExchange('chat', cut))).toEqual({})
  })

  test('answer open questions as observations', () => {
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

const changes: BodyFaults = {
  'chat OAI-CHAT-02: an id that is a number': set('id', 7),
  'chat OAI-CHAT-04: created in milliseconds': set('created', 1760000000000),
  'chat OAI-CHAT-04: created as text': set('created', '2026-01-01'),
  'chat OAI-CHAT-04: created with a fraction': set('created', 1760000000.5),
  'chat OAI-CHAT-06: empty choices': set('choices', []),
  'chat OAI-CHAT-06: choices as an object': set('choices', { 0: {} }),
  'chat OAI-CHAT-06: no index': set('choices[0].index', undefined),
  'chat OAI-CHAT-07: content in parts': set('choices[0].message.content', []),
  'chat OAI-CHAT-08: finish_reason null': set('choices[0].finish_reason', null),
  'chat OAI-CHAT-09: a count as text': set('usage.total_tokens', '5'),
  'chat OAI-CHAT-15: another role': set('choices[0].message.role', 'user'),
  'chat OAI-N-01: one choice with the index 1': set('choices[0].index', 1),
  'models OAI-MODELS-04: an id that is a number': set('data[1].id', 7),
  'models OAI-MODELS-04: a description that is an object': set('data[0].description', {}),
  'models OAI-MODELS-05: entries without id': set('data[0].id', undefined),
  'models OAI-MODELS-05: ids alone': () => ['svc-main-model'],
  'chat: created as long ago as it can be': set('created', 0),
  'chat: a tool call in the place of text': set('choices[0].message', {
    role: 'assistant',
    content: null,
    tool_calls: [{}],
  }),
  'models: a null description': set('data[0].description', null),
  'message V2-MSG-02: an id that is not a UUID': set('id', 'm-1'),
  'message V2-MSG-03: another chat': set('chat_id', '0b8f4f0a-9d5e-4c8a-8d7e-000000000000'),
  'message V2-MSG-06: trimmed content': set('content', 'H'),
  'message V2-MSG-06: content as parts': set('content', ['Hi']),
  'message V2-MSG-07: another zone': set('created_at', '2026-01-01T10:00:00+02:00'),
  'message V2-MSG-07: a time as a number': set('created_at', 1760000000),
  'message V2-MSG-07: an invalid date': set('created_at', '2026-13-41T10:00:00Z'),
  'message V2-MSG-07: day 400 of a year': set('created_at', '2026-400T10:00:00Z'),
  'message V2-MSG-07: day 8 of a week': set('created_at', '2026-W01-8T10:00:00Z'),
  'message V2-MSG-01: an array': (b) => [b],
  'message V2-MSG-01: another object': ({ id }) => ({ id, object: 'response', output: [] }),
  'v2Generation V2-GEN-01: an array': (b) => [b],
  'v2Generation V2-GEN-01: content that is not a string': set('message.content', null),
  'message: UTC in the basic form': set('created_at', '20260101T100000Z'),
  'message: a week date in the basic form': set('created_at', '2026W014T100000+00'),
  'message: a decimal minute': set('created_at', '2026-01-01T10:00,5Z'),
  'history V3-HIST-01: result as an object': set('result', {}),
  'history V3-HIST-02: a row without item': set('result[2].item', undefined),
  'history V3-HIST-03: another item_type': set('result[0].item_type', 'text'),
  'history V3-HIST-04: another item_status': set('result[1].item_status', 'done'),
  'history V3-HIST-05: another input role': set('result[0].item.role', 'tool'),
  'history V3-HIST-05: no type of a part': set('result[0].item.content[0].type', undefined),
  'history V3-HIST-09: more rows than limit': (b) => void b.result.push({ item: null }),
  'history V3-HIST-11: an empty cursor': set('pagination.cursor', ''),
  'history V3-HIST-12: a cursor that is a number': set('pagination.cursor', 7),
  'response V3-GEN-01: an array': (b) => [b],
  'response V3-GEN-02: reasoning alone': set('output[0]', { type: 'reasoning' }),
  'response V3-GEN-02: an item without a type': set('output[0].type', undefined),
  'response V3-GEN-02: a message as text': set('output[0].content', 'Hello!'),
  'response V3-GEN-02: no text': set('output[0].content[0].text', undefined),
  'history: an empty history': set('result', []),
  'history: a cursor': set('pagination.cursor', 'next'),
  'history: items without type and status': set('result[1].item', { id: 'x' }),
  'response: no usage': set('usage', undefined),
  'response: a failed response': (b) => void Object.assign(b, { status: 'failed', output: [] }),
  'response: a call in the place of text': set('output[0]', { type: 'function_call' }),
}

describe('an edited JSON response', () => testBodies(changes))

const request = { tools: [{ type: 'function', function: { name: 'get_time' } }] }
const call = callOf('get_time', '{"zone":"UTC"}')
const held = 'held: The tool call names "get_time".'

function callOf(name: string, input: unknown) {
  return { id: 'call_1', type: 'function', function: { name, arguments: input } }
}

const custom = { tools: [...request.tools, { type: 'custom' }] }
const notOffered = 'The type of a tool call is "mcp", which the request did not offer.'
const other = 'The name of a tool call is "x"; the request offered "get_time".'
test.each<[string, unknown, (string | undefined)?, { request?: object; cut?: boolean }?]>([
  ['as in the contract', call, held],
  ['without arguments', callOf('get_time', '{}'), held],
  ['cut within its arguments', callOf('get_time', '{"z'), held, { cut: true }],
  ['with additional fields', { ...call, index: 0, extra: {} }, held],
  ['of another type', { type: 'custom', id: 'c', custom: {} }, undefined, { request: custom }],
  ['of the service itself', { id: 7 }, undefined, { request: { tools: [] } }],
  ['of a type that was not offered', { type: 'mcp' }, notOffered],
  ['without a type', { ...call, type: undefined }, 'The tool call "call_1" has no type.'],
  ['of a function that was not offered', callOf('x', '{}'), other],
  [
    'with an object as arguments',
    callOf('get_time', {}),
    'The arguments of a tool call are {}, not a string.',
  ],
  [
    'with empty arguments',
    callOf('get_time', ''),
    'The arguments of a tool call are "", not JSON.',
  ],
])('judgeToolCall on a call %s', (_, one, finding, { request: more, cut = false } = {}) => {
  const collector = new FindingCollector()
  judgeToolCall(collector, 'OAI-TOOL-02', one, { request: { ...request, ...more }, cut })
  const { findings } = collector.judgement([])
  const expected = finding === held ? held : `broken: ${finding}`
  const texts = findings.map(({ verdict, why }) => `${verdict}: ${why}`)
  expect(texts).toEqual(finding === undefined ? [] : [expected])
})

test.each([
  ['cut within a character', 'application/json', false],
  ['in the character set of its media type', 'application/json; charset=iso-8859-1', true],
])('a body %s: %s', (_, type, isLegal) => {
  const { response, ...exchange } = answerExchange('chat')
  const text = Buffer.concat((response?.chunks ?? []).map(({ bytes }) => bytes)).toString('latin1')
  const body = Buffer.from(text.replace('Hello!', 'Hell\u00e2!'), 'latin1')
  const other = answerExchange('chat', { body, type })
  const { findings } = judge({ ...exchange, response: other.response })
  const broken = findings.filter(({ verdict }) => verdict === 'broken')
  expect(broken.map(({ requirement }) => requirement)).toEqual(isLegal ? [] : ['OAI-CHAT-01'])
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

  test('is joined by index with interleaved calls', () => {
    const second = { ...opening, index: 1, id: 'd' }
    const fragments = [opening, second, more(0, '{"a"'), more(1, '{}'), more(0, ':1}')]
    expect(streamed(fragments)).toEqual([held])
  })

  test('keeps its id in later fragments, which may repeat or omit it', () => {
    const repeated = { ...more(0, '{'), id: 'c' }
    const empty = { ...more(0, '}'), id: '' }
    expect(streamed([opening, repeated, empty])).toEqual([held])
    expect(streamed([opening, { ...more(0, '{}'), id: 'other' }])).toContain(
      'broken: The id of a tool call changes from "c" to "other".',
    )
  })

  test('has a unique id', () => {
    const fragments = [opening, { ...opening, index: 1 }, more(0, '{}'), more(1, '{}')]
    expect(streamed(fragments)).toContain('broken: Two tool calls have the id "c".')
  })

  test('may be cut at the token limit', () => {
    expect(streamed([opening, more(0, '{"a')], 'length')).toEqual([held])
  })
})
