/** The tokenizer for all counts, deltas and limits of this server. */
import type { Turn } from './types.ts'

const token = /\s*(?:[\p{L}\p{M}]{1,8}|\p{N}{1,4}|[^\s\p{L}\p{M}\p{N}])|\s+/gu

/** The joined tokens equal the text; no token splits a code point. */
export function splitTokens(text: string): string[] {
  return text.match(token) ?? []
}

export function countTokens(text: string): number {
  let count = 0
  token.lastIndex = 0
  while (token.test(text)) count += 1
  return count
}

const counted = new WeakMap<Turn, number>()

/** Text and role; cached per turn, because a long history is counted again for every run. */
export function countTurn(turn: Turn): number {
  const cached = counted.get(turn)
  if (cached !== undefined) return cached
  const count = countTokens(turn.text) + 1
  counted.set(turn, count)
  return count
}

/** Tokens of the text up to the first stop sequence, regardless of token boundaries. */
export function tokensBeforeStop(
  tokens: readonly string[],
  stop: readonly string[],
): readonly string[] {
  const sequences = stop.filter((sequence) => sequence !== '')
  if (sequences.length === 0) return tokens
  const text = tokens.join('')
  const found = sequences.map((sequence) => text.indexOf(sequence)).filter((index) => index >= 0)
  return found.length === 0 ? tokens : splitTokens(text.slice(0, Math.min(...found)))
}
