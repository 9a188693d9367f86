/** An effect of a generated fault, and the rules by which the document allows it. */
import type { Mangling } from './edits.ts'
import type { Seams } from './injection.ts'

export type Family =
  | ('refuse' | 'accept' | 'fail' | 'ignore' | 'lose' | 'stale' | 'duplicate' | 'reorder')
  | ('mangle' | 'leak' | 'wrong type' | 'wrong status' | 'other form' | 'late')

export interface Effect extends Seams {
  readonly family: Family
  /** A clause: `max_tokens is ignored`. */
  readonly name: string
  /** Condition without which it shows nothing. */
  readonly needs?: string
  /** Conditions under which it is legal or shows nothing, by the beginning of their names. */
  readonly not?: readonly string[]
  /** The only conditions with which it is drawn, by the beginning of their names. */
  readonly only?: readonly string[]
}

/**
 * Conditions that lead to other code in a server: of admission, validation and refusals, no others are drawn,
 * as nobody writes a server that compares keys by the text of a message.
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

/** A mangling shows in one kind of text: of others, nothing is drawn. */
export function ofKind({ kind }: Mangling): Pick<Effect, 'needs' | 'not'> {
  return kind === undefined
    ? { not: ['text: empty', 'text: digits', 'text: one'] }
    : { needs: `text: ${kind}` }
}

export const inJson = ['stream: true'] as const
export const inStream = ['stream: false', 'stream: not given', 'stream: not true'] as const
