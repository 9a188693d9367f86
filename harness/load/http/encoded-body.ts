import type { Header } from '../../../contract/index.ts'
import { codingsOf, createContentDecoder } from '../../client/body/content-coding.ts'
import { quoted } from '../format.ts'

export interface DecodedSink {
  /** `at`: the stamp of the read that brought the coded bytes. */
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

  async enter(): Promise<void> {
    if (this.#free > 0) this.#free -= 1
    else await new Promise<void>((go) => this.#waiting.push(go))
  }

  leave(): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.#free += 1
    else next()
  }
}

const maxPendingBytes = 256 * 1024

interface Step {
  readonly at: number
  readonly bytes?: Uint8Array
  readonly run?: () => void
}

/** An answer with a Content-Encoding (RFC 9110, section 8.4), decoded as it arrives. */
export class EncodedBody {
  readonly #codings: string
  readonly #decoder: ReturnType<typeof createContentDecoder>
  readonly #gate: DecodeGate
  readonly #sink: DecodedSink
  readonly #steps: Step[] = []
  #running = false
  #discarded = false
  /** Coded bytes that are not decoded yet. */
  #pendingBytes = 0

  constructor(codings: readonly string[], maxBytes: number, gate: DecodeGate, sink: DecodedSink) {
    this.#codings = codings.join(', ')
    this.#decoder = createContentDecoder(codings, {
      maxBytes: maxBytes + bodyMargin,
      maxBytesName: 'body',
    })
    this.#gate = gate
    this.#sink = sink
  }

  push(bytes: Uint8Array, at: number): void {
    this.#pendingBytes += bytes.length
    // The buffer of a read is reused.
    this.#add({ bytes: bytes.slice(), at })
  }

  /** True if too many bytes are pending: the peer should wait. */
  get isFull(): boolean {
    return this.#pendingBytes > maxPendingBytes
  }

  /** Calls `run` after all earlier bytes; `whole`: the body reached its end. */
  finish(at: number, whole: boolean, run: () => void): void {
    this.#add({ at, run: () => void this.#end(whole, at, run) })
  }

  /** Discards everything pending. */
  discard(): void {
    this.#discarded = true
    this.#steps.length = 0
  }

  #add(step: Step): void {
    if (this.#discarded) return
    this.#steps.push(step)
    if (!this.#running) void this.#processSteps()
  }

  async #processSteps(): Promise<void> {
    this.#running = true
    try {
      for (let step = this.#steps.shift(); step !== undefined; step = this.#steps.shift()) {
        if (step.bytes !== undefined) await this.#decode(step.bytes, step.at)
        else step.run?.()
      }
    } catch (error) {
      this.discard()
      this.#sink.internalError(error)
    } finally {
      this.#running = false
    }
  }

  async #decode(bytes: Uint8Array, at: number): Promise<void> {
    const decoder = this.#decoder
    if (decoder === undefined) {
      this.#fail(`its Content-Encoding ${quoted(this.#codings)} was not asked for`, at)
      return
    }
    await this.#gate.enter()
    try {
      for (const piece of await decoder.push(bytes)) {
        if (!this.#discarded) this.#sink.decoded(piece, at)
      }
    } finally {
      this.#gate.leave()
    }
    const wasFull = this.isFull
    this.#pendingBytes -= bytes.length
    if (wasFull && !this.isFull) this.#sink.drained()
    if (decoder.problem !== undefined) this.#fail(`it is not ${this.#description}`, at)
  }

  async #end(whole: boolean, at: number, run: () => void): Promise<void> {
    try {
      if (whole) await this.#decoder?.end()
      if (this.#discarded) return
      if (this.#decoder?.problem === undefined) run()
      else this.#fail(`it ends inside ${this.#description}`, at)
    } catch (error) {
      this.discard()
      this.#sink.internalError(error)
    }
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

/** Empty if the body has none; nearly every answer. */
export function bodyCodings(headers: readonly Header[]): readonly string[] {
  return headers.some(([name]) => name === 'content-encoding') ? codingsOf(headers) : []
}
