/** Conditions of generated faults: values of a dimension of one request, or of what came before it. */
import { isObject } from '../../../contract/json.ts'
import type { Call } from '../../http/call.ts'
import { type Json, toList, toObject } from '../patches/json.ts'

/** Bodies of earlier requests to the same route, by chat or by caller. */
export type Earlier = readonly Json[]

export interface Condition {
  /** Dimension and value: `form: stream`. */
  readonly name: string
  holds(call: Call, earlier: Earlier): boolean
}

type BodyTest = (body: Json, earlier: Earlier) => boolean

const onBody = (dimension: string, values: Readonly<Record<string, BodyTest>>): Condition[] =>
  Object.entries(values).map(([value, test]) => ({
    name: `${dimension}: ${value}`,
    holds: (call, earlier) => test(toObject(call.body), earlier),
  }))

/** The text that the caller wrote last, in any of the forms of a body. */
export function lastText(body: Json): string {
  const [message] = toList(body['messages']).slice(-1)
  const source = message?.['content'] ?? body['input'] ?? body['content'] ?? body['name']
  if (typeof source === 'string') return source
  const parts = toList(source).flatMap((item) =>
    Array.isArray(item['content']) ? toList(item['content']) : [item],
  )
  return parts.map(({ text }) => (typeof text === 'string' ? text : '')).join('\n')
}

export const textKinds: readonly Condition[] = onBody('text', {
  digits: (body) => /^\d+$/.test(lastText(body)),
  'beyond ASCII': (body) => /[^\0-\x7f]/.test(lastText(body)),
  'beyond the BMP': (body) => /[\u{10000}-\u{10ffff}]/u.test(lastText(body)),
  'several lines': (body) => lastText(body).includes('\n'),
  CRLF: (body) => lastText(body).includes('\r\n'),
  'like JSON': (body) => /^\s*[{[]/.test(lastText(body)),
  'like HTML': (body) => /<\w+[^>]*>/.test(lastText(body)),
  'with outer space': (body) => /^\s|\s$/.test(lastText(body)),
  'of 1,000 characters and more': (body) => lastText(body).length >= 1000,
})

const forms = onBody('form', {
  JSON: (body) => body['stream'] !== true,
  stream: (body) => body['stream'] === true,
})

const models = onBody('model', {
  main: (body) => (body['model'] ?? body['model_id']) === 'svc-main-model',
  alias: (body) => (body['model'] ?? body['model_id']) === 'SVC-Main',
  vision: (body) => (body['model'] ?? body['model_id']) === 'SVC-Vision',
})

const toolLists = onBody('tools', {
  'include_tools given': (body) => Array.isArray(body['include_tools']),
  'exclude_tools given': (body) => Array.isArray(body['exclude_tools']),
  'several names': (body) =>
    [body['include_tools'], body['exclude_tools']].some(
      (list) => Array.isArray(list) && list.length > 1,
    ),
})

const parameters = (...names: readonly string[]): Condition[] =>
  onBody(
    'parameter',
    Object.fromEntries(names.map((name) => [name, (body: Json) => body[name] != null])),
  )

const reasoning = onBody('think', {
  true: (body) => body['think'] === true,
  false: (body) => body['think'] === false,
})

const retrieval = onBody('rag', {
  true: (body) => body['rag'] === true,
  false: (body) => body['rag'] === false,
  agent: (body) => body['rag'] === 'agent',
  object: (body) => isObject(body['rag']),
})

const parents = onBody('parent', {
  given: (body) => body['parent_id'] != null,
  none: (body) => body['parent_id'] == null,
})

const occurrences = onBody('occurrence', {
  first: (_, earlier) => earlier.length === 0,
  second: (_, earlier) => earlier.length === 1,
  'third or later': (_, earlier) => earlier.length >= 2,
  'after another model': (body, earlier) =>
    earlier.length > 0 && earlier.at(-1)?.['model_id'] !== body['model_id'],
})

const inputs = onBody('input', {
  text: (body) => typeof body['input'] === 'string',
  items: (body) => Array.isArray(body['input']),
  'several items': (body) => toList(body['input']).length > 1,
  'several parts': (body) =>
    toList(body['input']).some(({ content }) => toList(content).length > 1),
  image: (body) => JSON.stringify(body['input'] ?? '').includes('input_image'),
})

const conversations = onBody('messages', {
  one: (body) => toList(body['messages']).length === 1,
  'with a system message': (body) => hasRole(body, 'system'),
  'with an assistant message': (body) => hasRole(body, 'assistant'),
  'four and more': (body) => toList(body['messages']).length >= 4,
})

const files = onBody('attachments', {
  none: (body) => body['attachments'] === undefined,
  'an empty list': (body) =>
    Array.isArray(body['attachments']) && toList(body['attachments']).length === 0,
  one: (body) => toList(body['attachments']).length === 1,
  several: (body) => toList(body['attachments']).length > 1,
})

const onQuery = (dimension: string, values: Readonly<Record<string, (query: Json) => boolean>>) =>
  Object.entries(values).map(
    ([value, test]): Condition => ({
      name: `${dimension}: ${value}`,
      holds: (call) => test(toObject(call.query)),
    }),
  )

const pages = onQuery('page', {
  first: ({ cursor }) => cursor === undefined,
  'with a cursor': ({ cursor }) => cursor !== undefined,
  'limit of 1': ({ limit }) => Number(limit) === 1,
  'limit up to 10': ({ limit }) => Number(limit) <= 10,
  'limit above 10': ({ limit }) => Number(limit) > 10,
  'limit above 20': ({ limit }) => Number(limit) > 20,
  'default limit': ({ limit }) => limit === undefined,
  'cursor and default limit': ({ limit, cursor }) => limit === undefined && cursor !== undefined,
})

const searches = onQuery('search', {
  given: ({ search }) => search !== undefined,
  'beyond ASCII': ({ search }) => /[^\0-\x7f]/.test(String(search ?? '')),
  'with limit': ({ search, limit }) => search !== undefined && limit !== undefined,
})

const favorites = onQuery('exclude_favorites', {
  given: ({ exclude_favorites }) => exclude_favorites !== undefined,
})

const ofChat = onQuery('chat_id', {
  given: ({ chat_id }) => chat_id !== undefined,
  none: ({ chat_id }) => chat_id === undefined,
})

const callers: Condition[] = [
  { name: 'caller: second', holds: ({ caller }) => caller !== 'caller-1' },
]

/** Dimensions of a v3 generation, in a chat or as a one-shot. */
const generations = [...forms, ...models, ...inputs, ...reasoning, ...retrieval, ...toolLists]

/** Conditions by operation, each with a request that meets it and one that does not. */
export const conditionsOf = {
  'openai.chat': [
    ...forms,
    ...models,
    ...conversations,
    ...textKinds,
    ...parameters('max_tokens', 'temperature', 'top_p', 'stop'),
    ...callers,
  ],
  'openai.models': callers,
  'v2.message': [
    ...models,
    ...reasoning,
    ...retrieval.filter(({ name }) => name !== 'rag: object'),
    ...parents,
    ...occurrences,
    ...files,
    ...textKinds,
    ...parameters('assistant_id'),
  ],
  'v2.generate': [
    ...models,
    ...toolLists.filter(({ name }) => !name.includes('include_tools')),
    ...occurrences,
  ],
  'v3.generate': [
    ...generations,
    ...parents,
    ...occurrences,
    ...textKinds,
    ...parameters('max_tokens', 'temperature', 'top_p', 'presence_penalty', 'assistant_id'),
  ],
  'v3.oneShot': [
    ...generations,
    ...textKinds,
    ...parameters('runs', 'content', 'assistant_id', 'max_tokens'),
  ],
  'v3.createChat': [
    ...textKinds.filter(({ name }) => !/1,000|JSON|HTML|digits/.test(name)),
    ...callers,
  ],
  'v3.updateChat': textKinds.filter(({ name }) => !/1,000|JSON|HTML|digits/.test(name)),
  'v3.history': pages,
  'v3.chats': [...pages, ...searches, ...favorites, ...callers],
  'v3.favorites': callers,
  'v3.attachments': [...pages, ...searches, ...ofChat, ...callers],
  'v3.chatAttachments': searches.slice(0, 2),
} as const satisfies Readonly<Record<string, readonly Condition[]>>

export type FaultyOperation = keyof typeof conditionsOf

function hasRole(body: Json, role: string): boolean {
  return toList(body['messages']).some((message) => message['role'] === role)
}
