/** An effect of a generated fault, and the rules for the conditions that it is drawn with. */
import type { Mangling } from './edits.ts'
import type { Seams } from './injection.ts'

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
  ...[
    'parent_id',
    'caller',
    'cursor',
    'limit',
    'search: given',
    'search: not',
    'exclude_favorites',
  ],
  ...['chat_id', 'attachments', 'occurrence: second', 'occurrence: after another'],
] as const

/** Conditions of a mangling, so that it is drawn only with kinds of text in which it is visible. */
export function ofKind({ kind }: Mangling): Pick<Effect, 'needs' | 'not'> {
  return kind === undefined
    ? { not: ['text: empty', 'text: digits', 'text: one'] }
    : { needs: `text: ${kind}` }
}

export const inJson = ['stream: true'] as const
export const inStream = ['stream: false', 'stream: not given', 'stream: not true'] as const
