import type { Surface } from './catalog/index.ts'
import { type Exchange, requestPath, type WireRequest } from './exchange.ts'

/**
 * The routes of the document (section 4), and `GET /models/{model}` of the contract that it names, each
 * under a name of ours.
 */

export interface Operation {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Path relative to the base address; a name in braces matches one segment. */
  readonly path: string
  readonly surface: Surface
  /** True if a successful request runs the model. */
  readonly generates?: boolean
}

export const operations = {
  'openai.chat': {
    method: 'POST',
    path: '/api/openai/chat/completions',
    surface: 'openai',
    generates: true,
  },
  'openai.models': { method: 'GET', path: '/api/openai/models', surface: 'openai' },
  'openai.model': { method: 'GET', path: '/api/openai/models/{model}', surface: 'openai' },
  'v2.message': { method: 'POST', path: '/api/v2/message', surface: 'v2' },
  'v2.generate': {
    method: 'POST',
    path: '/api/v2/message/generate',
    surface: 'v2',
    generates: true,
  },
  'v3.history': { method: 'GET', path: '/api/v3/message', surface: 'v3' },
  'v3.generate': {
    method: 'POST',
    path: '/api/v3/message/generate',
    surface: 'v3',
    generates: true,
  },
  'v3.oneShot': {
    method: 'POST',
    path: '/api/v3/message/one-shot',
    surface: 'v3',
    generates: true,
  },
  'v3.chats': { method: 'GET', path: '/api/v3/chat', surface: 'v3' },
  'v3.createChat': { method: 'POST', path: '/api/v3/chat', surface: 'v3' },
  'v3.favorites': { method: 'GET', path: '/api/v3/chat/favorite', surface: 'v3' },
  'v3.chat': { method: 'GET', path: '/api/v3/chat/{chat_id}', surface: 'v3' },
  'v3.updateChat': { method: 'PATCH', path: '/api/v3/chat/{chat_id}', surface: 'v3' },
  'v3.deleteChat': { method: 'DELETE', path: '/api/v3/chat/{chat_id}', surface: 'v3' },
  'v3.generateName': {
    method: 'POST',
    path: '/api/v3/chat/{chat_id}/generate-name',
    surface: 'v3',
    generates: true,
  },
  'v3.chatAttachments': {
    method: 'GET',
    path: '/api/v3/chat/{chat_id}/attachments',
    surface: 'v3',
  },
  'v3.addFavorite': { method: 'POST', path: '/api/v3/chat/{chat_id}/favorite', surface: 'v3' },
  'v3.removeFavorite': {
    method: 'DELETE',
    path: '/api/v3/chat/{chat_id}/favorite',
    surface: 'v3',
  },
  'v3.attachments': { method: 'GET', path: '/api/v3/attachment', surface: 'v3' },
  'v3.upload': { method: 'POST', path: '/api/v3/attachment', surface: 'v3' },
} as const satisfies Record<string, Operation>

export type OperationId = keyof typeof operations

/**
 * The path of an operation on a chat. The id comes from a target or a file and stays one segment, whatever
 * it contains.
 */
export function pathOf(id: OperationId, chat: string): string {
  const path: string = operations[id].path
  return path.replace('{chat_id}', () => (isSegment(chat) ? encodeURIComponent(chat) : '%00'))
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

/** The operation of an exchange. */
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
