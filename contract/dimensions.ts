/** Dimensions in which the requests that show a requirement differ. */
import { surfaces } from './catalog/requirement.ts'
import { type Exchange, header, requestJson, requestPath } from './exchange.ts'
import { isObject } from './json.ts'
import { type OperationId, operationAt, operations } from './operations.ts'

export const dimensions = {
  surface: surfaces,
  generation: ['in a chat', 'one-shot'],
  form: ['JSON', 'stream'],
  think: ['without think', 'with think'],
  input: ['text', 'items'],
  occurrence: ['first', 'repeat'],
  'page size': ['default', 'up to 20', 'above 20'],
  page: ['first', 'second', 'third or later'],
  list: ['chats', 'favorites', 'attachments', 'attachments of a chat', 'history'],
} as const

export type Dimension = keyof typeof dimensions

/** Values of some dimensions. */
export type Variation = {
  readonly [D in Dimension]?: readonly (typeof dimensions)[D][number][]
}

type Values = { readonly [D in Dimension]?: (typeof dimensions)[D][number] }

/** The values of one request; `earlier` are the exchanges of its scenario before it, in order. */
export function valuesOf(exchange: Exchange, earlier: readonly Exchange[]): Values {
  const operation = operationOf(exchange)
  if (operation === undefined) return {}
  const list = lists[operation]
  return {
    surface: operations[operation].surface,
    ...(generates.includes(operation) && generationValues(operation, exchange)),
    ...(operation === 'v2.message' && { think: thinkOf(requestJson(exchange)) }),
    ...(list !== undefined && { list, ...pageValues(exchange, earlier) }),
    ...(repeatable.includes(operation) && {
      occurrence: earlier.some((other) => isSameRequest(other, exchange)) ? 'repeat' : 'first',
    }),
  }
}

const generates: readonly OperationId[] = ['openai.chat', 'v3.generate', 'v3.oneShot']

const repeatable: readonly OperationId[] = [
  ...(['v3.generate', 'v3.addFavorite', 'v3.removeFavorite', 'v3.updateChat'] as const),
  'v3.deleteChat',
]

const lists: { readonly [Id in OperationId]?: (typeof dimensions)['list'][number] } = {
  'v3.chats': 'chats',
  'v3.favorites': 'favorites',
  'v3.attachments': 'attachments',
  'v3.chatAttachments': 'attachments of a chat',
  'v3.history': 'history',
}

function operationOf({ request }: Exchange): OperationId | undefined {
  return operationAt(request.method, requestPath({ request }).split('?')[0] ?? '')
}

function generationValues(operation: OperationId, exchange: Exchange): Values {
  const body = requestJson(exchange)
  if (!isObject(body)) return {}
  const form = body['stream'] === true ? 'stream' : 'JSON'
  if (operation === 'openai.chat') return { form }
  return {
    form,
    generation: operation === 'v3.oneShot' ? 'one-shot' : 'in a chat',
    think: thinkOf(body),
    ...(body['input'] !== undefined && {
      input: Array.isArray(body['input']) ? ('items' as const) : ('text' as const),
    }),
  }
}

function thinkOf(body: unknown) {
  return isObject(body) && body['think'] === true ? 'with think' : 'without think'
}

function pageValues(exchange: Exchange, earlier: readonly Exchange[]): Values {
  const { searchParams } = new URL(exchange.request.url)
  const limit = searchParams.get('limit')
  const size: Values = { 'page size': sizeOf(limit) }
  if (!searchParams.has('cursor')) return { ...size, page: 'first' }
  const walk = earlier.filter((other) => isOfWalk(other, exchange))
  const opened = walk.findLastIndex(
    ({ request }) => !new URL(request.url).searchParams.has('cursor'),
  )
  return { ...size, page: walk.length - opened > 1 ? 'third or later' : 'second' }
}

function sizeOf(limit: string | null): Values['page size'] & string {
  if (limit === null) return 'default'
  return Number(limit) > 20 ? 'above 20' : 'up to 20'
}

/** The same list with the same parameters, the cursor aside. */
function isOfWalk(a: Exchange, b: Exchange): boolean {
  const [one, other] = [new URL(a.request.url), new URL(b.request.url)]
  for (const url of [one, other]) url.searchParams.delete('cursor')
  return one.href === other.href
}

/** A generation by its key, anything else by its route; by one caller. */
function isSameRequest(a: Exchange, b: Exchange): boolean {
  if (a.request.method !== b.request.method || a.request.url !== b.request.url) return false
  return ['authorization', 'idempotency-key'].every(
    (name) => header(a.request.headers, name) === header(b.request.headers, name),
  )
}
