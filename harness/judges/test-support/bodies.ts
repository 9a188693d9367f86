import { brokenIn, type ExchangeParts, exchangeOf, testCases } from './exchanges.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests reach deep into hand-written bodies
export type Body = any

const chatId = '0b8f4f0a-9d5e-4c8a-8d7e-1f2a3b4c5d6e'

/** A response of each kind that follows every rule. */
export const answers = {
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
} as const satisfies Record<string, Omit<ExchangeParts, 'body'> & { readonly body: object }>

export type AnswerName = keyof typeof answers
export const answerNames = Object.keys(answers) as AnswerName[]

type Change = (body: Body) => unknown

/** Changed responses, as in `testCases`. */
export type BodyFaults = { readonly [fault in `${AnswerName}${string}: ${string}`]: Change }

export function testBodies(faults: BodyFaults): void {
  testCases(faults, (base, change) => {
    const name = base as AnswerName
    const body: Body = structuredClone(answers[name].body)
    return brokenIn(answerExchange(name, { body: JSON.stringify(change(body) ?? body) }))
  })
}

export function answerExchange(name: AnswerName, more: Partial<ExchangeParts> = {}) {
  const { body, ...rest } = answers[name]
  return exchangeOf({ ...rest, body: JSON.stringify(body), ...more })
}

/** A change of one field; undefined removes it. */
export function set(path: string, value: unknown): (body: Body) => unknown {
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
