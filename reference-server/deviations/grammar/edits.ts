/** Edits of requests and answers, the building blocks of the effects of generated faults. */
import type { Call } from '../../http/call.ts'
import { type Json, mapStrings, setAt, toList, toObject } from '../patches/json.ts'
import { ofBody } from '../patches/replies.ts'
import type { Circumstance } from './history.ts'
import type { Seams } from './injection.ts'

type Outgoing = NonNullable<Seams['outgoing']>
type Incoming = NonNullable<Seams['incoming']>

/** Edit of the rows of a list, under any name. */
export function editRows(
  change: (rows: readonly Json[], circumstance: Circumstance) => readonly Json[],
): Outgoing {
  return ofBody((body, circumstance: Circumstance) => {
    const [name] = Object.keys(body).filter((member) => Array.isArray(body[member]))
    return name === undefined ? body : { ...body, [name]: change(toList(body[name]), circumstance) }
  })
}

export function editRequest(change: (body: Json) => Json): Incoming {
  return (call) => ({ ...call, body: change(toObject(call.body)) })
}

export function editQuery(name: string, to: unknown): Incoming {
  return (call) => ({ ...call, query: setAt(toObject(call.query), name, to) })
}

/** Edit of the texts of a user: a name, a content, or the input in any form. */
export function editTexts(member: string, change: (text: string) => unknown): Incoming {
  return editRequest((body) => {
    if (body[member] === undefined) return body
    const edit = (text: string, name: string) =>
      name === member || name === 'text' || name === '' ? String(change(text)) : text
    return { ...body, [member]: mapStrings(body[member], edit) }
  })
}

export function withHeader(call: Call, name: string, value: string): Call {
  return { ...call, headers: { ...call.headers, [name]: value } }
}

/** A way in which careless code loses a part of a text. */
export interface Mangling {
  readonly name: string
  /** The kind of text in which it is visible; undefined for any. */
  readonly kind?: string
  readonly change: (text: string) => unknown
}

/** Changes of texts that the service returns. */
export const manglings: readonly Mangling[] = [
  { name: 'in upper case', change: (text) => text.toUpperCase() },
  {
    name: 'up to the first line break',
    kind: 'several lines',
    change: (text) => text.split(/\r?\n/)[0] ?? '',
  },
  {
    name: 'with ? for what is not ASCII',
    kind: 'beyond ASCII',
    change: (text) => text.replace(/[^\0-\x7f]/g, '?'),
  },
  {
    name: 'with ? for what is beyond the BMP',
    kind: 'beyond the BMP',
    change: (text) => text.replace(/[\u{10000}-\u{10ffff}]/gu, '?'),
  },
  { name: 'without marks', kind: 'combining marks', change: (text) => text.replace(/\p{M}/gu, '') },
  { name: 'with LF for CRLF', kind: 'CRLF', change: (text) => text.replaceAll('\r\n', '\n') },
  { name: 'without outer space', kind: 'outer space', change: (text) => text.trim() },
  { name: 'without tags', kind: 'like HTML', change: (text) => text.replace(/<[^>]*>/g, '') },
  {
    name: 'with escaped angle brackets',
    kind: 'like HTML',
    change: (text) => text.replaceAll('<', '&lt;'),
  },
  {
    name: 'with decoded escapes',
    kind: 'with escapes',
    change: (text) => text.replaceAll(/%[0-9a-f]{2}/gi, decodeURIComponent),
  },
  {
    name: 'cut at 500 characters',
    kind: 'of 1000 characters and more',
    change: (text) => text.slice(0, 500),
  },
]

export type Family =
  | ('refuse' | 'accept' | 'fail' | 'ignore' | 'lose' | 'stale' | 'duplicate' | 'reorder')
  | ('mangle' | 'leak' | 'wrong type' | 'wrong status' | 'other form' | 'late')

export interface Effect extends Seams {
  readonly family: Family
  /** A clause: `max_tokens is ignored`. */
  readonly name: string
  /** Condition without which it has no visible effect. */
  readonly needs?: string
  /** Conditions under which it is legal or not visible, by prefix of their names. */
  readonly not?: readonly string[]
  /** The only conditions with which it is drawn, by prefix of their names. */
  readonly only?: readonly string[]
}

/**
 * Conditions that lead to different code in a server. Effects on admission, validation and refusals are drawn
 * only with these, because no real server checks keys depending on the text of a message.
 */
export const paths = [
  ...['stream', 'think', 'rag', 'model name', 'input: a', 'messages: with', 'assistant_id'],
  ...['parent_id', 'caller', 'cursor', 'limit', 'search: given', 'search: not'],
  ...['exclude_favorites', 'chat_id', 'attachments'],
  ...['occurrence: second', 'occurrence: after another'],
] as const

/** Conditions of a mangling, so that it is drawn only with kinds of text in which it is visible. */
export function ofKind({ kind }: Mangling): Pick<Effect, 'needs' | 'not'> {
  return kind === undefined
    ? { not: ['text: empty', 'text: digits', 'text: one'] }
    : { needs: `text: ${kind}` }
}

export const inJson = ['stream: true'] as const
export const inStream = ['stream: false', 'stream: not given', 'stream: not true'] as const
