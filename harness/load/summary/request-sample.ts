import type { RequestSample } from '../../../contract/report/load-measures.ts'
import type { RunMetrics } from '../metrics/run-metrics.ts'

/** Requests that a report keeps: enough to tell how latency depends on length. */
const maxRequests = 512

/** The first requests of the measured window that the sample of the run holds. */
export function requestSample(run: RunMetrics, fromNs: number, toNs: number): RequestSample {
  const requests = run.sample
    .blocks()
    .flat()
    .filter(({ plannedNs }) => plannedNs >= fromNs && plannedNs < toNs)
    .slice(0, maxRequests)
  return {
    atMs: requests.map(({ plannedNs }) => milliseconds(plannedNs)),
    inputTokens: requests.map(({ inputTokens = null }) => inputTokens),
    outputTokens: requests.map(({ outputTokens = null }) => outputTokens),
    ttftMs: requests.map(({ ttftNs }) => (ttftNs === null ? null : milliseconds(ttftNs))),
    e2eMs: requests.map(({ e2eNs }) => (e2eNs === null ? null : milliseconds(e2eNs))),
  }
}

/** Hundredths are enough: timestamps are no better. */
function milliseconds(ns: number): number {
  return Math.round(ns / 1e4) / 100
}
