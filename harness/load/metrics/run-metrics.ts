import type { RecordsMessage } from '../engine/worker-thread.ts'
import { GeneratorMonitor } from '../generator/generator-monitor.ts'
import { DuplicateIdDetector } from '../judging/integrity.ts'
import type { PlanSpec } from '../plan/plan.ts'
import { mix32 } from '../plan/random.ts'
import { isPreparation, type RequestRecord } from '../record.ts'
import { goodputLimits, type Slo } from '../slo/slo.ts'
import { LatencyGroups, type LatencyRecorder, type MetricsConfig } from './latency-recorder.ts'
import { Failures, TransactionStats } from './outcome-counts.ts'
import { type Stored, valueAt } from './samples/histogram.ts'
import { forEachContentArrival, lastTimestamp, latencyOf } from './samples/latency-definitions.ts'
import { SecondQuantiles, Timeline } from './timeline.ts'

/** A gap between fragments that a reader of the text would notice. */
const stallNs = 500_000_000

/** Accumulates all results of a run in bounded memory. */
export class RunRecorder {
  readonly metrics: RunMetrics
  readonly generator = new GeneratorMonitor()
  readonly ids = new DuplicateIdDetector()
  requests = 0
  failed = 0
  inFlight = 0
  dropped = 0
  readonly #inFlight: number[] = []

  constructor({ durationNs }: Pick<PlanSpec, 'durationNs'>, slos: readonly Slo[]) {
    this.metrics = new RunMetrics({
      durationNs,
      limits: goodputLimits(slos),
      stallNs,
    })
  }

  add(worker: number, { records, ids, dropped, inFlight }: RecordsMessage): void {
    for (const record of records) {
      this.requests += 1
      if ('detail' in record.outcome) this.failed += 1
      this.metrics.add(record)
      this.generator.add(worker, record)
    }
    for (const id of ids) this.ids.add(id)
    this.dropped += dropped.length
    for (const arrival of dropped) this.metrics.addNotDispatched(...arrival)
    this.#inFlight[worker] = inFlight
    this.inFlight = this.#inFlight.reduce((sum, count) => sum + count, 0)
  }
}

/** Number of slices into which the plan is cut, so that a warm-up can be left out when its end is known. */
const sliceCount = 40
const secondNs = 1e9

/**
 * All data kept about the requests of a run, added one at a time: histograms by slice and transaction,
 * counters by second, a bounded sample. Memory does not grow with the number of requests. Parts from
 * different workers or shards merge, in any order, to the same data as if one had seen every request; for
 * that, all sums are of integers.
 */
export class RunMetrics {
  readonly config: MetricsConfig
  readonly slices: Timeline
  readonly seconds = new Timeline(secondNs)
  readonly secondQuantiles = new SecondQuantiles()
  readonly failures = new Failures()
  readonly transactions = new TransactionStats()
  readonly sample = new BottomKSample()
  readonly groups = new LatencyGroups()

  constructor(config: MetricsConfig) {
    this.config = config
    this.slices = new Timeline(Math.max(1, Math.ceil(config.durationNs / sliceCount)))
  }

  add(record: RequestRecord): void {
    const { transaction, timestamps, outcome, endpoint } = record
    this.transactions.add(record)
    if (isPreparation(record)) return
    const key = keyOf({ transaction, endpoint })
    const slice = this.slices.indexOf(timestamps.planned)
    this.groups.at(slice, key).add(record, this.config)
    for (const timeline of [this.slices, this.seconds]) addTo(timeline, record)
    this.secondQuantiles.add(record)
    forEachContentArrival(record, (at, tokens, bytes, gap) => {
      this.slices.addContent(at, tokens, bytes)
      this.seconds.addContent(at, tokens, bytes)
      if (outcome.kind !== 'abandoned') this.secondQuantiles.put('icl', at, gap)
    })
    this.failures.add(record)
    if (outcome.kind !== 'abandoned') this.sample.add(sampledOf(record))
  }

  /** Adds a due arrival that the generator did not send. */
  addNotDispatched(plannedNs: number, transaction: string): void {
    this.groups.at(this.slices.indexOf(plannedNs), keyOf({ transaction })).outcomes.notDispatched++
    for (const timeline of [this.slices, this.seconds]) timeline.at(plannedNs).planned++
  }

  /** @throws RangeError for parts of different runs, or of one run that was measured with different settings */
  merge(other: MetricsData): this {
    if (JSON.stringify(this.config) !== JSON.stringify(other.config)) {
      throw new RangeError('the parts were measured with different settings')
    }
    this.groups.merge(other.groups)
    this.slices.merge(other.slices)
    this.seconds.merge(other.seconds)
    this.secondQuantiles.merge(other.secondQuantiles)
    this.failures.merge(other.failures)
    this.transactions.merge(other.transactions)
    this.sample.merge(other.sample)
    return this
  }

  /** Requests planned in the slices from one up to another, optionally of one group only. */
  group(from: number, to: number, only: Group = {}): LatencyRecorder {
    const filter = keyOf(only).split(separator)
    return this.groups.sum(from, to, (key) => {
      return key.split(separator).every((part, at) => filter[at] === '' || filter[at] === part)
    })
  }
}

export type MetricsData = Stored<RunMetrics>

/** A transaction, and an endpoint of a target with several. */
interface Group {
  readonly transaction?: string
  readonly endpoint?: number | undefined
}

function keyOf({ transaction, endpoint }: Group): string {
  return [transaction, endpoint].join(separator)
}

/** Character that occurs in no transaction name. */
const separator = '\u0000'

function addTo(timeline: Timeline, record: RequestRecord): void {
  const { timestamps, outcome } = record
  const end = lastTimestamp(record)
  timeline.at(timestamps.planned).planned++
  timeline.at(timestamps.dispatched).dispatched++
  timeline.addInFlight(timestamps.dispatched, end)
  if (outcome.kind === 'ok') timeline.at(end).completed++
  else if (outcome.kind === 'shed') timeline.at(end).shed++
  else if (outcome.kind !== 'open' && outcome.kind !== 'abandoned') timeline.at(end).failed++
}

/** One request of the sample. */
export type SampledRequest = Readonly<ReturnType<typeof sampledOf>>

const blockSize = 64
const maxBlocks = 128

/**
 * A bounded sample in plan order, for what histograms lose: the end of the warm-up, and whether the run drifts. It
 * holds whole blocks of 64 neighboring arrivals: all of them up to 8,192 arrivals, and beyond that the 128 blocks with
 * the smallest hash (bottom-k sampling, Cohen & Kaplan, PODC 2007). Only the hash decides, so the sample of a run does
 * not depend on how its requests were spread over workers or in which order they came.
 */
export class BottomKSample {
  readonly requests = new Map<number, SampledRequest[]>()
  /** Blocks with this hash or a larger one are permanently excluded. */
  #hashLimit = Number.POSITIVE_INFINITY

  add(sampled: SampledRequest): void {
    const block = Math.floor(sampled.index / blockSize)
    if (mix32(block) >= this.#hashLimit) return
    valueAt(this.requests, block, () => []).push(sampled)
    if (this.requests.size > maxBlocks) this.#evict()
  }

  merge(other: Stored<Pick<BottomKSample, 'requests'>>): void {
    for (const [, block] of other.requests) for (const sampled of block) this.add(sampled)
  }

  /** Runs of neighbors, in the order of the plan. */
  blocks(): SampledRequest[][] {
    return [...this.requests]
      .sort(([a], [b]) => a - b)
      .map(([, block]) => block.toSorted((a, b) => a.index - b.index || a.step - b.step))
  }

  #evict(): void {
    let worst = -1
    let maxHash = -1
    for (const block of this.requests.keys()) {
      const hash = mix32(block)
      if (hash > maxHash) [worst, maxHash] = [block, hash]
    }
    this.requests.delete(worst)
    this.#hashLimit = maxHash
  }
}

/** The sampled part of a record. Latencies count from the planned moment; null if it has none. */
export function sampledOf(record: RequestRecord) {
  const { index, step, timestamps } = record
  return {
    index,
    step,
    plannedNs: timestamps.planned,
    ttftNs: latencyOf(record, 'ttft', 'response'),
    e2eNs: latencyOf(record, 'e2e', 'response'),
  }
}
