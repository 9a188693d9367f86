import { createParser } from 'eventsource-parser'
import { type Header, header, type StreamEvent, type WireChunk } from '../../contract/index.ts'

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
export function createEventDecoder(): EventDecoder {
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
