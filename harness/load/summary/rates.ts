import type { Goodput, Rates, Stalls } from '../../../contract/report/load/measures.ts'
import type { Disturbances, ErrorRow } from '../../../contract/report/load/report.ts'
import type { LatencyRecorder, OutcomeCounts } from '../metrics/latency-recorder.ts'
import type { RunMetrics } from '../metrics/run-metrics.ts'
import type { MeasuredWindow } from './window.ts'

/** Five rates, each by the moment at which the thing happened, so that the drain is in none. */
export function ratesOf(run: RunMetrics, window: MeasuredWindow): Rates {
  const { planned, dispatched, completed, shed, failed } = run.slices.sum(window.from, window.to)
  const rate = (count: number) => ({ count, perSecond: count / secondsOf(window) })
  return {
    offered: rate(planned),
    dispatched: rate(dispatched),
    completed: rate(completed),
    shed: rate(shed),
    failed: rate(failed),
  }
}

/** Goodput by the planned moment, whenever the answer came. */
export function goodputOf({ outcomes }: LatencyRecorder, window: MeasuredWindow): Goodput {
  const due = countDue(outcomes)
  const { good } = outcomes
  return { good, due, share: due === 0 ? null : good / due, perSecond: good / secondsOf(window) }
}

/**
 * Requests of which something was due: failed ones, shed ones and those that the generator did not
 * get to are among them. What was open at the end is not known, and who left on purpose is no user.
 */
export function countDue(outcomes: OutcomeCounts): number {
  const { ok, shed, failed, notDispatched } = outcomes
  return ok + shed + failed + notDispatched
}

export function countAbandoned(outcomes: OutcomeCounts): number {
  return outcomes.abort + outcomes.churn + outcomes['slow-reader'] + outcomes.race
}

export function stallsOf(group: LatencyRecorder, stallNs: number): Stalls | null {
  const { streams, stalledStreams, stalledGaps, stalledNs, streamedNs, gaps, coalescedGaps } =
    group.outcomes
  if (streams === 0) return null
  const maxGapNs = group.latencies('icl', 'service')?.maxNs ?? null
  return {
    overMs: stallNs / 1e6,
    streams,
    stalled: stalledStreams,
    stalls: stalledGaps,
    share: streamedNs === 0 ? 0 : stalledNs / streamedNs,
    longestMs: maxGapNs === null ? null : maxGapNs / 1e6,
    gaps,
    coalesced: gaps === 0 ? 0 : coalescedGaps / gaps,
  }
}

function secondsOf({ fromNs, toNs }: MeasuredWindow): number {
  return (toNs - fromNs) / 1e9
}

/** Counts failures by responsible party. Load never retries. */
export function disturbancesOf(errors: readonly ErrorRow[]): Disturbances {
  const number = (is: (row: ErrorRow) => boolean) =>
    errors.filter(is).reduce((sum, { count }) => sum + count, 0)
  const isServerError = ({ kind, detail }: ErrorRow) => kind === 'status' && /^5\d\d$/.test(detail)
  return {
    tooManyRequests: number(({ kind }) => kind === 'shed'),
    serverErrors: number(isServerError),
    otherErrors: number((row) => row.kind === 'status' && !isServerError(row)),
    errorEvents: number(({ kind }) => kind === 'in-band-error'),
    unanswered: number((row) => row.kind === 'connect' && !isDropped(row) && !isUnreadable(row)),
    droppedConnections: number(isDropped),
    unreadable: number(isUnreadable),
    timeouts: number(({ kind }) => kind === 'timeout'),
    retries: 0,
  }
}

/** The request was written; the connection ended before its answer did. */
function isDropped({ kind, detail }: ErrorRow): boolean {
  if (kind === 'connect') return detail.endsWith(' before headers')
  return (
    kind === 'truncated' && (detail === 'the connection was cut' || detail.startsWith('HTTP/2 '))
  )
}

/** Bytes came that are no answer of HTTP, or that have no end. */
function isUnreadable({ kind, detail }: ErrorRow): boolean {
  return kind === 'limit' || (kind === 'connect' && detail.startsWith('not an HTTP'))
}
