import type { WireChunk } from '../../../contract/index.ts'

/** Chunks in order of arrival, in one piece of memory: an object a chunk would take several times its size. */
export class ChunkList {
  #memory = new Uint8Array(0)
  readonly #times: number[] = []
  /** End of each chunk. */
  readonly #ends: number[] = []
  #view: WeakRef<readonly WireChunk[]> | undefined

  /** Copies the bytes: their memory may belong to a socket. */
  push(bytes: Uint8Array, atMs: number): void {
    const start = this.bytes
    const end = start + bytes.length
    if (end > this.#memory.length) {
      const grown = new Uint8Array(Math.max(end, Math.ceil(1.5 * start)))
      grown.set(this.#memory.subarray(0, start))
      this.#memory = grown
    }
    this.#memory.set(bytes, start)
    this.#times.push(atMs)
    this.#ends.push(end)
    this.#view = undefined
  }

  get length(): number {
    return this.#times.length
  }

  get bytes(): number {
    return this.#ends.at(-1) ?? 0
  }

  /** The chunks as views of the list's memory; created again once they have been garbage-collected. */
  get chunks(): readonly WireChunk[] {
    const cached = this.#view?.deref()
    if (cached !== undefined) return cached
    const made = this.#ends.map((end, at) => ({
      atMs: this.#times[at] ?? 0,
      bytes: this.#memory.subarray(this.#ends[at - 1] ?? 0, end),
    }))
    this.#view = new WeakRef(made)
    return made
  }

  /** Releases unused memory, and all chunks after the first `bytes` bytes; nothing is added afterwards. */
  truncate(bytes = Number.POSITIVE_INFINITY): void {
    const last = this.#ends.findIndex((end) => end >= bytes)
    const count = last === -1 ? this.length : last + 1
    this.#times.length = count
    this.#ends.length = count
    this.#memory = this.#memory.slice(0, this.bytes)
    this.#view = undefined
  }
}
