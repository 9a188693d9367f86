import type { Surface } from './catalog/index.ts'

/**
 * The routes that the document shows (section 4), and `GET /models/{model}` of the contract that it
 * names, by a name of ours.
 */

export interface Operation {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Path below the base address; a name in braces stands for one segment. */
  readonly path: string
  readonly surface: Surface
  /** True if a success runs the model. */
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
 * The path of an operation on a chat. An id comes from a target or from a file, and it must never lead
 * out of its place: it is one segment, whatever it holds.
 */
export function pathOf(id: OperationId, chat: string): string {
  const path: string = operations[id].path
  return path.replace('{chat_id}', () => (isSegment(chat) ? encodeURIComponent(chat) : '%00'))
}

/**
 * Tests if a text can be one segment of a path. Dots alone lead elsewhere, even percent-encoded (URL
 * Standard, section 4.4), and half a surrogate pair has no UTF-8.
 */
export function isSegment(text: string): boolean {
  return !/^\.{0,2}$/.test(text) && text.isWellFormed()
}

/** The operation that a method and a path below the base address name; undefined for others. */
export function operationAt(method: string, path: string): OperationId | undefined {
  const segments = path.split('/')
  return patterns.find(
    (pattern) =>
      pattern.method === method &&
      pattern.parts.length === segments.length &&
      pattern.parts.every((part, at) => part === segments[at] || part.startsWith('{')),
  )?.id
}

/** Literal paths stand before patterns, so that `/chat/favorite` is not taken for a chat. */
export const operationIds = (Object.keys(operations) as OperationId[]).sort(
  (a, b) => Number(operations[a].path.includes('{')) - Number(operations[b].path.includes('{')),
)

/** Split once: every exchange is looked up several times. */
const patterns = operationIds.map((id) => {
  const { method, path } = operations[id]
  return { id, method, parts: path.split('/') }
})
