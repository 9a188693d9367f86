import type { BodyLimits } from './limits.ts'

const LF = 10
const CR = 13

/** Says when a body passes a limit, as the end of a sentence about the request. */
export class BodyGauge {
  /** Undefined as long as the body is within its limits. */
  excess: string | undefined
  readonly #limits: BodyLimits
  readonly #isStream: boolean
  /** Bytes of the line that has not ended. */
  #line = 0

  constructor(limits: BodyLimits, isStream: boolean) {
    this.#limits = limits
    this.#isStream = isStream
  }

  get maxBytes(): number {
    return this.#isStream ? this.#limits.streamBytes : this.#limits.bodyBytes
  }

  /** Name of the limit of all bytes in messages. */
  get maxBytesName(): string {
    return `${this.maxBytes} bytes (limits.${this.#isStream ? 'streamBytes' : 'bodyBytes'})`
  }

  /** @param total of the body until now, this piece included. */
  bytes(piece: Uint8Array, total: number): void {
    if (total > this.maxBytes) {
      this.excess ??= `sent ${this.#isStream ? 'a stream' : 'a body'} of more than ${this.maxBytesName}`
    }
    if (!this.#isStream) return
    const end = Math.max(piece.lastIndexOf(LF), piece.lastIndexOf(CR))
    this.#line = end < 0 ? this.#line + piece.length : piece.length - end - 1
    if (this.#line > this.#limits.lineBytes) {
      this.excess ??= `sent a line of more than ${this.#limits.lineBytes} bytes (limits.lineBytes)`
    }
  }

  events(count: number): void {
    if (count <= this.#limits.streamEvents) return
    this.excess ??= `sent more than ${this.#limits.streamEvents} events (limits.streamEvents)`
  }
}
