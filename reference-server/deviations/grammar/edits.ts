/** Edits of requests and answers, the building blocks of the effects of generated faults. */
import { type Json, mapStrings, setAt, toList, toObject } from '../patches/json.ts'
import { ofBody } from '../patches/replies.ts'
import type { Circumstance } from './history.ts'
import type { Seams } from './injection.ts'

export type Family =
  | ('refuse' | 'accept' | 'fail' | 'ignore' | 'lose' | 'stale' | 'duplicate' | 'reorder')
  | ('mangle' | 'leak' | 'wrong type' | 'wrong status' | 'other form' | 'late')

export interface Effect extends Seams, Limits {
  readonly family: Family
  /** A clause: `max_tokens is ignored`. */
  readonly name: string
  /** Condition without which it has no visible effect. */
  readonly needs?: string
}

interface Limits {
  /** Conditions under which it is legal or not visible, by prefix of their names. */
  readonly not?: readonly string[]
  /** The only conditions with which it is drawn, by prefix of their names. */
  readonly only?: readonly string[]
}

/** Effects by family, name and the condition that they need: `ignore: stop is ignored (stop: given)`. */
export function effectTable(
  table: Readonly<Record<`${Family}: ${string}`, Seams & Limits>>,
  limits: Limits = {},
): readonly Effect[] {
  return Object.entries(table).map(([heading, seams]) => {
    const [, family, name = '', needs] = /^([^:]+): (.+?)(?: \((.+)\))?$/.exec(heading) ?? []
    return { family: family as Family, name, ...(needs && { needs }), ...limits, ...seams }
  })
}

/** Edit of the rows of a list, under any name. */
export function editRows(
  change: (rows: readonly Json[], circumstance: Circumstance) => readonly Json[],
): Seams {
  return editBody((body, circumstance) => {
    const [name] = Object.keys(body).filter((member) => Array.isArray(body[member]))
    return name === undefined ? body : { ...body, [name]: change(toList(body[name]), circumstance) }
  })
}

export function editBody(change: (body: Json, circumstance: Circumstance) => unknown): Seams {
  return { outgoing: ofBody(change) }
}

export function editRequest(change: (body: Json) => Json): Seams {
  return { incoming: (call) => ({ ...call, body: change(toObject(call.body)) }) }
}

export function editQuery(name: string, to: unknown): Seams {
  return { incoming: (call) => ({ ...call, query: setAt(toObject(call.query), name, to) }) }
}

/** Edit of the texts of a user: a name, a content, or the input in any form. */
export function editTexts(member: string, change: (text: string) => unknown): Seams {
  return editRequest((body) => {
    if (body[member] === undefined) return body
    const edit = (text: string, name: string) =>
      name === member || name === 'text' || name === '' ? String(change(text)) : text
    return { ...body, [member]: mapStrings(body[member], edit) }
  })
}

type Mangling = (text: string) => unknown

/** Ways in which careless code loses a part of a text, each with the kind of text in which it is visible. */
const manglings: Readonly<Record<string, Mangling>> = {
  'in upper case': (text) => text.toUpperCase(),
  'up to the first line break (text: several lines)': (text) => text.split(/\r?\n/)[0] ?? '',
  'with ? for what is not ASCII (text: beyond ASCII)': questionMarks,
  'with ? for what is beyond the BMP (text: beyond the BMP)': (text) =>
    text.replace(/[\u{10000}-\u{10ffff}]/gu, '?'),
  'without marks (text: combining marks)': (text) => text.replace(/\p{M}/gu, ''),
  'with LF for CRLF (text: CRLF)': (text) => text.replaceAll('\r\n', '\n'),
  'without outer space (text: outer space)': (text) => text.trim(),
  'without tags (text: like HTML)': (text) => text.replace(/<[^>]*>/g, ''),
  'with escaped angle brackets (text: like HTML)': (text) => text.replaceAll('<', '&lt;'),
  'with decoded escapes (text: with escapes)': (text) =>
    text.replaceAll(/%[0-9a-f]{2}/gi, decodeURIComponent),
  'cut at 500 characters (text: of 1000 characters and more)': (text) => text.slice(0, 500),
}

/** Effects on a text that the service returns: `content is stored in upper case`. */
export function mangled(
  subject: string,
  edit: (change: Mangling) => Seams & Limits,
  isShown: (how: string) => boolean = () => true,
): readonly Effect[] {
  const listed = Object.entries(manglings).filter(([how]) => isShown(how))
  const rows = listed.map(([how, change]) => [
    `mangle: ${subject} ${how}`,
    // Only a mangling of any text has no kind.
    {
      ...edit(change),
      ...(!how.endsWith(')') && { not: ['text: empty', 'text: digits', 'text: one'] }),
    },
  ])
  return effectTable(Object.fromEntries(rows))
}

export function questionMarks(text: string): string {
  return text.replace(/[^\0-\x7f]/g, '?')
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

export const inJson = ['stream: true'] as const
export const inStream = ['stream: false', 'stream: not given', 'stream: not true'] as const
