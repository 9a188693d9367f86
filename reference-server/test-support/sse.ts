/** Reads streams like a client, with a third-party parser. */
import { createParser } from 'eventsource-parser'

// biome-ignore lint/suspicious/noExplicitAny: tests read events and bodies of any shape
export type Json = any

export interface ReadBlock {
  readonly event: string | undefined
  readonly data: string
}

export function readBlocks(text: string): ReadBlock[] {
  const blocks: ReadBlock[] = []
  const parser = createParser({ onEvent: ({ event, data }) => blocks.push({ event, data }) })
  parser.feed(text)
  return blocks
}

/** The events of a v3 stream. */
export function readEvents(text: string): Json[] {
  return readBlocks(text).map(({ data }) => JSON.parse(data))
}

/** The chunks of a compatible stream, without its end marker. */
export function readChunks(text: string): Json[] {
  return readBlocks(text)
    .map(({ data }) => data)
    .filter((data) => data !== '[DONE]')
    .map((data) => JSON.parse(data))
}

export function joined(events: readonly Json[], type: string): string {
  return events
    .filter((event) => event.type === type)
    .map((event) => event.delta)
    .join('')
}
