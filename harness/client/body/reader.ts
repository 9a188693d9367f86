import { setFlagsFromString } from 'node:v8'
import { createParser } from 'eventsource-parser'
import {
  type CodedBody,
  type Ending,
  type Header,
  header,
  type StreamEvent,
  type WireChunk,
} from '../../../contract/index.ts'
import { ChunkList } from './chunk-list.ts'
import { type ContentDecoder, codingsOf, createContentDecoder } from './content-coding.ts'
import { BodyGauge, type BodyLimits } from './limits.ts'

interface Listener {
  /** Called with the number of events of a stream that have come. */
  onEvents(count: number): void
  /** The rest of the body is not needed, or exceeds a limit. */
  onUnreadable(): void
}

/** Undoes the Content-Encoding of a body (RFC 9110, section 8.4) and decodes event streams. */
export class BodyReader {
  readonly #codings: readonly string[]
  readonly #listener: Listener
  readonly #chunks = new ChunkList()
  readonly #coded = new ChunkList()
  readonly #gauge: BodyGauge
  readonly #eventDecoder: EventDecoder | undefined
  #decoder: ContentDecoder | undefined
  #events = 0
  #decodedEvents: WeakRef<readonly StreamEvent[]> | undefined
  /** Last decoding in progress: chunks are decoded one after the other. */
  #decoding: Promise<void> = Promise.resolve()

  constructor(headers: readonly Header[], limits: BodyLimits, listener: Listener) {
    this.#listener = listener
    this.#codings = codingsOf(headers)
    const isStream = isEventStream(headers)
    this.#gauge = new BodyGauge(limits, isStream)
    if (isStream) this.#eventDecoder = createEventDecoder()
    if (this.#codings.length === 0) return
    this.#decoder = createContentDecoder(this.#codings, this.#gauge)
  }

  push({ bytes, atMs }: WireChunk): void {
    if (this.#codings.length === 0) {
      if (this.#gauge.excess !== undefined) return
      this.#chunks.push(bytes, atMs)
      this.#taken(bytes, atMs)
      return
    }
    this.#coded.push(bytes, atMs)
    if (this.#coded.bytes > this.#gauge.maxBytes) {
      this.#gauge.excess ??= `sent a body of more than ${this.#gauge.maxBytesName}`
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
      for (const piece of await decoder.push(copy)) {
        if (this.#gauge.excess !== undefined) break
        this.#chunks.push(piece, atMs)
        this.#taken(piece, atMs)
      }
      if (decoder.problem === undefined) return
      this.#release()
      this.#listener.onUnreadable()
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
    if (this.#eventDecoder === undefined) return none
    const cached = this.#decodedEvents?.deref()
    if (cached !== undefined) return cached
    const made = decodeEvents(this.chunks)
    this.#decodedEvents = new WeakRef(made)
    return made
  }

  async #endOf(ending: Ending): Promise<Ending> {
    const { atMs } = ending
    if (this.#gauge.excess !== undefined)
      return { kind: 'aborted', atMs, limit: this.#gauge.excess }
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
    return {
      kind: problem.kind === 'truncated' ? 'cut' : 'undecodable',
      atMs,
      error: problem.message,
    }
  }

  #taken(bytes: Uint8Array, atMs: number): void {
    keepHeapCompactFor(this.#eventDecoder ? 'stream' : 'body', this.#chunks.bytes)
    this.#gauge.bytes(bytes, this.#chunks.bytes)
    if (this.#eventDecoder) {
      this.#events += this.#eventDecoder.push({ bytes, atMs }).length
      this.#gauge.events(this.#events)
      this.#listener.onEvents(this.#events)
    }
    if (this.#gauge.excess === undefined) return
    this.#release()
    this.#listener.onUnreadable()
  }

  /** A body that is not read to its end cannot be parsed, unlike the events of a stream. */
  #release(): void {
    if (!this.#eventDecoder) this.#chunks.truncate(keptBytes)
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
 * `load` reads its responses elsewhere and keeps V8's defaults: a collection would delay its time stamps.
 */
export function keepHeapCompactFor(kind: 'stream' | 'body', bytes: number): void {
  if (isCompact || bytes < large[kind]) return
  isCompact = true
  setFlagsFromString('--heap-growing-percent=15')
  setFlagsFromString('--max-semi-space-size=4')
  setFlagsFromString('--semi-space-growth-factor=1')
}

let isCompact = false

/** Largest event that is decoded, in characters; a longer one is left to the framing judge. */
const maxEventLength = 16 * 1024 * 1024

export interface EventDecoder {
  /** The events that this chunk completes. */
  push(chunk: WireChunk): readonly StreamEvent[]
}

export function isEventStream(headers: readonly Header[]): boolean {
  const type = header(headers, 'content-type') ?? ''
  return type.trim().toLowerCase().startsWith('text/event-stream')
}

/** The events of a stream that has come to its end. */
export function decodeEvents(chunks: readonly WireChunk[]): readonly StreamEvent[] {
  const decoder = createEventDecoder()
  return chunks.flatMap((chunk) => decoder.push(chunk))
}

/** Decodes an event stream (WHATWG, section 9.2) from chunks that may cut it anywhere. */
function createEventDecoder(): EventDecoder {
  const text = new TextDecoder('utf-8')
  let dispatched: StreamEvent[] = []
  let atMs = 0
  const parser = createParser({
    maxBufferSize: maxEventLength,
    onEvent: (event) => dispatched.push({ atMs, name: event.event ?? null, data: event.data }),
  })
  return {
    push(chunk) {
      dispatched = []
      atMs = chunk.atMs
      parser.feed(text.decode(chunk.bytes, { stream: true }))
      return dispatched
    },
  }
}
