/** A stream of numbers in [0, 1), the same for the same seed on every machine. */
export type Draw = () => number

/** Mixes a text into 32 bits (FNV-1a, then the finalizer of MurmurHash3). */
export function hashText(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  }
  return mix32(hash)
}

/**
 * Stream of numbers for one arrival, which does not depend on how many numbers others draw. Generator:
 * splitmix32.
 */
export function drawsOf(seed: number, index: number): Draw {
  let state = mix32(seed ^ Math.imul(index + 1, 0x9e3779b9))
  return () => {
    state = (state + 0x9e3779b9) | 0
    return mix32(state) / 2 ** 32
  }
}

/** The finalizer of MurmurHash3 (Appleby): a bijection on unsigned 32-bit integers. */
export function mix32(value: number): number {
  let hash = value | 0
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

/** Value of the standard normal distribution (Box & Muller, Ann. Math. Stat. 29, 1958), from two uniform ones. */
export function standardNormal(first: number, second: number): number {
  return Math.sqrt(-2 * Math.log(1 - first)) * Math.cos(2 * Math.PI * second)
}

/** Distribution of a length or a time. `min` and `max` truncate the bell curves. */
export type Distribution =
  | { readonly kind: 'constant'; readonly value: number }
  | { readonly kind: 'uniform'; readonly min: number; readonly max: number }
  | ({ readonly kind: 'normal'; readonly mean: number; readonly deviation: number } & Bounds)
  /** `sigma`: standard deviation of the logarithm. */
  | ({ readonly kind: 'lognormal'; readonly median: number; readonly sigma: number } & Bounds)

export interface Bounds {
  readonly min?: number | undefined
  readonly max?: number | undefined
}

/** One value, not rounded. Takes two numbers from the stream, for every kind. */
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

/** An integer, at least `minimum`. */
export function drawCount(distribution: Distribution, draw: Draw, minimum: number): number {
  return Math.max(minimum, Math.round(drawValue(distribution, draw)))
}

function within(value: number, { min = 0, max = Number.POSITIVE_INFINITY }: Bounds): number {
  return Math.min(Math.max(value, min), max)
}
