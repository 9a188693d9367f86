import type { WireChunk } from '../../../contract/index.ts'

/** Consecutive chunks in one piece of memory; chunk `i` ends at the offset `ends[i]`. */
interface Segment {
  memory: Uint8Array
  readonly ends: number[]
  readonly times: number[]
}

const maxSegmentBytes = 1024 * 1024

/**
 * Chunks in order of arrival, in few pieces of memory: an object a chunk would take several times its size,
 * and one piece of memory would be copied to grow, with both alive.
 */
export class ChunkList {
  #segments: Segment[] = []
  #length = 0
  #bytes = 0
  #view: WeakRef<readonly WireChunk[]> | undefined

  /** Copies the bytes: their memory may belong to a socket. */
  push(bytes: Uint8Array, atMs: number): void {
    const { memory, ends, times } = this.#segmentFor(bytes.length)
    const start = ends.at(-1) ?? 0
    memory.set(bytes, start)
    ends.push(start + bytes.length)
    times.push(atMs)
    this.#length += 1
    this.#bytes += bytes.length
    this.#view = undefined
  }

  get length(): number {
    return this.#length
  }

  get bytes(): number {
    return this.#bytes
  }

  /** The chunks as views of the list's memory; created again once they have been garbage-collected. */
  get chunks(): readonly WireChunk[] {
    const cached = this.#view?.deref()
    if (cached !== undefined) return cached
    const made = this.#segments.flatMap(({ memory, ends, times }) =>
      ends.map((end, at) => ({
        atMs: times[at] ?? 0,
        bytes: memory.subarray(ends[at - 1] ?? 0, end),
      })),
    )
    this.#view = new WeakRef(made)
    return made
  }

  /** Releases unused memory, and all chunks after the first `bytes` bytes; nothing is added afterwards. */
  truncate(bytes = Number.POSITIVE_INFINITY): void {
    const segments = this.#segments
    this.#segments = []
    this.#length = 0
    this.#bytes = 0
    for (const { memory, ends, times } of segments) {
      if (this.#bytes >= bytes) break
      const rest = bytes - this.#bytes
      const last = ends.findIndex((end) => end >= rest)
      const count = last === -1 ? ends.length : last + 1
      const end = ends[count - 1] ?? 0
      ends.length = count
      times.length = count
      const used = end < memory.length ? memory.slice(0, end) : memory
      this.#segments.push({ memory: used, ends, times })
      this.#length += count
      this.#bytes += end
    }
    this.#view = undefined
  }

  #segmentFor(bytes: number): Segment {
    const last = this.#segments.at(-1)
    if (last && (last.ends.at(-1) ?? 0) + bytes <= last.memory.length) return last
    const size = Math.max(bytes, Math.min(maxSegmentBytes, Math.ceil(this.#bytes / 2)))
    const segment = { memory: new Uint8Array(size), ends: [], times: [] }
    this.#segments.push(segment)
    return segment
  }
}
