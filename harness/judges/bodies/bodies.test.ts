import { describe, expect, test } from 'vitest'
import type { OperationId } from '../../contract/index.ts'
import { judge } from '../index.ts'
import { brokenIn, type ExchangeParts, exchangeOf, heldRows } from '../test-support/exchanges.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests reach deep into hand-written bodies
type Body = any

interface Case {
  readonly operation: OperationId
  readonly request?: object
  readonly query?: string
  readonly body: object
}

const chatId = '0b8f4f0a-9d5e-4c8a-8d7e-1f2a3b4c5d6e'

const cases = {
  chat: {
    operation: 'openai.chat',
    request: {
      model: 'svc-main-model',
      messages: [{ role: 'user', content: 'Hi' }],
      max_tokens: 2,
    },
    body: {
      id: 'c-1',
      object: 'chat.completion',
      created: 1760000000,
      model: 'svc-main-model',
      choices: [
        { index: 0, message: { role: 'assistant', content: 'Hello!' }, finish_reason: 'length' },
      ],
      usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
    },
  },
  models: {
    operation: 'openai.models',
    body: {
      object: 'list',
      data: [{ id: 'svc-main-model', object: 'model', description: 'Main' }, { id: 'SVC-Vision' }],
    },
  },
  message: {
    operation: 'v2.message',
    request: { chat_id: chatId, content: 'Hi', model_id: 'svc-main-model' },
    body: {
      id: '5b0f4f0a-9d5e-4c8a-8d7e-1f2a3b4c5d6e',
      chat_id: chatId.toUpperCase(),
      model_id: 'svc-main-model',
      role: 'user',
      content: 'Hi',
      created_at: '2026-01-01T10:00:00.123Z',
    },
  },
  v2Generation: {
    operation: 'v2.generate',
    request: {},
    body: { message: { content: 'Hello!', id: 'm' }, run: 1 },
  },
  history: {
    operation: 'v3.history',
    query: '?limit=3',
    body: {
      result: [
        {
          item_type: 'message',
          item: { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hi' }] },
        },
        {
          item_type: 'message',
          item_status: 'completed',
          created_at: 'x',
          item: { id: 'm', type: 'message', role: 'assistant', status: 'completed', content: [] },
        },
        { item: null },
      ],
      pagination: { cursor: null, total: 3 },
    },
  },
  response: {
    operation: 'v3.generate',
    request: { stream: false, input: 'Hi', max_tokens: 4 },
    body: {
      id: 'resp_1',
      status: 'completed',
      output: [
        {
          type: 'message',
          role: 'assistant',
          status: 'completed',
          content: [{ type: 'output_text', text: 'Hello!' }],
        },
      ],
      usage: {
        input_tokens: 3,
        input_tokens_details: { cached_tokens: 0 },
        output_tokens: 2,
        output_tokens_details: { reasoning_tokens: 0 },
        total_tokens: 5,
      },
    },
  },
} as const satisfies Record<string, Case>

type Name = keyof typeof cases

function exchange(name: Name, more: Partial<ExchangeParts> = {}) {
  const { body, ...rest } = cases[name]
  return exchangeOf({ ...rest, body: JSON.stringify(body), ...more })
}

function changed(name: Name, change: (body: Body) => unknown) {
  const body: Body = structuredClone(cases[name].body)
  const other = change(body)
  return exchange(name, { body: JSON.stringify(other === undefined ? body : other) })
}

/** A change of one member; undefined takes it away. */
function set(path: string, value: unknown): (body: Body) => unknown {
  return (body) => {
    const keys = path.split(/[.[\]]+/).filter((key) => key !== '')
    const last = keys.pop() ?? ''
    Object.assign(
      keys.reduce((at, key) => at[key], body),
      { [last]: value },
    )
    return undefined
  }
}

const faults: readonly (readonly [string, string, Name, (body: Body) => unknown])[] = [
  ['no id', 'OAI-CHAT-02', 'chat', set('id]', undefined),
  ['an id that is a number', 'OAI-CHAT-02', 'chat', set('id', 7)],
  ['another object', 'OAI-CHAT-03', 'chat', set('object', 'text_completion')],
  ['created in milliseconds', 'OAI-CHAT-04', 'chat', set('created', 1760000000000)],
  ['created as text', 'OAI-CHAT-04', 'chat', set('created', '2026-01-01')],
  ['created with a fraction', 'OAI-CHAT-04', 'chat', set('created', 1760000000.5)],
  ['no model', 'OAI-CHAT-05', 'chat', set('model]', undefined),
  ['no choices', 'OAI-CHAT-06', 'chat', set('choices]', undefined),
  ['empty choices', 'OAI-CHAT-06', 'chat', set('choices', [])],
  ['choices as an object', 'OAI-CHAT-06', 'chat', set('choices', { 0: {} })],
  ['no index', 'OAI-CHAT-06', 'chat', set('choices[0].index]', undefined),
  ['no message', 'OAI-CHAT-07', 'chat', set('choices[0].message]', undefined),
  [
    'content that is null',
    'OAI-CHAT-07',
    'chat',
    set('choices[0].message.content', null),
  ],
  ['content in parts', 'OAI-CHAT-07', 'chat', set('choices[0].message.content', [])],
  ['no role', 'OAI-CHAT-07', 'chat', set('choices[0].message.role]', undefined),
  ['no finish_reason', 'OAI-CHAT-08', 'chat', set('choices[0].finish_reason]', undefined),
  ['finish_reason null', 'OAI-CHAT-08', 'chat', set('choices[0].finish_reason', null)],
  ['no usage', 'OAI-CHAT-09', 'chat', set('usage]', undefined),
  ['a count as text', 'OAI-CHAT-09', 'chat', set('usage.total_tokens', '5')],
  ['no completion_tokens', 'OAI-CHAT-09', 'chat', set('usage.completion_tokens]', undefined),
  ['a total off by one', 'OAI-CHAT-10', 'chat', set('usage.total_tokens', 6)],
  ['the role of the user', 'OAI-CHAT-15', 'chat', set('choices[0].message.role', 'user')],
  [
    'more than max_tokens',
    'OAI-MAXTOK-01',
    'chat',
    set('usage', { prompt_tokens: 3, completion_tokens: 3, total_tokens: 6 }),
  ],
  ['an array', 'OAI-CHAT-01', 'chat', (b) => [b]],
  ['an id that is a number', 'OAI-MODELS-04', 'models', set('data[1].id', 7)],
  [
    'a description that is an object',
    'OAI-MODELS-04',
    'models',
    set('data[0].description', {}),
  ],
  ['another object', 'OAI-MODELS-05', 'models', set('object', 'models')],
  ['a bare array', 'OAI-MODELS-05', 'models', (b) => b.data],
  ['entries without id', 'OAI-MODELS-05', 'models', set('data[0].id]', undefined),
  ['models under another name', 'OAI-MODELS-05', 'models', (b) => ({ models: b.data })],
  ['ids alone', 'OAI-MODELS-05', 'models', () => ['svc-main-model']],
  ['an id that is no UUID', 'V2-MSG-02', 'message', set('id', 'm-1')],
  ['the id of another chat', 'V2-MSG-03', 'message', set('chat_id', '5b0f4f0a-9d5e-4c8a-8d7e-1f2a3b4c5d6e')],
  ['no model_id', 'V2-MSG-04', 'message', set('model_id]', undefined),
  ['the role assistant', 'V2-MSG-05', 'message', set('role', 'assistant')],
  ['trimmed content', 'V2-MSG-06', 'message', set('content', 'H')],
  ['content as parts', 'V2-MSG-06', 'message', set('content', ['Hi'])],
  [
    'a time without a zone',
    'V2-MSG-07',
    'message',
    set('created_at', '2026-01-01T10:00:00'),
  ],
  [
    'a time of another zone',
    'V2-MSG-07',
    'message',
    set('created_at', '2026-01-01T10:00:00+02:00'),
  ],
  ['a time as a number', 'V2-MSG-07', 'message', set('created_at', 1760000000)],
  [
    'a time that is none',
    'V2-MSG-07',
    'message',
    set('created_at', '2026-13-41T10:00:00Z'),
  ],
  ['an array', 'V2-MSG-01', 'message', (b) => [b]],
  ['no message', 'V2-GEN-01', 'v2Generation', (b) => b.message],
  [
    'content that is no string',
    'V2-GEN-01',
    'v2Generation',
    set('message.content', null),
  ],
  ['an array', 'V2-GEN-01', 'v2Generation', (b) => [b]],
  ['a bare array', 'V3-HIST-01', 'history', (b) => b.result],
  ['no pagination', 'V3-HIST-01', 'history', set('pagination]', undefined),
  ['result as an object', 'V3-HIST-01', 'history', set('result', {})],
  ['items as text', 'V3-HIST-02', 'history', set('result[2].item', 'Hi')],
  ['a row without item', 'V3-HIST-02', 'history', set('result[2].item]', undefined),
  ['another item_type', 'V3-HIST-03', 'history', set('result[0].item_type', 'text')],
  ['no item_type', 'V3-HIST-03', 'history', set('result[0].item_type]', undefined),
  ['another item_status', 'V3-HIST-04', 'history', set('result[1].item_status', 'done')],
  ['no item_status', 'V3-HIST-04', 'history', set('result[1].item_status]', undefined),
  ['input content as text', 'V3-HIST-05', 'history', set('result[0].item.content', 'Hi')],
  ['another input role', 'V3-HIST-05', 'history', set('result[0].item.role', 'tool')],
  ['input without a type', 'V3-HIST-05', 'history', set('result[0].item.type]', undefined),
  [
    'parts without a type',
    'V3-HIST-05',
    'history',
    set('result[0].item.content[0].type', undefined),
  ],
  ['more rows than limit', 'V3-HIST-09', 'history', (b) => void b.result.push({ item: null })],
  ['no cursor', 'V3-HIST-11', 'history', set('pagination.cursor]', undefined),
  ['an empty cursor', 'V3-HIST-11', 'history', set('pagination.cursor', '')],
  ['a cursor that is a number', 'V3-HIST-12', 'history', set('pagination.cursor', 3)],
  ['an array', 'V3-GEN-01', 'response', (b) => [b]],
  ['no output', 'V3-GEN-02', 'response', set('output]', undefined),
  ['no items in a completed response', 'V3-GEN-02', 'response', set('output', [])],
  ['reasoning alone', 'V3-GEN-02', 'response', set('output[0]', { type: 'reasoning' })],
  ['an item without a type', 'V3-GEN-02', 'response', set('output[0].type]', undefined),
  ['a message as text', 'V3-GEN-02', 'response', set('output[0].content', 'Hello!')],
  ['a total off by one', 'V3-GEN-12', 'response', set('usage.total_tokens', 6)],
  [
    'more reasoning than output',
    'V3-GEN-12',
    'response',
    set('usage.output_tokens_details.reasoning_tokens', 3),
  ],
  [
    'more than max_tokens',
    'V3-GEN-10',
    'response',
    (b) => void Object.assign(b.usage, { output_tokens: 5, total_tokens: 8 }),
  ],
]

const legal: readonly (readonly [string, Name, (body: Body) => unknown])[] = [
  [
    'a tool call in the place of text',
    'chat',
    set('choices[0].message', { role: 'assistant', content: null, tool_calls: [{}] }),
  ],
  ['another finish_reason', 'chat', set('choices[0].finish_reason', 'eos')],
  ['unknown members', 'chat', (b) => void Object.assign(b, { x: 1, usage: { ...b.usage, x: {} } })],
  ['a null description', 'models', set('data[0].description', null)],
  ['UTC by offset', 'message', set('created_at', '2026-01-01T10:00:00.123456+00:00')],
  ['UTC in the basic form', 'message', set('created_at', '20260101T100000Z')],
  ['an empty history', 'history', set('result', [])],
  ['a cursor', 'history', set('pagination.cursor', 'next')],
  ['items without type and status', 'history', set('result[1].item', { id: 'x' })],
  ['no usage', 'response', set('usage]', undefined),
  ['a failed response', 'response', (b) => void Object.assign(b, { status: 'failed', output: [] })],
  [
    'a call in the place of text',
    'response',
    set('output[0]', { type: 'function_call' }),
  ],
]

describe('JSON answers', () => {
  test.each(Object.keys(cases) as Name[])('a good %s breaks nothing', (name) => {
    expect(brokenIn(exchange(name))).toEqual({})
  })

  test('hold what they show, and nothing else', () => {
    const held = (Object.keys(cases) as Name[]).map(
      (name) => `${name}: ${heldRows(judge(exchange(name))).join(' ')}`,
    )
    expect(held).toMatchInlineSnapshot(`
      [
        "chat: OAI-CHAT-02 OAI-CHAT-03 OAI-CHAT-04 OAI-CHAT-05 OAI-CHAT-06 OAI-CHAT-07 OAI-CHAT-08 OAI-CHAT-09 OAI-CHAT-10 OAI-CHAT-11 OAI-CHAT-15 OAI-MAXTOK-01 OAI-MAXTOK-02",
        "models: OAI-MODELS-04 OAI-MODELS-05",
        "message: V2-MSG-02 V2-MSG-03 V2-MSG-04 V2-MSG-05 V2-MSG-06 V2-MSG-07",
        "v2Generation: V2-GEN-01",
        "history: V3-HIST-01 V3-HIST-02 V3-HIST-03 V3-HIST-04 V3-HIST-05 V3-HIST-09",
        "response: V3-GEN-02 V3-GEN-10 V3-GEN-12",
      ]
    `)
  })

  test.each(faults)('%s breaks %s (%s)', (_, row, name, change) => {
    expect(Object.keys(brokenIn(changed(name, change)))).toEqual([row])
  })

  test.each(legal)('%s is legal (%s)', (_, name, change) => {
    expect(brokenIn(changed(name, change))).toEqual({})
  })

  test('a body that is no JSON breaks the row of its kind alone', () => {
    const page = { body: '<html></html>', type: 'text/html' }
    const rows = (Object.keys(cases) as Name[]).map((name) =>
      Object.keys(brokenIn(exchange(name, page))).join(' '),
    )
    expect(rows).toEqual(['OAI-CHAT-01', '', 'V2-MSG-01', 'V2-GEN-01', 'V3-HIST-01', 'V3-GEN-01'])
    const oneShot = exchange('response', { ...page, operation: 'v3.oneShot' })
    expect(Object.keys(brokenIn(oneShot))).toEqual(['V3-ONE-01'])
  })

  test('another media type breaks OAI-CHAT-11', () => {
    expect(Object.keys(brokenIn(exchange('chat', { type: 'text/plain' })))).toEqual(['OAI-CHAT-11'])
  })

  test('a body that did not arrive whole proves nothing', () => {
    const cut = { body: '{"id":', ending: { kind: 'cut', atMs: 1, error: 'reset' } } as const
    expect(brokenIn(exchange('chat', cut))).toEqual({})
  })

  test('what is open is observed', () => {
    const answers = (Object.keys(cases) as Name[]).flatMap((name) =>
      judge(exchange(name)).observations.map(({ question, answer }) => `${question}: ${answer}`),
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
