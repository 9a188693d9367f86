import type { RequestRecord } from '../record.ts'
import { Histogram, type StoredHistogram, twoDigits } from './samples/histogram.ts'
import { forEachContentArrival, latencyOf } from './samples/latency-definitions.ts'

const chartedMetrics = ['ttft', 'e2e', 'icl'] as const
export type ChartedMetric = (typeof chartedMetrics)[number]

export type StoredSecondQuantiles = readonly (readonly [
  metric: ChartedMetric,
  second: number,
  buckets: StoredHistogram,
])[]

/**
 * Quantiles for charts over time, by the second of the event: response time to the first
 * token and to the end, and gaps. Two digits are enough for a chart.
 */
export class SecondQuantiles {
  readonly #histograms: Readonly<Record<ChartedMetric, Map<number, Histogram>>> = {
    ttft: new Map(),
    e2e: new Map(),
    icl: new Map(),
  }

  static from(stored: StoredSecondQuantiles): SecondQuantiles {
    const made = new SecondQuantiles()
    for (const [metric, second, buckets] of stored) {
      made.#histograms[metric].set(second, Histogram.from(buckets, twoDigits))
    }
    return made
  }

  add(record: RequestRecord): void {
    const { timestamps, outcome } = record
    this.#put('ttft', timestamps.firstGenerated, latencyOf(record, 'ttft', 'response'))
    this.#put('e2e', timestamps.terminal, latencyOf(record, 'e2e', 'response'))
    if (outcome.kind === 'abandoned') return
    forEachContentArrival(record, (at, _tokens, _bytes, gap) => this.#put('icl', at, gap))
  }

  merge(other: SecondQuantiles): void {
    for (const metric of chartedMetrics) {
      for (const [second, buckets] of other.#histograms[metric])
        this.#at(metric, second).merge(buckets)
    }
  }

  get(metric: ChartedMetric, second: number): Histogram | undefined {
    return this.#histograms[metric].get(second)
  }

  store(): StoredSecondQuantiles {
    return chartedMetrics.flatMap((metric) =>
      [...this.#histograms[metric]]
        .sort(([a], [b]) => a - b)
        .map(([second, buckets]) => [metric, second, buckets.store()] as const),
    )
  }

  #put(metric: ChartedMetric, atNs: number | null, ns: number | null): void {
    if (atNs !== null && ns !== null) this.#at(metric, Math.max(0, Math.floor(atNs / 1e9))).add(ns)
  }

  #at(metric: ChartedMetric, second: number): Histogram {
    const found = this.#histograms[metric].get(second)
    if (found !== undefined) return found
    const made = new Histogram(twoDigits)
    this.#histograms[metric].set(second, made)
    return made
  }
}
