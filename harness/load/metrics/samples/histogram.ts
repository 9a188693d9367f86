import { gunzipSync, gzipSync } from 'node:zlib'
import type { OrderedSample } from '../../statistics/quantile-interval.ts'

/** One unit of every histogram: a microsecond. */
export const unitNs = 1000
/** 1 us to 1 h; longer times count as an hour. */
export const maxUnits = 3_600_000_000
/** Bits that are kept of a value: 11 make three decimal digits, as HDR counts them. */
export const threeDigits = 11
/** Enough for a chart: 128 steps an octave, at most 0.8 % wide. */
export const twoDigits = 8

/** A bucket: all values from `low` to `high` nanoseconds, both ends belong to it. */
export interface Bucket {
  readonly low: number
  readonly high: number
  readonly count: number
}

/** The data of an accumulator, also as it is read from JSON, where a map is the list of its entries. */
export type Stored<Data> =
  Data extends ReadonlyMap<infer Key, infer Value>
    ? Iterable<readonly [Key, Stored<Value>]>
    : Data extends readonly unknown[] | ((...args: never) => unknown)
      ? Data
      : Data extends object
        ? {
            readonly [Name in keyof Data as Data[Name] extends (...args: never) => unknown
              ? never
              : Name]: Stored<Data[Name]>
          }
        : Data

/** Packs data for a report: JSON, gzip, base64. */
export function packed(data: object): string {
  const json = JSON.stringify(data, (_, value) => (value instanceof Map ? [...value] : value))
  return gzipSync(json).toString('base64')
}

/** @throws Error if the text is malformed */
export function unpacked(text: string) {
  return JSON.parse(gunzipSync(Buffer.from(text, 'base64')).toString('utf8'))
}

/**
 * The buckets of an HDR histogram (Tene, hdrhistogram.org), stored sparsely: a run has hundreds of
 * histograms, and a full one takes 190 KB. Sums are integers, in units, so merging is exact and its order
 * does not matter.
 */
export class Histogram implements OrderedSample {
  /** Counts by the lowest value of their bucket, in units. */
  readonly counts = new Map<number, number>()
  count = 0
  sum = 0
  minUnits = maxUnits
  maxUnits = 0
  readonly #bits: number
  #sorted: readonly Bucket[] | null = null

  constructor(bits: number = threeDigits) {
    this.#bits = bits
  }

  add(ns: number, times = 1): void {
    const units = Math.min(maxUnits, Math.max(0, Math.round(ns / unitNs)))
    this.#put(units - (units % widthOf(units, this.#bits)), times)
    this.sum += units * times
    if (units < this.minUnits) this.minUnits = units
    if (units > this.maxUnits) this.maxUnits = units
  }

  merge(other: HistogramData): this {
    for (const [low, count] of other.counts) this.#put(low, count)
    this.sum += other.sum
    this.minUnits = Math.min(this.minUnits, other.minUnits)
    this.maxUnits = Math.max(this.maxUnits, other.maxUnits)
    return this
  }

  get minNs(): number | null {
    return this.count === 0 ? null : this.minUnits * unitNs
  }

  get maxNs(): number | null {
    return this.count === 0 ? null : this.maxUnits * unitNs
  }

  get meanNs(): number | null {
    return this.count === 0 ? null : (this.sum / this.count) * unitNs
  }

  /** Standard deviation, from the middle of the buckets. */
  get deviationNs(): number | null {
    const mean = this.meanNs
    if (mean === null) return null
    let squares = 0
    for (const { low, high, count } of this.buckets()) {
      squares += count * ((low + high) / 2 - mean) ** 2
    }
    return Math.sqrt(squares / this.count)
  }

  /**
   * Number of values over a limit. Those in the bucket of the limit itself are indistinguishable from it:
   * they exceed `<` and meet `<=`.
   */
  countOver(limitNs: number, inclusive: boolean): number {
    let over = 0
    for (const { low, high, count } of this.buckets()) {
      if (inclusive ? low > limitNs : high >= limitNs) over += count
    }
    return over
  }

  buckets(): readonly Bucket[] {
    this.#sorted ??= [...this.counts]
      .sort(([a], [b]) => a - b)
      .map(([low, count]) => {
        const high = low + widthOf(low, this.#bits) - 1
        return {
          low: Math.max(low, this.minUnits) * unitNs,
          high: Math.min(high, this.maxUnits) * unitNs,
          count,
        }
      })
    return this.#sorted
  }

  lowAt(rank: number): number {
    return this.#at(rank).low
  }

  highAt(rank: number): number {
    return this.#at(rank).high
  }

  #put(low: number, times: number): void {
    this.counts.set(low, (this.counts.get(low) ?? 0) + times)
    this.count += times
    this.#sorted = null
  }

  #at(rank: number): Bucket {
    let reached = 0
    for (const bucket of this.buckets()) {
      reached += bucket.count
      if (rank <= reached) return bucket
    }
    throw new RangeError(`No rank ${rank} among ${this.count} values`)
  }
}

export type HistogramData = Stored<Pick<Histogram, 'counts' | 'sum' | 'minUnits' | 'maxUnits'>>

function widthOf(units: number, bits: number): number {
  const surplus = 32 - Math.clz32(units) - bits
  return surplus > 0 ? 1 << surplus : 1
}

/** Milliseconds; null without a finite value. */
export function milliseconds(ns: number | null): number | null {
  return ns === null || !Number.isFinite(ns) ? null : ns / 1e6
}

/** Adds the named counts of `more`. */
export function addCounts<Key extends string>(
  own: Record<Key, number>,
  more: Readonly<Record<Key, number>>,
  keys: readonly Key[],
): void {
  for (const key of keys) own[key] += more[key]
}

/** The value of a key, which is made if there is none. */
export function valueAt<Key, Value>(
  map: Map<Key, Value>,
  key: Key,
  make: () => NoInfer<Value>,
): Value {
  const found = map.get(key)
  if (found !== undefined) return found
  const made = make()
  map.set(key, made)
  return made
}
