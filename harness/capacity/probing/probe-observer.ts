/** Data that a search keeps about the requests of one probe. */
import { meanOf, medianOf } from '../../../contract/averages.ts'
import type { ProbeSamples } from '../../../reports/capacity/model/probe.ts'
import { milliseconds } from '../../load/metrics/samples/histogram.ts'
import { lastTimestamp, latencyOf } from '../../load/metrics/samples/latency-definitions.ts'
import type { RequestRecord } from '../../load/record.ts'
import { inFlightAtStart } from '../../load/statistics/audits.ts'
import { decideShare } from '../../load/statistics/shares.ts'
import type { Admission } from '../policy-limit.ts'
import { independentShare, type LimitCount } from '../probe.ts'
import type { ProbeLimit } from './probe-limits.ts'

interface Observed {
  readonly plannedNs: number
  readonly startNs: number
  readonly endNs: number
  /** Results of `ProbeLimit.read`, in the order of the limits. */
  readonly over: readonly (number | null)[]
  readonly outcome: RequestRecord['outcome']['kind']
  readonly ttftMs: number | null
  readonly e2eMs: number | null
  readonly tpotMs: number | null
  readonly promptTokens: number | null
  readonly outputTokens: number | null
  readonly transaction: string
}

type MeasuredWindow = Readonly<Record<'fromMs' | 'toMs', number>>

/** Samples of one probe in the report, if it has as many. */
const minSamples = 400
/** Samples for each request in flight, so that some of them have only samples beside them. */
const samplesPerInFlight = 4

/** Minimum requests before a probe may be stopped. */
const minHopeless = 100
/** Share over a limit that makes a probe hopeless, if the limit itself allows less. */
const hopelessShare = 0.5
/** Effective sample size, as a share, of requests behind one queue: pessimistic, because it ends a probe. */
const hopelessIndependence = 0.05

export class ProbeObserver {
  readonly #limits: readonly ProbeLimit[]
  readonly #requests: Observed[] = []
  #rateLimit: Readonly<Record<string, string>> = {}
  readonly #over: { over: number; requests: number }[]
  #refused = 0

  constructor(limits: readonly ProbeLimit[]) {
    this.#limits = limits
    this.#over = limits.map(() => ({ over: 0, requests: 0 }))
  }

  get size(): number {
    return this.#requests.length
  }

  /** Headers of the last 429 answer. */
  get rateLimitHeaders(): Readonly<Record<string, string>> {
    return this.#rateLimit
  }

  add(record: RequestRecord): void {
    const { timestamps, outcome, counts, transaction } = record
    const over = this.#limits.map(({ read }) => read(record))
    over.forEach((value, index) => {
      const sum = this.#over[index]
      if (sum === undefined || value === null) return
      sum.over += value
      sum.requests += 1
    })
    if (record.rateLimit !== undefined) this.#rateLimit = record.rateLimit
    if (outcome.kind === 'shed') this.#refused += 1
    this.#requests.push({
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
    })
  }

  /**
   * The limit that more than half of the requests exceed, so that the rest of the probe is not needed. 429
   * answers end no probe: they cost the target little, and their times show its rate limit.
   */
  hopeless(): string | null {
    const index = this.#over.findIndex(
      ({ over, requests }, at) =>
        requests >= minHopeless &&
        !(this.#limits[at]?.isFailures === true && this.#refused > over / 2) &&
        decideShare(
          requests,
          over,
          Math.max(hopelessShare, this.#limits[at]?.allowed ?? 1),
          hopelessIndependence,
        ).verdict === 'missed',
    )
    return this.#limits[index]?.expression ?? null
  }

  /** Share of the requests without a connection or an answer. */
  get unansweredShare(): number {
    const none = this.#requests.filter(
      ({ outcome }) => outcome === 'connect' || outcome === 'timeout' || outcome === 'unreadable',
    )
    return this.size === 0 ? 0 : none.length / this.size
  }

  /** Counts of the requests planned in the measured window. */
  counts(window: MeasuredWindow): LimitCount[] {
    const measured = this.#plannedIn(window).toSorted((a, b) => a.plannedNs - b.plannedNs)
    return this.#limits.map(({ expression, allowed }, index) => {
      const series = measured.flatMap(({ over }) => over[index] ?? [])
      return {
        slo: expression,
        allowed,
        requests: series.length,
        over: series.reduce((sum, value) => sum + value, 0),
        independent: independentShare(series),
      }
    })
  }

  /** Requests in order of sending: answered, or refused with 429. Failures of another kind are neither. */
  admissions(): readonly Admission[] {
    return this.#byStart().flatMap(({ outcome, startNs, inFlight, ttftMs, e2eMs }) =>
      outcome === 'ok' || outcome === 'integrity' || outcome === 'shed' || outcome === 'open'
        ? {
            atMs: startNs / 1e6,
            accepted: outcome !== 'shed',
            inFlight,
            latencyMs: ttftMs ?? e2eMs,
          }
        : [],
    )
  }

  /** Mean time in flight, milliseconds, of the requests planned in the window; null without any. */
  meanResidenceMs(window: MeasuredWindow): number | null {
    return meanOf(this.#plannedIn(window).map(({ startNs, endNs }) => (endNs - startNs) / 1e6))
  }

  /** Median of first-token times, or of whole times if nothing was streamed; null without any. */
  medianLatencyMs(): number | null {
    return medianOf(this.#whole.flatMap(({ ttftMs, e2eMs }) => ttftMs ?? e2eMs ?? []))
  }

  /** Median of whole times; null without any. */
  medianResidenceMs(): number | null {
    return medianOf(this.#requests.flatMap(({ e2eMs }) => e2eMs ?? []))
  }

  /** Mean number of tokens of prompts and answers; null if unknown for all. */
  meanTokens(): { readonly prompt: number | null; readonly output: number | null } {
    const whole = this.#whole
    return {
      prompt: meanOf(whole.flatMap(({ promptTokens }) => promptTokens ?? [])),
      output: meanOf(whole.flatMap(({ outputTokens }) => outputTokens ?? [])),
    }
  }

  samples(): ProbeSamples {
    const whole = this.#byStart().filter(({ outcome }) => outcome === 'ok')
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

  get #whole(): readonly Observed[] {
    return this.#requests.filter(({ outcome }) => outcome === 'ok')
  }

  #plannedIn({ fromMs, toMs }: MeasuredWindow): readonly Observed[] {
    return this.#requests.filter(
      ({ plannedNs }) => plannedNs >= fromMs * 1e6 && plannedNs < toMs * 1e6,
    )
  }

  /** Requests in order of sending, each with the number in flight when it was sent. */
  #byStart(): readonly (Observed & { readonly inFlight: number })[] {
    const byStart = this.#requests.toSorted((a, b) => a.startNs - b.startNs)
    const inFlight = inFlightAtStart(
      byStart.map(({ startNs }) => startNs),
      byStart.map(({ endNs }) => endNs),
    )
    return byStart.map((request, index) => ({ ...request, inFlight: inFlight[index] ?? 0 }))
  }
}

function rounded(ms: number): number {
  return Number(ms.toFixed(3))
}
