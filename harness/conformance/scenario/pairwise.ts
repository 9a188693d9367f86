/** Pairwise combinations: few requests that show each value of a dimension with each value of every other. */
import { createRandomPicker } from '../session/identities.ts'

type Dimensions = Readonly<Record<string, readonly unknown[]>>

export type Combination<D extends Dimensions> = { readonly [Name in keyof D]: D[Name][number] }

/** Lists that are built, of which the shortest counts. */
const attempts = 20

/**
 * Combinations in which any two values of different dimensions occur together at least once; the same for
 * the same seed. For dimensions whose product is small: it is searched as a whole.
 */
export function pairwise<const D extends Dimensions>(
  dimensions: D,
  seed: string,
): readonly Combination<D>[] {
  const pick = createRandomPicker(`${seed}/pairwise`)
  const all = productOf(dimensions)
  const lists = Array.from({ length: attempts }, () => coverPairs(all, pick))
  const [shortest = []] = lists.toSorted((a, b) => a.length - b.length)
  return shortest as readonly Combination<D>[]
}

type Row = Readonly<Record<string, unknown>>

/** Takes the row with the most pairs that are not covered yet, again and again. */
function coverPairs(all: readonly Row[], pick: (below: number) => number): readonly Row[] {
  const pairs = new Map(all.map((row) => [row, pairsOf(row)]))
  const uncovered = new Set([...pairs.values()].flat())
  const rows: Row[] = []
  while (uncovered.size > 0) {
    const gain = (row: Row) => (pairs.get(row) ?? []).filter((pair) => uncovered.has(pair)).length
    const highest = Math.max(...all.map(gain))
    const best = all.filter((row) => gain(row) === highest)
    const row = best[pick(best.length)]
    if (row === undefined) break
    rows.push(row)
    for (const pair of pairs.get(row) ?? []) uncovered.delete(pair)
  }
  return rows
}

function productOf(dimensions: Dimensions): readonly Row[] {
  return Object.entries(dimensions).reduce<readonly Row[]>(
    (rows, [name, values]) =>
      rows.flatMap((row) => values.map((value) => ({ ...row, [name]: value }))),
    [{}],
  )
}

/** Each pair of values as a text; of one dimension alone, its value. */
function pairsOf(row: Row): readonly string[] {
  const values = Object.entries(row).map(([name, value]) => JSON.stringify([name, value]))
  if (values.length < 2) return values
  return values.flatMap((one, at) => values.slice(at + 1).map((other) => `${one} ${other}`))
}
