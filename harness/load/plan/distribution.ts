import type { Draw } from './random.ts'
import { standardNormal } from './random.ts'

/** Distribution of a length or a time. `min` and `max` truncate the bell curves. */
export type Distribution =
  | { readonly kind: 'constant'; readonly value: number }
  | { readonly kind: 'uniform'; readonly min: number; readonly max: number }
  | {
      readonly kind: 'normal'
      readonly mean: number
      readonly deviation: number
      readonly min?: number | undefined
      readonly max?: number | undefined
    }
  | {
      readonly kind: 'lognormal'
      readonly median: number
      /** Standard deviation of the logarithm. */
      readonly sigma: number
      readonly min?: number | undefined
      readonly max?: number | undefined
    }

/** One value, not rounded. Takes two numbers from the stream, whatever the kind. */
export function drawValue(distribution: Distribution, draw: Draw): number {
  const [first, second] = [draw(), draw()]
  switch (distribution.kind) {
    case 'constant':
      return distribution.value
    case 'uniform':
      return distribution.min + (distribution.max - distribution.min) * first
    case 'normal':
      return within(
        distribution.mean + distribution.deviation * standardNormal(first, second),
        distribution,
      )
    case 'lognormal':
      return within(
        distribution.median * Math.exp(distribution.sigma * standardNormal(first, second)),
        distribution,
      )
  }
}

/** A whole number, at least `least`. */
export function drawCount(distribution: Distribution, draw: Draw, minimum: number): number {
  return Math.max(minimum, Math.round(drawValue(distribution, draw)))
}

function within(
  value: number,
  {
    min = 0,
    max = Number.POSITIVE_INFINITY,
  }: { readonly min?: number | undefined; readonly max?: number | undefined },
): number {
  return Math.min(Math.max(value, min), max)
}
