import type { Surface } from './catalog/index.ts'
import type { Exchange, WireRequest } from './exchange.ts'
import { requestPath } from './reading.ts'

/** The routes of the document (section 4), and `GET /models/{model}` of the contract that it names, by our ids. */

export interface Operation {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Path relative to the base address; a name in braces matches one segment. */
  readonly path: string
  readonly surface: Surface
  /** True if a successful request runs the model. */
  readonly generates?: boolean
}

const routes = {
  'openai.chat': 'POST /api/openai/chat/completions',
  'openai.models': 'GET /api/openai/models',
  'openai.model': 'GET /api/openai/models/{model}',
  'v2.message': 'POST /api/v2/message',
  'v2.generate': 'POST /api/v2/message/generate',
  'v3.history': 'GET /api/v3/message',
  'v3.generate': 'POST /api/v3/message/generate',
  'v3.oneShot': 'POST /api/v3/message/one-shot',
  'v3.chats': 'GET /api/v3/chat',
  'v3.createChat': 'POST /api/v3/chat',
  'v3.favorites': 'GET /api/v3/chat/favorite',
  'v3.chat': 'GET /api/v3/chat/{chat_id}',
  'v3.updateChat': 'PATCH /api/v3/chat/{chat_id}',
  'v3.deleteChat': 'DELETE /api/v3/chat/{chat_id}',
  'v3.generateName': 'POST /api/v3/chat/{chat_id}/generate-name',
  'v3.chatAttachments': 'GET /api/v3/chat/{chat_id}/attachments',
  'v3.addFavorite': 'POST /api/v3/chat/{chat_id}/favorite',
  'v3.removeFavorite': 'DELETE /api/v3/chat/{chat_id}/favorite',
  'v3.attachments': 'GET /api/v3/attachment',
  'v3.upload': 'POST /api/v3/attachment',
} as const

export type OperationId = keyof typeof routes

const generating: readonly string[] = [
  'openai.chat',
  'v2.generate',
  'v3.generate',
  'v3.oneShot',
  'v3.generateName',
] satisfies readonly OperationId[]

export const operations = Object.fromEntries(
  Object.entries(routes).map(([id, route]) => {
    const [surface, method, path] = [...id.split('.', 1), ...route.split(' ')]
    return [id, { method, path, surface, ...(generating.includes(id) && { generates: true }) }]
  }),
) as Readonly<Record<OperationId, Operation>>

/** The path of an operation on a chat, whose id comes from a target or a file and stays one segment. */
export function pathOf(id: OperationId, chat: string): string {
  return operations[id].path.replace('{chat_id}', () =>
    isSegment(chat) ? encodeURIComponent(chat) : '%00',
  )
}

/**
 * Tests if a text can be one segment of a path. `.` and `..` change the path, even percent-encoded (URL
 * Standard, section 4.4), and a lone surrogate has no UTF-8 form.
 */
export function isSegment(text: string): boolean {
  return !/^\.{0,2}$/.test(text) && text.isWellFormed()
}

/** The operation for a method and a path relative to the base address; undefined if there is none. */
export function operationAt(method: string, path: string): OperationId | undefined {
  const segments = path.split('/')
  return patterns.find(
    (pattern) =>
      pattern.method === method &&
      pattern.parts.length === segments.length &&
      pattern.parts.every((part, at) => part === segments[at] || part.startsWith('{')),
  )?.id
}

export function operationOf(exchange: Pick<Exchange, 'request'>): OperationId | undefined {
  const { request } = exchange
  if (!found.has(request)) found.set(request, operationAt(request.method, requestPath(exchange)))
  return found.get(request)
}

const found = new WeakMap<WireRequest, OperationId | undefined>()

/** Literal paths come before patterns, so that `/chat/favorite` is not matched as a chat id. */
export const operationIds = (Object.keys(operations) as OperationId[]).sort(
  (a, b) => Number(operations[a].path.includes('{')) - Number(operations[b].path.includes('{')),
)

const patterns = operationIds.map((id) => {
  const { method, path } = operations[id]
  return { id, method, parts: path.split('/') }
})

/** Parts of the service with their path prefixes in the document (sections 4 and 9). */
export const documentedPrefixes = {
  openai: '/api/openai',
  v2: '/api/v2',
  v3: '/api/v3',
  knowledge: '/api/knowledge',
} as const

export type PrefixName = keyof typeof documentedPrefixes

/** Prefixes of a deployment that differ from the document: paths without a trailing slash, or empty. */
export type Prefixes = Readonly<Partial<Record<PrefixName, string | undefined>>>

/** Address of a deployment. */
export interface Address {
  readonly baseUrl: string
  readonly prefixes?: Prefixes | undefined
}

/** Prefixes under which a deployment may serve a part of the service: the documented one and its own. */
export function namesOf(
  { prefixes = {} }: Pick<Address, 'prefixes'>,
  name: PrefixName,
): readonly string[] {
  return [documentedPrefixes[name], ...(prefixes[name] ? [prefixes[name]] : [])]
}

/** URL of a documented path such as `/api/v3/chat`; other paths are appended to the base URL unchanged. */
export function urlOf(address: Address, path: string): string {
  return `${address.baseUrl}${deployedPath(address, path)}`
}

/** The URL of a request and, if the deployment has another prefix, its path in the document, for the judges. */
export function destinationOf(
  address: Address,
  path: string,
): Pick<WireRequest, 'url' | 'documentedPath'> {
  const deployed = deployedPath(address, path)
  return {
    url: `${address.baseUrl}${deployed}`,
    ...(deployed === path ? {} : { documentedPath: path }),
  }
}

function deployedPath({ prefixes = {} }: Address, path: string): string {
  const name = prefixNames.find((each) => isBelow(path, documentedPrefixes[each]))
  const prefix = name === undefined ? undefined : prefixes[name]
  if (name === undefined || prefix === undefined) return path
  return `${prefix}${path.slice(documentedPrefixes[name].length)}`
}

export const prefixNames = Object.keys(documentedPrefixes) as PrefixName[]

function isBelow(path: string, prefix: string): boolean {
  return path === prefix || path.startsWith(`${prefix}/`) || path.startsWith(`${prefix}?`)
}
