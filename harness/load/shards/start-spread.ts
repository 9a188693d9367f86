import type { LoadReport } from '../../../contract/report/load/report.ts'

/** Starts of the shards of a run, by the clock of their target. */
export type StartSpread = NonNullable<LoadReport['shards']>

/** Shards that start further apart do not send the load that was planned. */
const maxSpreadMs = 100

/**
 * Spread of the starts of shards. Latencies are differences of one clock, so skew changes none of them;
 * but a shard that starts late by the common clock sends its part of the plan late, and its response
 * times, counted from the common plan, would be longer by as much. `boundMs` limits that.
 */
export function startSpreadOf(reports: readonly LoadReport[]): StartSpread {
  const starts = reports.map(({ startedAt, clock }) => ({
    localMs: Date.parse(startedAt),
    clock: clock ?? null,
  }))
  const offsets = starts.flatMap(({ localMs, clock }) =>
    clock === null ? [] : [{ atMs: localMs + clock.offsetMs, clock }],
  )
  const count = reports.length
  const localSpreadMs = spread(starts.map(({ localMs }) => localMs))
  if (offsets.length < count) {
    return {
      count,
      localSpreadMs,
      skewMs: null,
      spreadMs: null,
      uncertaintyMs: null,
      boundMs: null,
    }
  }
  const spreadMs = spread(offsets.map(({ atMs }) => atMs))
  const skewMs = spread(offsets.map(({ clock }) => clock.offsetMs))
  // Two shards differ by the uncertainty of both at most; the two largest are the worst pair.
  const uncertaintyMs = offsets
    .map(({ clock }) => clock.uncertaintyMs)
    .toSorted((a, b) => b - a)
    .slice(0, 2)
    .reduce((sum, ms) => sum + ms, 0)
  return {
    count,
    localSpreadMs,
    skewMs,
    spreadMs,
    uncertaintyMs,
    boundMs: spreadMs + uncertaintyMs,
  }
}

/** Reason for which the merged load is not the planned one; null where it is, or may be. */
export function spreadReason(
  { spreadMs, uncertaintyMs, localSpreadMs }: StartSpread,
  hasStartAt: boolean,
): string | null {
  const certain = spreadMs === null || uncertaintyMs === null ? null : spreadMs - uncertaintyMs
  if (!hasStartAt || certain === null || certain <= maxSpreadMs) return null
  return `the shards started ${milliseconds(certain)} or more apart by the clock of the target, and ${milliseconds(localSpreadMs)} by their own clocks: synchronize the clocks`
}

export function spreadNote({ skewMs, spreadMs, uncertaintyMs, boundMs }: StartSpread): string {
  if (skewMs === null || spreadMs === null || uncertaintyMs === null || boundMs === null) {
    return 'clock skew between the shards is unknown: no answer of the target told its time (Date), or several clocks did'
  }
  return `clock skew between the shards: ${milliseconds(skewMs)} ± ${milliseconds(uncertaintyMs)}; they started ${milliseconds(spreadMs)} apart, so response times counted from the common plan are at most ${milliseconds(boundMs)} longer than merged`
}

function spread(values: readonly number[]): number {
  return Math.max(...values) - Math.min(...values)
}

function milliseconds(ms: number): string {
  return `${ms < 10 ? ms.toFixed(1) : ms.toFixed(0)} ms`
}
