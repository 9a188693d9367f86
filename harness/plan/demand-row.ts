import type { PlanDemand } from '../../contract/report/plan.ts'
import type { PlannedDemand } from './options.ts'
import { busiest, type DemandTrace, part, requestsWithin, timeLabel } from './trace.ts'

export const hourMs = 3_600_000

/**
 * The demand of a plan; of a trace, its hours and its peak.
 * @param perReplica requests a second of one replica, by which the replicas of each hour are computed; null
 * leaves the hours out
 */
export function demandRow(demand: PlannedDemand, perReplica: number | null): PlanDemand {
  if (demand.kind !== 'trace') return demand
  const { file, trace } = demand
  const { fromMs, toMs } = busiest(trace, hourMs)
  const minute = busiest({ pieces: part(trace, fromMs, toMs), durationMs: toMs - fromMs }, 60_000)
  const inMinute = requestsWithin(trace, fromMs + minute.fromMs, fromMs + minute.toMs)
  const hourCount = perReplica === null ? 0 : Math.ceil(trace.durationMs / hourMs)
  const hours = Array.from({ length: hourCount }, (_, at) => {
    const [from, to] = [at * hourMs, Math.min(trace.durationMs, (at + 1) * hourMs)]
    const requests = requestsWithin(trace, from, to)
    const perSecond = (requests / (to - from)) * 1000
    return {
      fromMs: from,
      label: timeLabel(trace, from),
      requests,
      perSecond,
      replicas: Math.max(perSecond > 0 ? 1 : 0, Math.ceil(perSecond / (perReplica ?? 1) - 1e-9)),
    }
  })
  return {
    kind: 'trace',
    file,
    durationMs: trace.durationMs,
    requests: trace.requests,
    peak: {
      fromMs,
      toMs,
      label: `${timeLabel(trace, fromMs)} to ${timeLabel(trace, toMs)}`,
      perSecond: peakRateOf(trace),
      maxPerSecond: (inMinute / (minute.toMs - minute.fromMs)) * 1000,
    },
    hours,
  }
}

/** Requests a second in the hour of the peak. */
export function peakRateOf(trace: DemandTrace): number {
  const { fromMs, toMs } = busiest(trace, hourMs)
  return (requestsWithin(trace, fromMs, toMs) / (toMs - fromMs)) * 1000
}
