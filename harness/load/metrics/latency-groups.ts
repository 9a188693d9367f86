import { LatencyRecorder, type StoredLatencies } from './latency-recorder.ts'

export type StoredGroups<Key> = readonly (readonly [
  slice: number,
  key: Key,
  group: StoredLatencies,
])[]

/** Statistics of requests by the slice of the run in which they were planned, and by a key. */
export class LatencyGroups<Key extends string | number> {
  readonly #slices = new Map<number, Map<Key, LatencyRecorder>>()

  get isEmpty(): boolean {
    return this.#slices.size === 0
  }

  at(slice: number, key: Key): LatencyRecorder {
    const groups = this.#slices.get(slice) ?? new Map<Key, LatencyRecorder>()
    this.#slices.set(slice, groups)
    const group = groups.get(key) ?? new LatencyRecorder()
    groups.set(key, group)
    return group
  }

  merge(other: LatencyGroups<Key>): void {
    for (const [slice, groups] of other.#slices) {
      for (const [key, group] of groups) this.at(slice, key).merge(group)
    }
  }

  /** The groups of the slices from one up to another whose keys fit. */
  sum(from: number, to: number, fits: (key: Key) => boolean): LatencyRecorder {
    const sum = new LatencyRecorder()
    for (const [slice, groups] of this.#slices) {
      if (slice < from || slice >= to) continue
      for (const [key, group] of groups) if (fits(key)) sum.merge(group)
    }
    return sum
  }

  /** Plain data in the order of slices and keys. */
  store(): StoredGroups<Key> {
    return [...this.#slices]
      .flatMap(([slice, groups]) =>
        [...groups].map(([key, group]) => [slice, key, group.store()] as const),
      )
      .sort(([a, one], [b, other]) => a - b || (one < other ? -1 : 1))
  }

  restore(stored: StoredGroups<Key>): void {
    for (const [slice, key, group] of stored) this.at(slice, key).merge(LatencyRecorder.from(group))
  }
}
