import type { RequestRecord } from '../record.ts'
import { addCounts, Histogram, type Stored, twoDigits, valueAt } from './samples/histogram.ts'
import { latencyOf } from './samples/latency-definitions.ts'

/** Counters of one interval of a run. */
const emptyInterval = {
  planned: 0,
  dispatched: 0,
  completed: 0,
  shed: 0,
  failed: 0,
  /** Reads that brought content. */
  events: 0,
  bytes: 0,
  outputTokens: 0,
  started: 0,
  ended: 0,
  /** Time in flight of the requests that ended here. */
  residenceNs: 0,
  /** Time from each start to the end of the interval, and from each end. In whole nanoseconds. */
  startedRestNs: 0,
  endedRestNs: 0,
}
type Interval = typeof emptyInterval

/**
 * Counters in intervals of equal width, from the start of the run. Starts and ends give the number in flight
 * at any time, and its integral, without touching the intervals in between.
 */
export class Timeline {
  readonly widthNs: number
  readonly intervals = new Map<number, Interval>()

  constructor(widthNs: number) {
    this.widthNs = widthNs
  }

  at(ns: number): Interval {
    return this.#interval(this.indexOf(ns))
  }

  indexOf(ns: number): number {
    return Math.max(0, Math.floor(ns / this.widthNs))
  }

  /** Adds a read that brought content. */
  addContent(ns: number, tokens: number, bytes: number): void {
    const interval = this.at(ns)
    interval.events++
    interval.outputTokens += tokens
    interval.bytes += bytes
  }

  addInFlight(fromNs: number, toNs: number): void {
    const start = this.at(fromNs)
    start.started++
    start.startedRestNs += this.#rest(fromNs)
    const end = this.at(toNs)
    end.ended++
    end.residenceNs += Math.round(toNs - fromNs)
    end.endedRestNs += this.#rest(toNs)
  }

  merge(other: Stored<Pick<Timeline, 'intervals'>>): void {
    for (const [index, interval] of other.intervals) {
      addCounts(this.#interval(index), interval, keys)
    }
  }

  /** The sum of the intervals from one index up to another, which is left out. */
  sum(from: number, to: number): Interval {
    const sum = { ...emptyInterval }
    for (const [index, interval] of this.intervals) {
      if (index >= from && index < to) addCounts(sum, interval, keys)
    }
    return sum
  }

  /** Requests in flight at the start of an interval. */
  inFlightAt(index: number): number {
    const before = this.sum(0, index)
    return before.started - before.ended
  }

  /** Integral of the requests in flight over the intervals from one index up to another. */
  inFlightNs(from: number, to: number): number {
    let inFlight = this.inFlightAt(from)
    let integral = 0
    for (let index = from; index < to; index++) {
      const interval = this.intervals.get(index) ?? emptyInterval
      integral += inFlight * this.widthNs + interval.startedRestNs - interval.endedRestNs
      inFlight += interval.started - interval.ended
    }
    return integral
  }

  /** Every interval from the first to the last that is not empty. */
  rows(): { readonly index: number; readonly interval: Interval; readonly inFlight: number }[] {
    const last = Math.max(-1, ...this.intervals.keys())
    let inFlight = 0
    return Array.from({ length: last + 1 }, (_, index) => {
      const interval = this.intervals.get(index) ?? emptyInterval
      inFlight += interval.started - interval.ended
      return { index, interval, inFlight }
    })
  }

  #interval(index: number): Interval {
    return valueAt(this.intervals, index, () => ({ ...emptyInterval }))
  }

  #rest(ns: number): number {
    return Math.round((this.indexOf(ns) + 1) * this.widthNs - ns)
  }
}

const keys = Object.keys(emptyInterval) as (keyof Interval)[]

const chartedMetrics = ['ttft', 'e2e', 'icl'] as const
export type ChartedMetric = (typeof chartedMetrics)[number]

/**
 * Quantiles for charts over time, by the second of the event: response time to the first
 * token and to the end, and gaps. Two digits are enough for a chart.
 */
export class SecondQuantiles {
  readonly seconds: Readonly<Record<ChartedMetric, Map<number, Histogram>>> = {
    ttft: new Map(),
    e2e: new Map(),
    icl: new Map(),
  }

  /** Adds the first token and the end of a request; its gaps are put one by one. */
  add(record: RequestRecord): void {
    const { timestamps } = record
    this.put('ttft', timestamps.firstGenerated, latencyOf(record, 'ttft', 'response'))
    this.put('e2e', timestamps.terminal, latencyOf(record, 'e2e', 'response'))
  }

  merge(other: Stored<Pick<SecondQuantiles, 'seconds'>>): void {
    for (const metric of chartedMetrics) {
      for (const [second, buckets] of other.seconds[metric]) this.#at(metric, second).merge(buckets)
    }
  }

  /** The sum of the seconds from one up to another, which is left out. */
  between(metric: ChartedMetric, from: number, to: number): Histogram {
    const sum = new Histogram(twoDigits)
    for (let second = from; second < to; second++) {
      const found = this.seconds[metric].get(second)
      if (found !== undefined) sum.merge(found)
    }
    return sum
  }

  put(metric: ChartedMetric, atNs: number | null, ns: number | null): void {
    if (atNs !== null && ns !== null) this.#at(metric, Math.max(0, Math.floor(atNs / 1e9))).add(ns)
  }

  #at(metric: ChartedMetric, second: number): Histogram {
    return valueAt(this.seconds[metric], second, () => new Histogram(twoDigits))
  }
}
