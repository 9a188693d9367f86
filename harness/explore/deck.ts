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

/** Draws an element as often as its weight says, compared with those of the others. */
export function drawWeighted<T extends { readonly weight: number }>(
  list: readonly T[],
  pick: Pick,
) {
  let at = pick(
    Math.max(
      1,
      list.reduce((sum, { weight }) => sum + weight, 0),
    ),
  )
  for (const one of list) {
    at -= one.weight
    if (at < 0) return one
  }
  return undefined
}
