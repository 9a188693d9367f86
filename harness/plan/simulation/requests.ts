import { type Draw, drawsOf, hashText, standardNormal } from '../../load/plan/random.ts'

/** Lengths of a request in tokens. */
export interface RequestLength {
  readonly promptTokens: number
  /** Minimum 1. */
  readonly outputTokens: number
}

/** Requests per second, from a time until that of the next piece. */
export interface RatePiece {
  readonly fromMs: number
  readonly perSecond: number
}

/**
 * Arrivals of one of `shares` replicas behind round robin, of a Poisson process whose rate is constant
 * between two pieces: every `shares`-th arrival of the whole, so the gaps are of the gamma distribution
 * of that shape, in the integral of the rate (time change of a Poisson process, Çinlar 1975). All replicas
 * follow the same law, so one of them represents all, exactly.
 */
export function* poissonArrivals(
  pieces: readonly RatePiece[],
  untilMs: number,
  shares: number,
  draw: Draw,
): Generator<number> {
  let expected = gamma(shares, draw)
  for (const [at, { fromMs, perSecond }] of pieces.entries()) {
    const toMs = Math.min(untilMs, pieces[at + 1]?.fromMs ?? untilMs)
    let ms = fromMs
    while (perSecond > 0) {
      const next = ms + (expected / perSecond) * 1000
      if (next >= toMs) break
      yield next
      ms = next
      expected = gamma(shares, draw)
    }
    expected = Math.max(0, expected - ((toMs - ms) / 1000) * perSecond)
  }
}

/** Gamma distribution of scale 1 (Marsaglia & Tsang, ACM TOMS 26, 2000); exponential for a shape of 1. */
export function gamma(shape: number, draw: Draw): number {
  if (shape === 1) return -Math.log(1 - draw())
  const d = shape - 1 / 3
  const c = 1 / Math.sqrt(9 * d)
  for (;;) {
    const x = standardNormal(draw(), draw())
    const v = (1 + c * x) ** 3
    if (v <= 0) continue
    if (Math.log(1 - draw()) < 0.5 * x * x + d - d * v + d * Math.log(v)) return d * v
  }
}

/** Lengths drawn with replacement from those that were measured. */
export function lengthsOf(lengths: readonly RequestLength[], draw: Draw): () => RequestLength {
  return () => lengths[Math.floor(draw() * lengths.length)] ?? { promptTokens: 0, outputTokens: 1 }
}

/** A stream of numbers for one use of a seed. */
export function drawOf(seed: string, use: string, index = 0): Draw {
  return drawsOf(hashText(`${seed}/${use}`), index)
}

/** A request of a simulation; times in milliseconds, NaN for what never happened. */
export interface SimulatedRequest extends RequestLength {
  readonly atMs: number
  firstTokenMs: number
  endMs: number
}
