import type { ProfileName } from '../../selection.ts'
import { cursorAt } from './chats.ts'
import type { Hooks, Json, ServerEvent } from './hooks.ts'

/** Another legal way to be: nothing that the document says is broken by it. */
export interface Dialect {
  readonly hooks?: Partial<Hooks>
  readonly surfaces?: ProfileName
  readonly profile?: Readonly<Record<string, unknown>>
}

export const dialects: Readonly<Record<string, Dialect>> = {
  'that ends the lines of its streams with CR alone': { hooks: { lineEnd: '\r' } },
  'that ends the lines of its streams with LF': { hooks: { lineEnd: '\n' } },
  'that replays a repeat whole': { surfaces: 'v3', hooks: { repeats: () => 'full replay' } },
  'that answers a repeat with JSON': { surfaces: 'v3', hooks: { repeats: () => 'JSON' } },
  'that refuses every repeat': { surfaces: 'v3', hooks: { repeats: () => 'conflict' } },
  'that answers 401 on native routes too': { hooks: { refusal: () => 401 } },
  'that answers 404 where a token is wrong': {
    hooks: { refusal: (route) => (route.includes('openai') ? 401 : 404) },
  },
  'that shows no item in its rows': {
    surfaces: 'v3',
    hooks: { row: () => ({ item: null, note: 'archived' }) },
  },
  'that shows ids in its input rows': {
    surfaces: 'v3',
    hooks: {
      row: (row) => ({ ...row, item: { id: crypto.randomUUID(), ...asJson(row['item']) } }),
    },
  },
  'that ends a history of full pages with an empty page': {
    surfaces: 'v3',
    hooks: {
      page: (page, { limit }) => {
        const last = page.pagination['cursor'] === null && page.result.length === limit
        return last ? { ...page, pagination: { cursor: cursorAt(0), more: 'perhaps' } } : page
      },
    },
  },
  'that answers POST /chat with the bare record': {
    surfaces: 'v3',
    hooks: { created: (id, name) => ({ id, name, version: 'v3' }) },
  },
  'that hides the id of a chat where only a pointer finds it': {
    surfaces: 'v3',
    profile: { shapes: { chatId: '/created/0/ref' } },
    hooks: {
      created: (id) => ({ owner: crypto.randomUUID(), created: [{ ref: id }] }),
    },
  },
  'that sends events of its own': {
    surfaces: 'v3',
    hooks: {
      events: (list) =>
        list.flatMap((event) => [event, { name: 'svc.note', data: {} }]).slice(0, -1),
    },
  },
  'that sends empty deltas': {
    hooks: {
      events: (list) => list.flatMap(withEmptyDelta),
      chunks: (list) =>
        list
          .flatMap((chunk) => [chunk, { ...chunk, choices: [{ index: 0, delta: {} }] }])
          .slice(0, -1),
    },
  },
  'that says nothing of usage in a response': {
    surfaces: 'v3',
    hooks: { response: ({ usage: _, ...rest }) => rest },
  },
  'that lists its models bare': {
    surfaces: 'openai',
    hooks: { models: ({ data }) => data },
  },
  'that remembers a chat without being told the parent': {
    surfaces: 'v3',
    hooks: { remembersChat: true },
  },
}

function withEmptyDelta(event: ServerEvent): ServerEvent[] {
  if (event.name !== 'response.output_text.delta') return [event]
  return [{ ...event, data: { ...event.data, delta: '' } }, event]
}

function asJson(value: unknown): Json {
  return typeof value === 'object' && value !== null ? (value as Json) : {}
}
