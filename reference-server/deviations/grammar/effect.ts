/** Effects that several operations have, and functions that make them. */
import { ApiError } from '../../http/errors.ts'
import { completed, created, itemAdded, textDelta } from '../patches/event-names.ts'
import { setAt, toList } from '../patches/json.ts'
import { editBody, editRequest, editRows, editTexts, manglings, withoutQuery } from './edits.ts'
import type { Effects } from './injection.ts'

export type Family =
  | ('refuse' | 'fail' | 'ignore' | 'lose' | 'duplicate' | 'mangle' | 'leak')
  | ('wrong type' | 'other form')

export interface Effect extends Effects {
  readonly family: Family
  /** A clause: `max_tokens is ignored`. */
  readonly name: string
  /** Condition without which it shows nothing. */
  readonly needs?: string
  /** Conditions under which it is legal, by the beginning of their names. */
  readonly not?: readonly string[]
}

/** The document leaves open if a model reads images, and how long a text may be. */
const open = ['input: image', 'text: of 1,000', 'model: vision']

export const refused: Effect = {
  family: 'refuse',
  name: 'the request is refused',
  not: open,
  incoming: () => {
    throw new ApiError(400, 'Not like this')
  },
}

export const failed: Effect = {
  family: 'fail',
  name: 'the request ends with 500',
  not: open,
  outgoing: () => ({ status: 500, body: { error: 'Not possible' } }),
}

export const inJson = { needs: 'form: JSON' } as const
export const inStream = { needs: 'form: stream' } as const

export const otherForms: readonly Effect[] = [
  {
    ...inStream,
    family: 'other form',
    name: 'a stream is answered with one JSON body',
    incoming: editRequest((body) => ({ ...body, stream: false })),
  },
  {
    ...inJson,
    family: 'other form',
    name: 'one JSON body is answered with a stream',
    incoming: editRequest((body) => ({ ...body, stream: true })),
  },
]

export const streamFaults: readonly Effect[] = [
  ...[created, itemAdded, completed].map(
    (type): Effect => ({
      ...inStream,
      family: 'lose',
      name: `the stream has no ${type}`,
      events: (events) => events.filter((event) => event.type !== type),
    }),
  ),
  {
    ...inStream,
    family: 'lose',
    name: 'the last fragment of the text is lost',
    events: (events) => {
      const at = events.findLastIndex(({ type }) => type === textDelta)
      return events.filter((_, index) => index !== at)
    },
  },
  {
    ...inStream,
    family: 'duplicate',
    name: 'the first fragment of the text comes twice',
    events: (events) => {
      const at = events.findIndex(({ type }) => type === textDelta)
      return events.flatMap((event, index) => (index === at ? [event, event] : [event]))
    },
  },
  {
    ...inStream,
    family: 'wrong type',
    name: 'deltas are numbers',
    events: (events) =>
      events.map((event) => (event.type === textDelta ? { ...event, delta: 7 } : event)),
  },
]

export const responseFields = fieldsOf('output').map((effect): Effect => ({ ...effect, ...inJson }))

export const pageEffects: readonly Effect[] = [
  {
    family: 'ignore',
    name: 'cursor is ignored',
    needs: 'page: with a cursor',
    incoming: withoutQuery('cursor'),
  },
  {
    family: 'ignore',
    name: 'limit is ignored',
    needs: 'page: limit up to 10',
    incoming: withoutQuery('limit'),
  },
  {
    family: 'lose',
    name: 'the cursor of the next page is lost',
    outgoing: editBody((body) => setAt(body, 'pagination.cursor', null)),
  },
  ...fieldsOf('result', 'pagination'),
]

export const rowEffects: readonly Effect[] = [
  { family: 'lose', name: 'the last row is lost', outgoing: editRows((rows) => rows.slice(0, -1)) },
  { family: 'lose', name: 'the first row is lost', outgoing: editRows((rows) => rows.slice(1)) },
  {
    family: 'duplicate',
    name: 'the first row comes twice',
    outgoing: editRows((rows) => [...rows.slice(0, 1), ...rows]),
  },
]

export const searchIgnored: Effect = {
  family: 'ignore',
  name: 'search is ignored',
  needs: 'search: given',
  incoming: withoutQuery('search'),
}

/** Fields of a JSON answer that are lost, or have another type. */
export function fieldsOf(...paths: readonly string[]): readonly Effect[] {
  return paths.flatMap((path): readonly Effect[] => [
    {
      family: 'lose',
      name: `${path} is lost`,
      outgoing: editBody((body) => setAt(body, path, undefined)),
    },
    {
      family: 'wrong type',
      name: `${path} has another type`,
      outgoing: editBody((body) => setAt(body, path, otherType)),
    },
  ])
}

export function ignored(member: string, needs: string): Effect {
  return {
    family: 'ignore',
    name: `${member} is ignored`,
    needs,
    incoming: editRequest((body) => setAt(body, member, undefined)),
  }
}

export function contextLost(needs: string): Effect {
  return {
    family: 'lose',
    name: 'the model is given the last message alone',
    needs,
    model: (request) => ({ ...request, turns: request.turns.slice(-1) }),
  }
}

export function answerManglings(path: string): readonly Effect[] {
  return Object.entries(manglings).map(([name, change]) => ({
    family: 'mangle',
    name: `${path} is shown ${name}`,
    outgoing: editBody((body) => setAt(body, path, (old: unknown) => change(String(old)))),
  }))
}

export function requestManglings(member: string): readonly Effect[] {
  return Object.entries(manglings).map(([name, change]) => ({
    family: 'mangle',
    name: `${member} is stored ${name}`,
    incoming: editTexts(member)(change),
  }))
}

function otherType(old: unknown): unknown {
  if (typeof old === 'string') return { value: old }
  if (Array.isArray(old)) return { ...toList(old) }
  return typeof old === 'object' ? 'other' : String(old)
}
