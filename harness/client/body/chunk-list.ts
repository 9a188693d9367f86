import type { WireChunk } from '../../../contract/index.ts'

const maxSlabBytes = 64 * 1024
/** Half of a zlib buffer: copying a smaller piece takes less memory than keeping its buffer. */
const minAdoptedBytes = 8 * 1024

/** Chunks in order of arrival, in few pieces of memory: an object a chunk would take several times its size. */
export class ChunkList {
  readonly #slabs: Uint8Array[] = []
  /** Bytes used of the last slab. */
  #used = 0
  #bytes = 0
  readonly #times: number[] = []
  /** Slab, start and end of each chunk. */
  readonly #places: number[] = []
  #view: WeakRef<readonly WireChunk[]> | undefined

  /** Copies the bytes: their memory may belong to a socket. */
  push(bytes: Uint8Array, atMs: number): void {
    const slab = this.#slabFor(bytes.length)
    slab.set(bytes, this.#used)
    this.#places.push(this.#slabs.length - 1, this.#used, this.#used + bytes.length)
    this.#times.push(atMs)
    this.#used += bytes.length
    this.#bytes += bytes.length
    this.#view = undefined
  }

  /** Adds bytes whose memory has no other owner: large ones are kept without a copy. */
  adopt(bytes: Uint8Array, atMs: number): void {
    if (bytes.length < minAdoptedBytes) {
      this.push(bytes, atMs)
      return
    }
    this.#slabs.push(bytes)
    this.#used = bytes.length
    this.#places.push(this.#slabs.length - 1, 0, bytes.length)
    this.#times.push(atMs)
    this.#bytes += bytes.length
    this.#view = undefined
  }

  get length(): number {
    return this.#times.length
  }

  /** Bytes of all chunks. */
  get bytes(): number {
    return this.#bytes
  }

  /** The chunks as views of the list's memory; created again once they have been garbage-collected. */
  get chunks(): readonly WireChunk[] {
    const cached = this.#view?.deref()
    if (cached !== undefined) return cached
    const made = this.#times.map((atMs, at) => ({ atMs, bytes: this.#bytesAt(at) }))
    this.#view = new WeakRef(made)
    return made
  }

  /** Releases all chunks after the first `bytes` bytes; nothing is added afterwards. */
  truncate(bytes: number): void {
    let count = 0
    let kept = 0
    for (; count < this.length && kept < bytes; count += 1) kept += this.#bytesAt(count).length
    this.#times.length = count
    this.#places.length = 3 * count
    this.#slabs.length = (this.#places.at(-3) ?? -1) + 1
    this.#bytes = kept
    this.#view = undefined
  }

  #bytesAt(index: number): Uint8Array {
    const [slab = 0, start, end] = this.#places.slice(3 * index, 3 * index + 3)
    return this.#slabs[slab]?.subarray(start, end) ?? new Uint8Array(0)
  }

  #slabFor(length: number): Uint8Array {
    const last = this.#slabs.at(-1)
    if (last !== undefined && last.length - this.#used >= length) return last
    const made = new Uint8Array(Math.max(length, Math.min(maxSlabBytes, this.#bytes)))
    this.#slabs.push(made)
    this.#used = 0
    return made
  }
}
