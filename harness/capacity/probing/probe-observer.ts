/** Data that a search keeps about the requests of one probe. */
import { medianOf } from '../../../contract/averages.ts'
import type { ProbeSamples } from '../../../reports/capacity/model/probe.ts'
import { milliseconds } from '../../load/metrics/samples/histogram.ts'
import { lastTimestamp, latencyOf } from '../../load/metrics/samples/latency-definitions.ts'
import { isPreparation, type RequestRecord } from '../../load/record.ts'
import { inFlightAtStart } from '../../load/statistics/audits.ts'
import { decideShare } from '../../load/statistics/shares.ts'
import type { Admission } from '../policy-limit.ts'
import type { ProbeLimit } from './probe-limits.ts'

/** Samples of one probe in the report, if it has as many. */
const minSamples = 400
/** Samples for each request in flight, so that some of them have only samples running concurrently. */
const samplesPerInFlight = 4

/** Minimum requests before a probe may be stopped. */
const minHopeless = 100
/** Share over a limit that makes a probe hopeless, if the limit itself allows less. */
const hopelessShare = 0.5
/** Effective sample size, as a share, of requests behind one queue: pessimistic, because it ends a probe. */
const hopelessIndependence = 0.05

export class ProbeObserver {
  readonly limits: readonly ProbeLimit[]
  readonly requests: ObservedRequest[] = []
  /** Headers of the last 429 answer. */
  rateLimitHeaders: Readonly<Record<string, string>> = {}
  readonly #sums: readonly { readonly limit: ProbeLimit; over: number; requests: number }[]
  #refused = 0

  constructor(limits: readonly ProbeLimit[]) {
    this.limits = limits
    this.#sums = limits.map((limit) => ({ limit, over: 0, requests: 0 }))
  }

  add(record: RequestRecord): void {
    const isCounted = !isPreparation(record)
    const over = this.#sums.map((sum) => {
      const value = isCounted ? sum.limit.read(record) : null
      sum.over += value ?? 0
      sum.requests += Number(value !== null)
      return value
    })
    if (record.rateLimit !== undefined) this.rateLimitHeaders = record.rateLimit
    if (record.outcome.kind === 'shed') this.#refused += 1
    this.requests.push(observed(record, over))
  }

  /**
   * The limit that more than half of the requests exceed, so that the rest of the probe is not needed. 429
   * answers end no probe: they cost the target little, and their times show its rate limit.
   */
  hopeless(): string | null {
    const found = this.#sums.find(({ limit, over, requests }) => {
      if (requests < minHopeless || (limit.isFailures && this.#refused > over / 2)) return false
      const allowed = Math.max(hopelessShare, limit.allowed)
      return decideShare(requests, over, allowed, hopelessIndependence).verdict === 'missed'
    })
    return found?.limit.expression ?? null
  }
}

/** A request of a probe. */
export type ObservedRequest = ReturnType<typeof observed>

/** @param over results of `ProbeLimit.read`, in the order of the limits */
function observed(record: RequestRecord, over: readonly (number | null)[]) {
  const { timestamps, outcome, counts, transaction } = record
  return {
    plannedNs: timestamps.planned,
    startNs: timestamps.sent ?? timestamps.dispatched,
    endNs: lastTimestamp(record),
    over,
    outcome: outcome.kind,
    ttftMs: milliseconds(latencyOf(record, 'ttft', 'service')),
    e2eMs: milliseconds(latencyOf(record, 'e2e', 'service')),
    tpotMs: milliseconds(latencyOf(record, 'tpot', 'service')),
    promptTokens: counts.inputTokens,
    outputTokens: counts.outputTokens,
    transaction,
    isPreparation: isPreparation(record),
  }
}

/** Fully answered requests, without those that only prepared another. */
export function answered(requests: readonly ObservedRequest[]): readonly ObservedRequest[] {
  return requests.filter((request) => request.outcome === 'ok' && !request.isPreparation)
}

/** Median of first-token times, or of whole times if nothing was streamed; null without any. */
export function medianLatencyMs(requests: readonly ObservedRequest[]): number | null {
  return medianOf(answered(requests).flatMap(({ ttftMs, e2eMs }) => ttftMs ?? e2eMs ?? []))
}

/** Requests in order of sending: answered, or refused with 429. Failures of another kind are neither. */
export function admissionsOf(requests: readonly ObservedRequest[]): readonly Admission[] {
  const counted: readonly string[] = ['ok', 'integrity', 'shed', 'open']
  return byStart(requests)
    .filter(({ outcome }) => counted.includes(outcome))
    .map(({ outcome, startNs, inFlight, ttftMs, e2eMs }) => {
      const [atMs, accepted] = [startNs / 1e6, outcome !== 'shed']
      return { atMs, accepted, inFlight, latencyMs: ttftMs ?? e2eMs }
    })
}

export function samplesOf(requests: readonly ObservedRequest[]): ProbeSamples {
  const whole = byStart(requests).filter(({ outcome }) => outcome === 'ok')
  const highest = whole.reduce((max, { inFlight }) => Math.max(max, inFlight), 0)
  const drawn = whole.slice(0, Math.max(minSamples, samplesPerInFlight * highest))
  return {
    of: whole.length,
    sentMs: drawn.map(({ startNs }) => rounded(startNs / 1e6)),
    transaction: drawn.map(({ transaction }) => transaction),
    promptTokens: drawn.map(({ promptTokens }) => promptTokens),
    outputTokens: drawn.map(({ outputTokens }) => outputTokens),
    ttftMs: drawn.map(({ ttftMs }) => ttftMs && rounded(ttftMs)),
    e2eMs: drawn.map(({ e2eMs }) => e2eMs && rounded(e2eMs)),
    tpotMs: drawn.map(({ tpotMs }) => tpotMs && rounded(tpotMs)),
    inFlight: drawn.map((sample) => sample.inFlight),
  }
}

/** Requests in order of sending, each with the number in flight when it was sent. */
function byStart(requests: readonly ObservedRequest[]) {
  const sorted = requests.toSorted((a, b) => a.startNs - b.startNs)
  const inFlight = inFlightAtStart(
    sorted.map(({ startNs }) => startNs),
    sorted.map(({ endNs }) => endNs),
  )
  return sorted.map((request, index) => ({ ...request, inFlight: inFlight[index] ?? 0 }))
}

function rounded(ms: number): number {
  return Number(ms.toFixed(3))
}
