import type { MetricName } from '../../../contract/report/load/measures.ts'
import type { RequestRecord } from '../record.ts'
import type { Clock, RequestLimit } from '../slo/slo.ts'
import { Histogram, type StoredHistogram } from './samples/histogram.ts'
import {
  forEachCensored,
  forEachLatency,
  isAnswered,
  isOrdered,
  latencyOf,
} from './samples/latency-definitions.ts'

/** Counts of requests, by what became of them. */
export interface OutcomeCounts {
  requests: number
  notDispatched: number
  ok: number
  open: number
  shed: number
  /** Every failure but shed. */
  failed: number
  abort: number
  churn: number
  'slow-reader': number
  race: number
  good: number
  newConnections: number
  reusedConnections: number
  /** Requests of which a stamp lies before the one that it follows on. */
  disordered: number
  streams: number
  gaps: number
  /** Gaps of 0: one read brought several pieces. */
  coalescedGaps: number
  stalledStreams: number
  stalledGaps: number
  stalledNs: number
  streamedNs: number
  /** Streams of two deltas or more: their number, their deltas, and the reads that brought those. */
  deliveredStreams: number
  deltas: number
  contentReads: number
  /** Number of these streams that arrived in one read, and the deltas of all first reads. */
  inOneRead: number
  firstReadDeltas: number
  /** Complete streams with a usage: as many deltas as output tokens, more, fewer. */
  deltasEqualTokens: number
  deltasOverTokens: number
  deltasUnderTokens: number
}

export interface StoredLatencies {
  readonly outcomes: OutcomeCounts
  readonly latencies: readonly (readonly [key: string, buckets: StoredHistogram])[]
  readonly censored: readonly (readonly [key: string, buckets: StoredHistogram])[]
}

/** A request is good where it is `ok` and keeps every limit; a latency that it has not breaks none. */
export function isGood(record: RequestRecord, limits: readonly RequestLimit[]): boolean {
  if (record.outcome.kind !== 'ok') return false
  return limits.every(({ metric, clock, limitNs, inclusive }) => {
    const ns = latencyOf(record, metric, clock)
    return ns === null || (inclusive ? ns <= limitNs : ns < limitNs)
  })
}

export interface LatencyRecorderConfig {
  readonly limits: readonly RequestLimit[]
  /** A gap over this is a stall. */
  readonly stallNs: number
}

/** Statistics of the requests of one transaction that were planned in one slice of the run. */
export class LatencyRecorder {
  readonly outcomes: OutcomeCounts = { ...none }
  readonly #latencies = new Map<string, Histogram>()
  readonly #censored = new Map<string, Histogram>()

  static from({ outcomes, latencies, censored }: StoredLatencies): LatencyRecorder {
    const group = new LatencyRecorder()
    Object.assign(group.outcomes, outcomes)
    for (const [key, stored] of latencies) group.#latencies.set(key, Histogram.from(stored))
    for (const [key, stored] of censored) group.#censored.set(key, Histogram.from(stored))
    return group
  }

  add(record: RequestRecord, { limits, stallNs }: LatencyRecorderConfig): void {
    const { outcomes } = this
    outcomes.requests++
    outcomes[outcomeKey(record)]++
    if (isGood(record, limits)) outcomes.good++
    if (!isOrdered(record)) outcomes.disordered++
    if (record.counts.newConnection) outcomes.newConnections++
    else if (record.timestamps.sent !== null) outcomes.reusedConnections++
    forEachLatency(record, (metric, clock, ns) => at(this.#latencies, metric, clock).add(ns))
    forEachCensored(record, (metric, clock, ns) => at(this.#censored, metric, clock).add(ns))
    if (isAnswered(record) && record.outcome.kind !== 'abandoned') this.#addGaps(record, stallNs)
  }

  latencies(metric: MetricName, clock: Clock): Histogram | undefined {
    return this.#latencies.get(`${clock} ${metric}`)
  }

  censored(metric: MetricName, clock: Clock): Histogram | undefined {
    return this.#censored.get(`${clock} ${metric}`)
  }

  merge(other: LatencyRecorder): void {
    for (const key of outcomeKeys) this.outcomes[key] += other.outcomes[key]
    for (const [key, buckets] of other.#latencies) mergeAt(this.#latencies, key, buckets)
    for (const [key, buckets] of other.#censored) mergeAt(this.#censored, key, buckets)
  }

  store(): StoredLatencies {
    const stored = (map: ReadonlyMap<string, Histogram>) =>
      [...map]
        .map(([key, buckets]) => [key, buckets.store()] as const)
        .sort(([a], [b]) => (a < b ? -1 : 1))
    return {
      outcomes: { ...this.outcomes },
      latencies: stored(this.#latencies),
      censored: stored(this.#censored),
    }
  }

  #addGaps(record: RequestRecord, stallNs: number): void {
    const { timestamps, gapsNs } = record
    const { outcomes } = this
    if (timestamps.firstGenerated === null || timestamps.lastGenerated === null) return
    outcomes.streams++
    outcomes.streamedNs += Math.round(timestamps.lastGenerated - timestamps.firstGenerated)
    if (gapsNs.length === 0) return
    this.#addDelivery(record)
    const gaps = at(this.#latencies, 'icl', 'service')
    let stalls = 0
    for (const gap of gapsNs) {
      gaps.add(gap)
      if (gap === 0) outcomes.coalescedGaps++
      if (gap <= stallNs) continue
      stalls++
      outcomes.stalledNs += Math.round(gap)
    }
    outcomes.gaps += gapsNs.length
    outcomes.stalledGaps += stalls
    if (stalls > 0) outcomes.stalledStreams++
  }

  /** Gaps within one read are 0. */
  #addDelivery({ gapsNs, counts, timestamps }: RequestRecord): void {
    const { outcomes } = this
    const reads = 1 + gapsNs.reduce((count, gap) => count + (gap > 0 ? 1 : 0), 0)
    const second = gapsNs.findIndex((gap) => gap > 0)
    outcomes.deliveredStreams++
    outcomes.deltas += gapsNs.length + 1
    outcomes.contentReads += reads
    outcomes.firstReadDeltas += 1 + (second < 0 ? gapsNs.length : second)
    if (reads === 1) outcomes.inOneRead++
    const tokens = counts.streamedTokens
    if (tokens === null || timestamps.terminal === null) return
    const surplus = gapsNs.length + 1 - tokens
    if (surplus === 0) outcomes.deltasEqualTokens++
    else if (surplus > 0) outcomes.deltasOverTokens++
    else outcomes.deltasUnderTokens++
  }
}

function outcomeKey({ outcome }: RequestRecord): keyof OutcomeCounts {
  if (outcome.kind === 'abandoned') return outcome.why
  if (outcome.kind === 'ok' || outcome.kind === 'open' || outcome.kind === 'shed') {
    return outcome.kind
  }
  return 'failed'
}

function at(map: Map<string, Histogram>, metric: MetricName, clock: Clock): Histogram {
  const key = `${clock} ${metric}`
  const found = map.get(key)
  if (found !== undefined) return found
  const made = new Histogram()
  map.set(key, made)
  return made
}

function mergeAt(map: Map<string, Histogram>, key: string, buckets: Histogram): void {
  const own = map.get(key) ?? new Histogram()
  own.merge(buckets)
  map.set(key, own)
}

const none: OutcomeCounts = {
  requests: 0,
  notDispatched: 0,
  ok: 0,
  open: 0,
  shed: 0,
  failed: 0,
  abort: 0,
  churn: 0,
  'slow-reader': 0,
  race: 0,
  good: 0,
  newConnections: 0,
  reusedConnections: 0,
  disordered: 0,
  streams: 0,
  gaps: 0,
  coalescedGaps: 0,
  stalledStreams: 0,
  stalledGaps: 0,
  stalledNs: 0,
  streamedNs: 0,
  deliveredStreams: 0,
  deltas: 0,
  contentReads: 0,
  inOneRead: 0,
  firstReadDeltas: 0,
  deltasEqualTokens: 0,
  deltasOverTokens: 0,
  deltasUnderTokens: 0,
}

const outcomeKeys = Object.keys(none) as (keyof OutcomeCounts)[]
