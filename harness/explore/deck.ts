import type { Pick } from './command.ts'

/** Deals each element of a list once, in a random order, before any comes again. */
export function createDeck<T>(list: readonly [T, ...T[]], pick: Pick): () => T {
  let rest: readonly T[] = []
  return () => {
    const from = rest.length === 0 ? list : rest
    const at = pick(from.length)
    rest = from.toSpliced(at, 1)
    return from[at] ?? list[0]
  }
}
