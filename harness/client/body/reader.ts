import { setFlagsFromString } from 'node:v8'
import {
  type CodedBody,
  type Ending,
  type Header,
  header,
  type StreamEvent,
  type WireChunk,
} from '../../../contract/index.ts'
import { SseScanner } from '../../judges/sse/scanner.ts'
import { ChunkList } from './chunk-list.ts'
import { type ContentDecoder, codingsOf, createContentDecoder } from './content-coding.ts'
import { type BodyLimits, type MaxSize, maxSizeOf } from './limits.ts'

interface Listener {
  /** Called with the number of events of a stream that have come. */
  onEvents(count: number): void
  /** The rest of the body is not needed, or exceeds a limit. */
  onUnreadable(): void
}

const LF = 10
const CR = 13

/** Undoes the Content-Encoding of a body (RFC 9110, section 8.4), decodes event streams and applies the limits. */
export class BodyReader {
  readonly #codings: readonly string[]
  readonly #limits: BodyLimits
  readonly #listener: Listener
  readonly #chunks = new ChunkList()
  readonly #coded = new ChunkList()
  readonly #isStream: boolean
  readonly #maxSize: MaxSize
  readonly #scanner = new SseScanner()
  #decoder: ContentDecoder | undefined
  /** Bytes of the line of a stream that has not ended. */
  #line = 0
  /** The limit that the body exceeds, as the end of a sentence about the request. */
  #excess: string | undefined
  #decodedEvents: WeakRef<readonly StreamEvent[]> | undefined
  /** Last decoding in progress: chunks are decoded one after the other. */
  #decoding: Promise<void> = Promise.resolve()

  constructor(headers: readonly Header[], limits: BodyLimits, listener: Listener) {
    this.#listener = listener
    this.#limits = limits
    this.#codings = codingsOf(headers)
    this.#isStream = isEventStream(headers)
    this.#maxSize = maxSizeOf(limits, this.#isStream)
    if (this.#codings.length === 0) return
    this.#decoder = createContentDecoder(this.#codings, this.#maxSize)
  }

  push({ bytes, atMs }: WireChunk): void {
    if (this.#codings.length === 0) {
      this.#take(bytes, atMs)
      return
    }
    this.#coded.push(bytes, atMs)
    if (this.#coded.bytes > this.#maxSize.maxBytes) {
      this.#excess ??= `sent a body of more than ${this.#maxSize.maxBytesName}`
      this.#coded.truncate(keptBytes)
      this.#listener.onUnreadable()
      return
    }
    const decoder = this.#decoder
    if (!decoder) return
    // A copy, as it is decoded only after the bytes before it.
    const copy = new Uint8Array(bytes)
    this.#decoding = this.#decoding.then(async () => {
      if (decoder.problem !== undefined) return
      for (const piece of await decoder.push(copy)) this.#take(piece, atMs)
      if (decoder.problem !== undefined) this.#leave()
    })
  }

  /** Waits for pending decoding; returns the ending of the exchange, which an undecodable coding changes. */
  async finish(ending: Ending): Promise<Ending> {
    await this.#decoding
    const end = await this.#endOf(ending)
    // Buffers would live as long as the exchange.
    this.#decoder = undefined
    this.#chunks.truncate()
    this.#coded.truncate()
    return end
  }

  /** The decoded body; each piece has the time at which the bytes came that it was decoded from. */
  get chunks(): readonly WireChunk[] {
    return this.#chunks.chunks
  }

  /** The body as it came, if it had a Content-Encoding. */
  get coded(): CodedBody | undefined {
    const coded = this.#coded
    if (coded.length === 0) return undefined
    return {
      coding: this.#codings.join(', '),
      get chunks() {
        return coded.chunks
      },
    }
  }

  /** The events of the whole body, decoded on access. */
  get events(): readonly StreamEvent[] {
    if (!this.#isStream) return none
    const cached = this.#decodedEvents?.deref()
    if (cached !== undefined) return cached
    const made = decodeEvents(this.chunks)
    this.#decodedEvents = new WeakRef(made)
    return made
  }

  async #endOf(ending: Ending): Promise<Ending> {
    const { atMs } = ending
    if (this.#excess !== undefined) return { kind: 'aborted', atMs, limit: this.#excess }
    // A response without a body may name a coding (RFC 9110, section 8.4).
    if (this.#coded.length === 0) return ending
    if (!this.#decoder) {
      if (ending.kind !== 'complete') return ending
      const named = this.#codings.join(', ')
      const error = `the body has the Content-Encoding ${named}, which chatgen cannot decode and did not request`
      return { kind: 'undecodable', atMs, error }
    }
    if (ending.kind === 'complete') await this.#decoder.end()
    const { problem } = this.#decoder
    if (problem === undefined) return ending
    if (problem.kind === 'excess') return { kind: 'aborted', atMs, limit: problem.message }
    const kind = problem.kind === 'truncated' ? 'cut' : 'undecodable'
    return { kind, atMs, error: problem.message }
  }

  #take(bytes: Uint8Array, atMs: number): void {
    if (this.#excess !== undefined) return
    this.#chunks.push(bytes, atMs)
    const { maxBytes, maxBytesName } = this.#maxSize
    keepHeapCompactFor(this.#isStream ? 'stream' : 'body', this.#chunks.bytes)
    if (this.#chunks.bytes > maxBytes) {
      this.#excess = `sent ${this.#isStream ? 'a stream' : 'a body'} of more than ${maxBytesName}`
    }
    if (this.#isStream) this.#takeOfStream(bytes, atMs)
    if (this.#excess !== undefined) this.#leave()
  }

  #takeOfStream(bytes: Uint8Array, atMs: number): void {
    const { lineBytes, streamEvents } = this.#limits
    const end = Math.max(bytes.lastIndexOf(LF), bytes.lastIndexOf(CR))
    this.#line = end < 0 ? this.#line + bytes.length : bytes.length - end - 1
    if (this.#line > lineBytes) {
      this.#excess ??= `sent a line of more than ${lineBytes} bytes (limits.lineBytes)`
    }
    this.#scanner.feed(bytes, atMs)
    const { dispatched } = this.#scanner
    if (dispatched > streamEvents) {
      this.#excess ??= `sent more than ${streamEvents} events (limits.streamEvents)`
    }
    this.#listener.onEvents(dispatched)
  }

  /** A body that is not read to its end cannot be parsed, unlike the events of a stream. */
  #leave(): void {
    if (!this.#isStream) this.#chunks.truncate(keptBytes)
    this.#listener.onUnreadable()
  }
}

/** Bytes kept of a body that is not read to its end, as evidence of what the target sent. */
const keptBytes = 64 * 1024

const none: readonly StreamEvent[] = []

/** Ten times the largest stream of `check --reference`; a list of models may be as large. */
const large = { stream: 256 * 1024, body: 1024 * 1024 }

/**
 * V8 lets its heap grow to a multiple of what is alive before it collects, and reading a large body
 * makes several times its size in objects that die at once. So the first large body of a process
 * makes V8 collect earlier: `check` of a target whose streams have a million events stays at some
 * 440 MB instead of 685 MB. From the start on, the same flags would cost an ordinary run 30 % more CPU.
 *
 * `load` reads its responses elsewhere and keeps V8's defaults: a collection would delay its time timestamps.
 */
export function keepHeapCompactFor(kind: 'stream' | 'body', bytes: number): void {
  if (isCompact || bytes < large[kind]) return
  isCompact = true
  setFlagsFromString('--heap-growing-percent=15')
  setFlagsFromString('--max-semi-space-size=4')
  setFlagsFromString('--semi-space-growth-factor=1')
}

let isCompact = false

export function isEventStream(headers: readonly Header[]): boolean {
  const type = header(headers, 'content-type') ?? ''
  return type.trim().toLowerCase().startsWith('text/event-stream')
}

/** The events of a stream that has come to its end (WHATWG, section 9.2). */
export function decodeEvents(chunks: readonly WireChunk[]): readonly StreamEvent[] {
  const scanner = new SseScanner()
  const events: StreamEvent[] = []
  for (const chunk of chunks) {
    for (const { atMs, name, data } of scanner.feed(chunk.bytes, chunk.atMs)) {
      if (data !== null) events.push({ atMs, name, data })
    }
  }
  return events
}
