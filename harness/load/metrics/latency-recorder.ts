import type { MetricName } from '../../../reports/load/model/measures.ts'
import type { RequestRecord } from '../record.ts'
import { type Clock, isOver, type RequestLimit } from '../slo/slo.ts'
import type { Cluster } from '../statistics/steady-state.ts'
import { addCounts, Histogram, type Stored, valueAt } from './samples/histogram.ts'
import {
  forEachCensored,
  forEachLatency,
  isAnswered,
  isOrdered,
  latencyOf,
} from './samples/latency-definitions.ts'

/** Counts of requests by outcome. */
const none = {
  requests: 0,
  notDispatched: 0,
  ok: 0,
  open: 0,
  /** Open requests whose answer had begun and no longer grew. */
  stalled: 0,
  shed: 0,
  /** All failures except shed. */
  failed: 0,
  abort: 0,
  churn: 0,
  'slow-reader': 0,
  race: 0,
  good: 0,
  /** Open requests that have taken longer than a good one may. */
  overdue: 0,
  /** Requests on a connection that was already open. */
  reusedConnections: 0,
  /** Requests with a timestamp before its predecessor. */
  disordered: 0,
  streams: 0,
  gaps: 0,
  /** Gaps of 0: one read brought several pieces. */
  coalescedGaps: 0,
  stalledStreams: 0,
  stalledGaps: 0,
  stalledNs: 0,
  streamedNs: 0,
  /** Streams of two or more deltas: their number, their deltas, and the reads that brought them. */
  deliveredStreams: 0,
  deltas: 0,
  contentReads: 0,
  /** Number of these streams that arrived in one read, and the deltas of all first reads. */
  inOneRead: 0,
  firstReadDeltas: 0,
  /** Complete streams with a usage: as many deltas as output tokens, more, fewer. */
  deltasEqualTokens: 0,
  deltasOverTokens: 0,
  deltasUnderTokens: 0,
}
export type OutcomeCounts = typeof none

/**
 * Number of due requests, including failed and shed ones and those that the generator did not send. Open ones
 * are unknown, and clients that leave on purpose are not users.
 */
export function countDue({ ok, shed, failed, notDispatched }: OutcomeCounts): number {
  return ok + shed + failed + notDispatched
}

export function countAbandoned(outcomes: OutcomeCounts): number {
  return outcomes.abort + outcomes.churn + outcomes['slow-reader'] + outcomes.race
}

/** Number of requests of which it is known whether they are good. */
export function countDecided(outcomes: OutcomeCounts): number {
  return countDue(outcomes) + outcomes.overdue
}

/**
 * A request is good if it is `ok` and meets every limit; a latency that it lacks breaks none. An open one is not
 * good once it has stalled or taken longer, and unknown (null) before, as is one that was left on purpose.
 */
export function isGood(record: RequestRecord, limits: readonly RequestLimit[]): boolean | null {
  const { outcome } = record
  if (outcome.kind === 'abandoned') return null
  if (outcome.kind === 'open') {
    return outcome.isStalled || limits.some((limit) => hasWaitedLonger(record, limit))
      ? false
      : null
  }
  if (outcome.kind !== 'ok') return false
  return limits.every((limit) => {
    const ns = latencyOf(record, limit.metric, limit.clock)
    return ns === null || !isOver(limit, ns)
  })
}

/** True if the event of a limit had not come when it was due. */
export function hasWaitedLonger(record: RequestRecord, limit: RequestLimit): boolean {
  let over = false
  forEachCensored(record, (metric, clock, waitedNs) => {
    if (metric === limit.metric && clock === limit.clock) over ||= isOver(limit, waitedNs)
  })
  return over
}

export interface MetricsConfig {
  /** Duration of the plan, without the drain. */
  readonly durationNs: number
  /** Limits that a good request meets. */
  readonly limits: readonly RequestLimit[]
  /** A gap over this is a stall. */
  readonly stallNs: number
}

/** Statistics of the requests of one transaction that were planned in one slice of the run. */
export class LatencyRecorder {
  readonly outcomes: OutcomeCounts = { ...none }
  /** Latencies, and the waits that are known only to have taken longer. */
  readonly ended = new Map<string, Histogram>()
  readonly waiting = new Map<string, Histogram>()

  add(record: RequestRecord, { limits, stallNs }: Pick<MetricsConfig, 'limits' | 'stallNs'>): void {
    const { outcomes } = this
    outcomes.requests++
    outcomes[outcomeKey(record)]++
    const good = isGood(record, limits)
    if (good === true) outcomes.good++
    if (good === false && record.outcome.kind === 'open') outcomes.overdue++
    if (record.outcome.kind === 'open' && record.outcome.isStalled) outcomes.stalled++
    if (!isOrdered(record)) outcomes.disordered++
    const { counts, timestamps } = record
    if (!counts.newConnection && timestamps.sent !== null) outcomes.reusedConnections++
    forEachLatency(record, (metric, clock, ns) => at(this.ended, metric, clock).add(ns))
    forEachCensored(record, (metric, clock, ns) => at(this.waiting, metric, clock).add(ns))
    if (isAnswered(record) && record.outcome.kind !== 'abandoned') this.#addGaps(record, stallNs)
  }

  latencies(metric: MetricName, clock: Clock): Histogram {
    return this.ended.get(`${clock} ${metric}`) ?? new Histogram()
  }

  censored(metric: MetricName, clock: Clock): Histogram {
    return this.waiting.get(`${clock} ${metric}`) ?? new Histogram()
  }

  /** Values over a limit, with those of open requests that have waited longer, and all values. */
  over({ metric, clock, limitNs, inclusive }: RequestLimit): Cluster {
    const ended = this.latencies(metric, clock)
    const stillOver = this.censored(metric, clock).countOver(limitNs, inclusive)
    return { count: ended.countOver(limitNs, inclusive) + stillOver, of: ended.count + stillOver }
  }

  /** Maximum effective sample size, as a share: all gaps of one stream are worth one value. */
  streamShare(metric: MetricName): number {
    const { streams, gaps } = this.outcomes
    return metric === 'icl' && gaps > 0 ? Math.min(1, streams / gaps) : 1
  }

  merge(other: LatencyData): void {
    addCounts(this.outcomes, other.outcomes, outcomeKeys)
    mergeAll(this.ended, other.ended)
    mergeAll(this.waiting, other.waiting)
  }

  #addGaps(record: RequestRecord, stallNs: number): void {
    const { timestamps, gapsNs } = record
    const { outcomes } = this
    if (timestamps.firstGenerated === null || timestamps.lastGenerated === null) return
    outcomes.streams++
    outcomes.streamedNs += Math.round(timestamps.lastGenerated - timestamps.firstGenerated)
    if (gapsNs.length === 0) return
    const gaps = at(this.ended, 'icl', 'service')
    let stalls = 0
    let reads = 1
    for (const gap of gapsNs) {
      gaps.add(gap)
      if (gap > 0) reads++
      if (gap <= stallNs) continue
      stalls++
      outcomes.stalledNs += Math.round(gap)
    }
    outcomes.gaps += gapsNs.length
    outcomes.coalescedGaps += gapsNs.length + 1 - reads
    outcomes.stalledGaps += stalls
    if (stalls > 0) outcomes.stalledStreams++
    this.#addDelivery(record, reads)
  }

  /** Gaps within one read are 0. */
  #addDelivery({ gapsNs, counts, timestamps }: RequestRecord, reads: number): void {
    const { outcomes } = this
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
  return valueAt(map, `${clock} ${metric}`, () => new Histogram())
}

function mergeAll(own: Map<string, Histogram>, other: LatencyData['ended']): void {
  for (const [key, buckets] of other) valueAt(own, key, () => new Histogram()).merge(buckets)
}

const outcomeKeys = Object.keys(none) as (keyof OutcomeCounts)[]

type LatencyData = Stored<Pick<LatencyRecorder, 'outcomes' | 'ended' | 'waiting'>>

/** Statistics of requests by the slice of the run in which they were planned, and by a key. */
export class LatencyGroups {
  readonly slices = new Map<number, Map<string, LatencyRecorder>>()

  at(slice: number, key: string): LatencyRecorder {
    const groups = valueAt(this.slices, slice, () => new Map())
    return valueAt(groups, key, () => new LatencyRecorder())
  }

  merge(other: Stored<Pick<LatencyGroups, 'slices'>>): void {
    for (const [slice, groups] of other.slices) {
      for (const [key, group] of groups) this.at(slice, key).merge(group)
    }
  }

  /** Sum of the groups with matching keys, in the slices from one up to another. */
  sum(from: number, to: number, fits: (key: string) => boolean): LatencyRecorder {
    const sum = new LatencyRecorder()
    for (const [slice, groups] of this.slices) {
      if (slice < from || slice >= to) continue
      for (const [key, group] of groups) if (fits(key)) sum.merge(group)
    }
    return sum
  }
}
