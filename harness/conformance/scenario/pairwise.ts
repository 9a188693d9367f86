/** Pairwise combinations: few requests that show each value of a dimension with each value of every other. */
import { createRequire } from 'node:module'
import type { make as Make } from 'covertable'

// It is CommonJS without named exports, of which loaders make different default exports.
const { make }: { make: typeof Make } = createRequire(import.meta.url)('covertable')

type Dimensions = Readonly<Record<string, readonly unknown[]>>

export type Combination<D extends Dimensions> = { readonly [Name in keyof D]: D[Name][number] }

/** Arrays that are made, of which the shortest counts, and the number of combinations above which one is enough. */
const attempts = 12
const maxCombinations = 200

/**
 * Combinations in which any two values of different dimensions occur together at least once; the same for
 * the same seed.
 */
export function pairwise<const D extends Dimensions>(
  dimensions: D,
  seed: string,
): readonly Combination<D>[] {
  const factors = Object.fromEntries(
    Object.entries(dimensions).map(([name, values]) => [name, [...values]]),
  )
  const sizes = Object.values(factors).map(({ length }) => length)
  const isLarge = sizes.reduce((product, size) => product * size, 1) > maxCombinations
  const arrays = Array.from({ length: isLarge ? 1 : attempts }, (_, at): readonly unknown[] =>
    sizes.length < 2 ? productOf(factors) : make(factors, { seed: `${seed}/${at}` }),
  )
  const [shortest = []] = arrays.toSorted((a, b) => a.length - b.length)
  return shortest as readonly Combination<D>[]
}

function productOf(factors: Readonly<Record<string, readonly unknown[]>>) {
  return Object.entries(factors).flatMap(([name, values]) =>
    values.map((value) => ({ [name]: value })),
  )
}
