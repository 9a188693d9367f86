import type { RequestRecord } from '../../record.ts'
import { Buckets, type StoredBuckets, twoDigits } from '../samples/buckets.ts'
import { latencyOf } from '../samples/latencies.ts'
import { forEachArrival } from './arrivals.ts'

const charted = ['ttft', 'e2e', 'icl'] as const
export type Charted = (typeof charted)[number]

export type StoredSecondQuantiles = readonly (readonly [
  metric: Charted,
  second: number,
  buckets: StoredBuckets,
])[]

/**
 * What a chart over time shows, by the second in which a thing happened: response time to the first
 * token and to the end, and gaps. Two digits are enough for a chart.
 */
export class SecondQuantiles {
  readonly #buckets: Readonly<Record<Charted, Map<number, Buckets>>> = {
    ttft: new Map(),
    e2e: new Map(),
    icl: new Map(),
  }

  static from(stored: StoredSecondQuantiles): SecondQuantiles {
    const made = new SecondQuantiles()
    for (const [metric, second, buckets] of stored) {
      made.#buckets[metric].set(second, Buckets.from(buckets, twoDigits))
    }
    return made
  }

  add(record: RequestRecord): void {
    const { timestamps: stamps, outcome } = record
    this.#put('ttft', stamps.firstGenerated, latencyOf(record, 'ttft', 'response'))
    this.#put('e2e', stamps.terminal, latencyOf(record, 'e2e', 'response'))
    if (outcome.kind === 'left') return
    forEachArrival(record, (at, _tokens, _bytes, gap) => this.#put('icl', at, gap))
  }

  merge(other: SecondQuantiles): void {
    for (const metric of charted) {
      for (const [second, buckets] of other.#buckets[metric])
        this.#at(metric, second).merge(buckets)
    }
  }

  get(metric: Charted, second: number): Buckets | undefined {
    return this.#buckets[metric].get(second)
  }

  store(): StoredSecondQuantiles {
    return charted.flatMap((metric) =>
      [...this.#buckets[metric]]
        .sort(([a], [b]) => a - b)
        .map(([second, buckets]) => [metric, second, buckets.store()] as const),
    )
  }

  #put(metric: Charted, atNs: number | null, ns: number | null): void {
    if (atNs !== null && ns !== null) this.#at(metric, Math.max(0, Math.floor(atNs / 1e9))).add(ns)
  }

  #at(metric: Charted, second: number): Buckets {
    const found = this.#buckets[metric].get(second)
    if (found !== undefined) return found
    const made = new Buckets(twoDigits)
    this.#buckets[metric].set(second, made)
    return made
  }
}
