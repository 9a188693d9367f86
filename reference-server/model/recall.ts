/** The one thing the fake model knows: what somebody told it about themselves in this conversation. */
import type { Turn } from './types.ts'

/**
 * Answers "What is my name?" from "My name is X" anywhere in the conversation, the question itself
 * included; the latest statement counts. Any one to three words may stand for "name", any token for X.
 *
 * @returns undefined when nothing of the kind was asked
 */
export function recall(question: string, turns: readonly Turn[]): string | undefined {
  const thing = /what(?:'s|’s| is| was) my ((?:\p{L}{1,20} ){0,2}\p{L}{1,20})\s{0,4}\?/iu.exec(
    question,
  )?.[1]
  if (thing === undefined) return undefined
  const told = lastStatement(thing, turns)
  return told === undefined
    ? `You have not told me your ${thing} yet.`
    : `Your ${thing} is ${told}.`
}

function lastStatement(thing: string, turns: readonly Turn[]): string | undefined {
  const statement = new RegExp(
    `my ${thing} is:? ["'“‘«]?([\\p{L}\\p{N}](?:[\\p{L}\\p{N}_.@-]{0,200}[\\p{L}\\p{N}])?)`,
    'giu',
  )
  for (const turn of turns.toReversed()) {
    if (turn.role === 'assistant' || turn.role === 'tool') continue
    const found = [...turn.text.matchAll(statement)].at(-1)?.[1]
    if (found !== undefined) return found
  }
  return undefined
}
