import type { OrderedSample } from '../../statistics/ordered-sample.ts'

/** One unit of every histogram: a microsecond. */
export const unitNs = 1000
/** 1 us to 1 h; what took longer is counted as an hour. */
export const highestUnits = 3_600_000_000
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

/** What a histogram is between processes. `counts` by the lowest value of the bucket, in units. */
export interface StoredBuckets {
  readonly counts: readonly (readonly [low: number, count: number])[]
  readonly sum: number
  readonly least: number
  readonly most: number
}

/**
 * The buckets of an HDR histogram (Tene, hdrhistogram.org), of which only those that hold something
 * take memory; a run has hundreds of histograms, and a full one is 190 KB. Sums are kept in whole
 * units, so merging is exact and its order does not matter.
 */
export class Buckets implements OrderedSample {
  readonly #counts = new Map<number, number>()
  readonly #bits: number
  #sorted: readonly Bucket[] | null = null
  #count = 0
  #sum = 0
  #least = Number.POSITIVE_INFINITY
  #most = 0

  constructor(bits: number = threeDigits) {
    this.#bits = bits
  }

  static from(stored: StoredBuckets, bits: number = threeDigits): Buckets {
    const buckets = new Buckets(bits)
    for (const [low, count] of stored.counts) buckets.#put(low, count)
    buckets.#sum = stored.sum
    buckets.#least = stored.counts.length === 0 ? Number.POSITIVE_INFINITY : stored.least
    buckets.#most = stored.most
    return buckets
  }

  add(ns: number, times = 1): void {
    const units = Math.min(highestUnits, Math.max(0, Math.round(ns / unitNs)))
    this.#put(units - (units % widthOf(units, this.#bits)), times)
    this.#sum += units * times
    if (units < this.#least) this.#least = units
    if (units > this.#most) this.#most = units
  }

  merge(other: Buckets): void {
    for (const [low, count] of other.#counts) this.#put(low, count)
    this.#sum += other.#sum
    this.#least = Math.min(this.#least, other.#least)
    this.#most = Math.max(this.#most, other.#most)
  }

  get count(): number {
    return this.#count
  }

  get minNs(): number | null {
    return this.#count === 0 ? null : this.#least * unitNs
  }

  get maxNs(): number | null {
    return this.#count === 0 ? null : this.#most * unitNs
  }

  get meanNs(): number | null {
    return this.#count === 0 ? null : (this.#sum / this.#count) * unitNs
  }

  /** From the middle of the buckets. */
  get deviationNs(): number | null {
    const mean = this.meanNs
    if (mean === null) return null
    let squares = 0
    for (const { low, high, count } of this.ascending()) {
      squares += count * ((low + high) / 2 - mean) ** 2
    }
    return Math.sqrt(squares / this.#count)
  }

  /**
   * Values over a limit. Those in the bucket of the limit itself cannot be told from it: they are over
   * `<`, and within `<=`.
   */
  over(limitNs: number, inclusive: boolean): number {
    let over = 0
    for (const { low, high, count } of this.ascending()) {
      if (inclusive ? low > limitNs : high >= limitNs) over += count
    }
    return over
  }

  ascending(): readonly Bucket[] {
    this.#sorted ??= [...this.#counts]
      .sort(([a], [b]) => a - b)
      .map(([low, count]) => {
        const high = low + widthOf(low, this.#bits) - 1
        return {
          low: Math.max(low, this.#least) * unitNs,
          high: Math.min(high, this.#most) * unitNs,
          count,
        }
      })
    return this.#sorted
  }

  lowestAt(rank: number): number {
    return this.#at(rank).low
  }

  highestAt(rank: number): number {
    return this.#at(rank).high
  }

  store(): StoredBuckets {
    const counts = [...this.#counts].sort(([a], [b]) => a - b)
    const least = this.#count === 0 ? 0 : this.#least
    return { counts, sum: this.#sum, least, most: this.#most }
  }

  #put(low: number, times: number): void {
    this.#counts.set(low, (this.#counts.get(low) ?? 0) + times)
    this.#count += times
    this.#sorted = null
  }

  #at(rank: number): Bucket {
    let reached = 0
    for (const bucket of this.ascending()) {
      reached += bucket.count
      if (rank <= reached) return bucket
    }
    throw new RangeError(`No rank ${rank} among ${this.#count} values`)
  }
}

function widthOf(units: number, bits: number): number {
  const surplus = 32 - Math.clz32(units) - bits
  return surplus > 0 ? 1 << surplus : 1
}
