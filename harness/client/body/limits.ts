import { type Header, header } from '../../../contract/index.ts'

const mebibyte = 1024 * 1024

/** Limits of a body, from `limits` of a target profile; the conversation is aborted beyond them. */
export interface BodyLimits {
  /** Bytes of an unstreamed body, before and after its Content-Encoding is undone. */
  readonly bodyBytes: number
  /** The same for an event stream. */
  readonly streamBytes: number
  /** Bytes of a line of an event stream. */
  readonly lineBytes: number
  readonly streamEvents: number
}

/** A quarter more than an answer of 32,000 tokens takes, each of them an event of 300 bytes. */
export const defaultBodyLimits: BodyLimits = {
  bodyBytes: 8 * mebibyte,
  streamBytes: 16 * mebibyte,
  lineBytes: 4 * mebibyte,
  streamEvents: 40_000,
}

const LF = 10
const CR = 13

/** Reports when a body exceeds a limit, as the end of a sentence about the request. */
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

/**
 * Length of the encoded body that a response announces; undefined if it announces none, or one that does not
 * apply to the bytes that follow (RFC 9110, section 8.6).
 */
export function announcedBytes(
  method: string,
  status: number,
  headers: readonly Header[],
): number | undefined {
  if (method === 'HEAD' || status === 204 || status === 304) return undefined
  // It overrides Content-Length (RFC 9112, section 6.3).
  if (header(headers, 'transfer-encoding') !== undefined) return undefined
  const value = header(headers, 'content-length')?.trim() ?? ''
  return /^\d{1,15}$/.test(value) ? Number(value) : undefined
}
