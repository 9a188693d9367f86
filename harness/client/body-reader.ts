import {
  type CodedBody,
  type Ending,
  type Header,
  header,
  type StreamEvent,
  type WireChunk,
} from '../contract/index.ts'
import { type ContentDecoder, codingsOf, createContentDecoder } from './content-coding.ts'
import { createEventDecoder, type EventDecoder } from './events.ts'

export interface ReadBody {
  /** Decoded; each piece has the time at which the bytes came that it was decoded from. */
  readonly chunks: readonly WireChunk[]
  /** As it came, where it had a Content-Encoding. */
  readonly coded: CodedBody | undefined
  readonly events: readonly StreamEvent[]
  readonly ending: Ending
}

interface Listener {
  /** Told how many events of a stream have come. */
  onEvents(count: number): void
  /** The rest of the body is of no use. */
  onUnreadable(): void
}

/** Undoes the Content-Encoding of a body (RFC 9110, section 8.4) and decodes event streams. */
export class BodyReader {
  private readonly codings: readonly string[]
  private readonly listener: Listener
  private readonly chunks: WireChunk[] = []
  private readonly coded: WireChunk[] = []
  private readonly events: StreamEvent[] = []
  private readonly eventDecoder: EventDecoder | undefined
  private readonly decoder: ContentDecoder | undefined
  /** What was given to the decoder is decoded one after the other. */
  private decoding: Promise<void> = Promise.resolve()

  constructor(headers: readonly Header[], maxDecodedBytes: number, listener: Listener) {
    this.listener = listener
    this.codings = codingsOf(headers)
    if (isEventStream(headers)) this.eventDecoder = createEventDecoder()
    if (this.codings.length === 0) return
    this.decoder = createContentDecoder(this.codings, maxDecodedBytes)
  }

  push(chunk: WireChunk): void {
    if (this.codings.length === 0) {
      this.take(chunk)
      return
    }
    this.coded.push(chunk)
    const { decoder } = this
    if (!decoder) return
    this.decoding = this.decoding.then(async () => {
      if (decoder.problem !== undefined) return
      for (const bytes of await decoder.push(chunk.bytes)) this.take({ atMs: chunk.atMs, bytes })
      if (decoder.problem !== undefined) this.listener.onUnreadable()
    })
  }

  /** Waits for what is still being decoded. A coding that cannot be read changes the ending. */
  async finish(ending: Ending): Promise<ReadBody> {
    await this.decoding
    const told = await this.endOf(ending)
    return {
      chunks: this.chunks,
      coded:
        this.coded.length === 0
          ? undefined
          : { coding: this.codings.join(', '), chunks: this.coded },
      events: this.events,
      ending: told,
    }
  }

  private async endOf(ending: Ending): Promise<Ending> {
    const { atMs } = ending
    // An answer without a body may name a coding (RFC 9110, section 8.4).
    if (this.coded.length === 0) return ending
    if (!this.decoder) {
      if (ending.kind !== 'complete') return ending
      const named = this.codings.join(', ')
      const error = `the body has the Content-Encoding ${named}, which this kit cannot decode and did not ask for`
      return { kind: 'undecodable', atMs, error }
    }
    if (ending.kind === 'complete') await this.decoder.end()
    const { problem } = this.decoder
    if (problem === undefined) return ending
    return {
      kind: problem.kind === 'truncated' ? 'cut' : 'undecodable',
      atMs,
      error: problem.message,
    }
  }

  private take(chunk: WireChunk): void {
    this.chunks.push(chunk)
    if (!this.eventDecoder) return
    this.events.push(...this.eventDecoder.push(chunk))
    this.listener.onEvents(this.events.length)
  }
}

function isEventStream(headers: readonly Header[]): boolean {
  const type = header(headers, 'content-type') ?? ''
  return type.trim().toLowerCase().startsWith('text/event-stream')
}
