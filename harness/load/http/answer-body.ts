import type { Header } from '../../../contract/index.ts'
import { codingsOf, createContentDecoder } from '../../client/body/content-coding.ts'
import { type BodyLimits, defaultBodyLimits } from '../../client/body/limits.ts'
import { quoted } from './channel.ts'

export interface DecodedSink {
  /** `at`: the timestamp of the read that brought the coded bytes. */
  decoded(bytes: Uint8Array, at: number): void
  /** The coding was not requested, or the bytes do not match it; nothing more is decoded. */
  undecodable(why: string, at: number): void
  /** The body is no longer full. */
  drained(): void
  internalError(error: unknown): void
}

/** Maximum answers that a worker decodes at a time: the target decides how much each expands to. */
const maxConcurrent = 4
/** Margin of the decoder over the limit of an answer, which is therefore exceeded first. */
const bodyMargin = 1024 * 1024

/** Limits how many answers of a thread are decoded at a time. */
export class DecodeGate {
  #free = maxConcurrent
  readonly #waiting: (() => void)[] = []

  async run(decode: () => Promise<void>): Promise<void> {
    if (this.#free > 0) this.#free -= 1
    else await new Promise<void>((go) => this.#waiting.push(go))
    try {
      await decode()
    } finally {
      const next = this.#waiting.shift()
      if (next === undefined) this.#free += 1
      else next()
    }
  }
}

const maxPendingBytes = 256 * 1024

/** The body of an answer; one with a Content-Encoding (RFC 9110, section 8.4) is decoded as it arrives. */
export class AnswerBody {
  /** Content-Encodings; nearly every answer has none. */
  readonly #codings: string
  readonly #decoder: ReturnType<typeof createContentDecoder>
  readonly #gate: DecodeGate
  readonly #sink: DecodedSink
  /** Resolves after everything that was pushed. */
  #decoded = Promise.resolve()
  #discarded = false
  /** Coded bytes that are not decoded yet. */
  #pendingBytes = 0

  constructor(headers: readonly Header[], maxBytes: number, gate: DecodeGate, sink: DecodedSink) {
    const isPlain = headers.every(([name]) => name !== 'content-encoding')
    const codings = isPlain ? [] : codingsOf(headers)
    this.#codings = codings.join(', ')
    const limits = { maxBytes: maxBytes + bodyMargin, maxBytesName: 'body' } as const
    this.#decoder = isPlain ? undefined : createContentDecoder(codings, limits)
    this.#gate = gate
    this.#sink = sink
  }

  push(bytes: Uint8Array, at: number): void {
    if (this.#codings === '') {
      this.#sink.decoded(bytes, at)
      return
    }
    if (this.#decoder === undefined) {
      this.#fail(`its Content-Encoding ${quoted(this.#codings)} was not requested`, at)
      return
    }
    this.#pendingBytes += bytes.length
    // The buffer of a read is reused.
    const own = bytes.slice()
    this.#afterwards(() => this.#decode(own, at))
  }

  /** True if too many bytes are pending: the peer should wait. */
  get isFull(): boolean {
    return this.#pendingBytes > maxPendingBytes
  }

  /** Calls `run` after all earlier bytes; `whole`: the body reached its end. */
  finish(at: number, whole: boolean, run: () => void): void {
    if (this.#codings === '') run()
    else this.#afterwards(() => this.#end(whole, at, run))
  }

  /** Discards everything pending. */
  discard(): void {
    this.#discarded = true
  }

  #afterwards(step: () => Promise<void>): void {
    this.#decoded = this.#decoded
      .then(() => (this.#discarded ? undefined : step()))
      .catch((error: unknown) => {
        this.discard()
        this.#sink.internalError(error)
      })
  }

  async #decode(bytes: Uint8Array, at: number): Promise<void> {
    const decoder = this.#decoder
    if (decoder === undefined) return
    await this.#gate.run(async () => {
      for (const piece of await decoder.push(bytes)) {
        if (!this.#discarded) this.#sink.decoded(piece, at)
      }
    })
    const wasFull = this.isFull
    this.#pendingBytes -= bytes.length
    if (wasFull && !this.isFull) this.#sink.drained()
    if (decoder.problem !== undefined) this.#fail(`it is not ${this.#description}`, at)
  }

  async #end(whole: boolean, at: number, run: () => void): Promise<void> {
    if (whole) await this.#decoder?.end()
    if (this.#discarded) return
    if (this.#decoder?.problem === undefined) run()
    else this.#fail(`it ends inside ${this.#description}`, at)
  }

  get #description(): string {
    return `${this.#codings}, its Content-Encoding`
  }

  #fail(why: string, at: number): void {
    if (this.#discarded) return
    this.discard()
    this.#sink.undecodable(why, at)
  }
}

/**
 * Limits of one answer in the memory and time of the generator: those of the profile, under the same names.
 * They are far above any answer of the service; an endless answer exceeds them. Bytes are counted decoded, and
 * `lineBytes` bounds all bytes in which no event ends.
 */
export interface AnswerLimits extends BodyLimits {
  /** Levels of nesting of the JSON of a body. */
  readonly jsonDepth: number
}

/** The defaults of the profile. */
export const answerLimits: AnswerLimits = { ...defaultBodyLimits, jsonDepth: 200 }

/** Bytes that one thread buffers for all its unfinished answers. */
const maxBufferedBytes = 128 * 1024 * 1024
/** Bytes between two checks of an answer. */
const checkEvery = 64 * 1024

/** Counts the bytes and events of one answer, and checks its limits now and then. */
export class LimitMonitor {
  /** Bytes since the last event ended. */
  #unfinishedBytes = 0
  #size = 0
  #nextCheckAt = checkEvery
  /** Share of this answer in `buffers`. */
  #bufferedBytes = 0
  /** Bytes that a worker buffers for all answers in flight. */
  readonly #buffers: { bytes: number }
  readonly limits: AnswerLimits

  constructor(hold: { bytes: number }, limits: AnswerLimits = answerLimits) {
    this.#buffers = hold
    this.limits = limits
  }

  /** `event`: an event ended in these bytes. */
  add(bytes: number, event: boolean): void {
    this.#size += bytes
    this.#unfinishedBytes = event ? 0 : this.#unfinishedBytes + bytes
  }

  /** The limit that the answer exceeds, in words; undefined if none, and between two checks. */
  check(isStream: boolean, events: number): string | undefined {
    if (this.#size < this.#nextCheckAt) return undefined
    this.#nextCheckAt = this.#size + checkEvery
    this.#setBuffered(isStream ? this.#unfinishedBytes : this.#size)
    const { bodyBytes, streamBytes, lineBytes, streamEvents } = this.limits
    if (!isStream && this.#size > bodyBytes) return `a body of more than ${sizeText(bodyBytes)}`
    if (isStream && this.#unfinishedBytes > lineBytes) {
      return `a line or an event of more than ${sizeText(lineBytes)}`
    }
    if (isStream && this.#size > streamBytes) {
      return `a stream of more than ${sizeText(streamBytes)}`
    }
    if (events > streamEvents) return `a stream of more than ${streamEvents} events`
    if (this.#buffers.bytes > maxBufferedBytes) {
      return `unfinished answers of more than ${sizeText(maxBufferedBytes)} together`
    }
    return undefined
  }

  /** Releases the buffers of an answer that has ended. */
  release(): void {
    this.#setBuffered(0)
  }

  #setBuffered(bytes: number): void {
    this.#buffers.bytes += bytes - this.#bufferedBytes
    this.#bufferedBytes = bytes
  }
}

/** `8 MiB`. */
export function sizeText(bytes: number): string {
  const mebi = bytes / (1024 * 1024)
  return mebi >= 1 ? `${Number(mebi.toFixed(1))} MiB` : `${bytes} bytes`
}
