/** Averages of numbers; null of none, so that each caller says what stands for it. */

/** Arithmetic mean. */
export function meanOf(values: readonly number[] | Float64Array): number | null {
  if (values.length === 0) return null
  let sum = 0
  for (const value of values) sum += value
  return sum / values.length
}

/** Median; of an even number of values the upper of the two in the middle, so that it is one of them. */
export function medianOf(values: readonly number[]): number | null {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? null
}

/** Median by nearest rank, as p50 has it: of an even number of values the lower of the two in the middle. */
export function lowerMedianOf(values: readonly number[]): number | null {
  return values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)] ?? null
}

/** Means of `count` batches of `size` neighbors each, from the first value on; the rest is left out. */
export function batchMeansOf(values: readonly number[], count: number, size: number): number[] {
  return Array.from(
    { length: count },
    (_, batch) => meanOf(values.slice(batch * size, (batch + 1) * size)) ?? Number.NaN,
  )
}
