import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ProfileName } from '../../../conformance/profile/selection.ts'
import { cursorAt } from './chats.ts'
import type { Hooks, Json, ServerEvent } from './hooks.ts'

/** Other legal ways to be, several at a time: nothing that the document says is broken by them. */
export interface Dialect {
  readonly hooks?: Partial<Hooks>
  readonly surfaces?: ProfileName
  readonly profile?: Readonly<Record<string, unknown>>
}

export const dialects: Readonly<Record<string, Dialect>> = {
  'with CR for line ends, whole replays, ids in input rows and bare lists': {
    hooks: {
      lineEnd: '\r',
      repeats: () => 'full replay',
      row: (row) => ({ ...row, item: { id: crypto.randomUUID(), ...asJson(row['item']) } }),
      created: (id, name) => ({ id, name, version: 'v3' }),
      models: ({ data }) => data,
    },
  },
  'with LF for line ends, JSON for repeats, empty last pages and a memory of its own': {
    hooks: {
      lineEnd: '\n',
      repeats: () => 'JSON',
      refusal: (route) => (route.includes('openai') ? 401 : 404),
      remembersChat: true,
      page: (page, { limit }) => {
        const last = page.pagination['cursor'] === null && page.result.length === limit
        return last ? { ...page, pagination: { cursor: cursorAt(0), more: 'perhaps' } } : page
      },
    },
  },
  'with refused repeats, ids that only a pointer finds, and events and deltas that say nothing': {
    profile: { shapes: { chatId: '/created/0/ref' } },
    hooks: {
      repeats: () => 'conflict',
      refusal: () => 401,
      created: (id, label) => ({ owner: crypto.randomUUID(), created: [{ ref: id, label }] }),
      events: (list) => list.flatMap(withIdleEvents),
      chunks: (list) => list.flatMap((chunk) => [idle(chunk), chunk]),
      response: ({ usage: _, ...rest }) => rest,
    },
  },
  'that refuses pages of more than 20 chats': {
    surfaces: 'v3',
    hooks: { answers: refuseLargePages },
  },
  'that shows no item in the rows of a history': {
    surfaces: 'v3',
    hooks: { row: () => ({ item: null, note: 'archived' }) },
  },
}

/** Section 8: the maximum page size is not shown. */
function refuseLargePages(
  { method, url = '' }: IncomingMessage,
  response: ServerResponse,
): boolean {
  const { pathname, searchParams } = new URL(url, 'http://localhost')
  const isTooLarge = Number(searchParams.get('limit')) > 20
  if (method !== 'GET' || pathname !== '/api/v3/chat' || !isTooLarge) return false
  response
    .writeHead(400, { 'content-type': 'application/json' })
    .end('{"error":"limit: at most 20"}')
  return true
}

function withIdleEvents(event: ServerEvent): ServerEvent[] {
  if (event.name !== 'response.output_text.delta') return [event]
  const note = { name: 'svc.note', data: { about: 'nothing' } }
  return [note, { ...event, data: { ...event.data, delta: '' } }, event]
}

/** The same chunk with nothing to say: no delta, and no usage. */
function idle({ usage: _, ...chunk }: Json): Json {
  return { ...chunk, choices: [{ index: 0, delta: { role: 'assistant', content: '' } }] }
}

function asJson(value: unknown): Json {
  return typeof value === 'object' && value !== null ? (value as Json) : {}
}
