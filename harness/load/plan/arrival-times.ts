import { type Draw, drawsOf, hashText } from './random.ts'

/** Arrival process of an open loop. Rates are per second, times in nanoseconds. */
export type OpenArrival =
  | { readonly kind: 'constant' | 'poisson'; readonly perSecond: number }
  | {
      readonly kind: 'ramp'
      readonly process: Process
      readonly from: number
      readonly to: number
      readonly overNs: number
    }
  | { readonly kind: 'steps'; readonly process: Process; readonly steps: readonly Step[] }

export type Process = 'constant' | 'poisson'

export interface Step {
  readonly perSecond: number
  readonly forNs: number
}

/**
 * Planned moments in ascending order, below `durationNs`. A constant process is spaced evenly in the integral
 * of the rate, a Poisson process has exponential steps in it (time change of a non-homogeneous process,
 * Çinlar 1975), so one rule serves constant rates, ramps and steps. Ramps and staircases stay at their last
 * rate.
 */
export function* arrivalTimes(
  arrival: OpenArrival,
  durationNs: number,
  seed: string,
): Generator<number, void> {
  const process = 'process' in arrival ? arrival.process : arrival.kind
  const draw = drawsOf(hashText(`${seed}/arrivals`), 0)
  const pieces = piecesOf(arrival)
  // Evenly spaced arrivals start half a step in, so that no rate begins with a burst.
  let mass = process === 'constant' ? 0.5 : exponential(draw)
  let before = 0
  let start = 0
  for (const { from, to, lastsNs } of pieces) {
    const lasts = Math.min(lastsNs, durationNs - start)
    const end = from + (lastsNs === Number.POSITIVE_INFINITY ? 0 : ((to - from) * lasts) / lastsNs)
    const held = (((from + end) / 2) * lasts) / 1e9
    while (mass - before < held) {
      const at = start + timeOf(mass - before, from, end, lasts)
      if (at < durationNs) yield Math.floor(at)
      mass += process === 'constant' ? 1 : exponential(draw)
    }
    before += held
    start += lasts
    if (start >= durationNs) return
  }
}

interface Piece {
  readonly from: number
  readonly to: number
  readonly lastsNs: number
}

function piecesOf(arrival: OpenArrival): Piece[] {
  if (arrival.kind === 'ramp') {
    const { from, to, overNs } = arrival
    return [{ from, to, lastsNs: overNs }, forever(to)]
  }
  if (arrival.kind === 'steps') {
    const last = arrival.steps.at(-1)?.perSecond ?? 0
    const pieces = arrival.steps.map(({ perSecond, forNs }) => ({
      from: perSecond,
      to: perSecond,
      lastsNs: forNs,
    }))
    return [...pieces, forever(last)]
  }
  return [forever(arrival.perSecond)]
}

function forever(rate: number): Piece {
  return { from: rate, to: rate, lastsNs: Number.POSITIVE_INFINITY }
}

/** Time from the start of a piece to this number of arrivals; its rate goes from `from` to `to`. */
function timeOf(count: number, from: number, to: number, lastsNs: number): number {
  const slope = ((to - from) / lastsNs) * 1e9
  if (Math.abs(slope) < 1e-9) return (count / from) * 1e9
  const root = Math.sqrt(Math.max(0, from * from + 2 * slope * count))
  // The stable form of the quadratic formula: `from` may be 0, and `slope` small.
  return ((2 * count) / (from + root)) * 1e9
}

function exponential(draw: Draw): number {
  return -Math.log(1 - draw())
}
