import { Chalk } from 'chalk'
import {
  type Ending,
  type Exchange,
  mediaType,
  type StreamEvent,
  type WireResponse,
} from '../../contract/index.ts'
import { printable, shorten } from './escape.ts'
import { count, milliseconds } from './format.ts'

export interface TimelineOptions {
  readonly color: boolean
  /** Columns of a line. */
  readonly width: number
  /** Index of the event that shows a violation; null if no single one does. */
  readonly offending: number | null
}

/**
 * The events of a stream by their time after the first byte of the request, a line each, and how
 * the stream ended. A long stream is folded: its beginning, its end and the surroundings of the
 * offending event, which is marked, stay.
 */
export function streamTimeline(exchange: Exchange, options: TimelineOptions): readonly string[] {
  const chalk = new Chalk({ level: options.color ? 1 : 0 })
  const { events, ending } = exchange
  const lines = foldEvents(events, options.offending).map((entry) => {
    if ('folded' in entry) return chalk.dim(shorten(foldLine(entry.folded), options.width))
    const isOffending = entry.at === options.offending
    const line = shorten(`${isOffending ? '>' : ' '} ${eventLine(entry.event)}`, options.width)
    return isOffending ? chalk.red(line) : line
  })
  return [
    ...lines,
    chalk.dim(shorten(`  ${time(ending.atMs)}  ${endingText(ending)}`, options.width)),
  ]
}

/** An event with its index, or a run of events that are folded. */
export type TimelineEntry =
  | { readonly at: number; readonly event: StreamEvent }
  | { readonly folded: readonly StreamEvent[] }

/** The beginning, the end and the surroundings of the offending event; all if they are few. */
export function foldEvents(
  events: readonly StreamEvent[],
  offending: number | null,
): readonly TimelineEntry[] {
  const isListed = events.map((_, at) => isShown(at, events.length, offending))
  return events.flatMap((event, at): readonly TimelineEntry[] => {
    if (isListed[at]) return [{ at, event }]
    // One entry replaces a whole fold, at its beginning.
    if (isListed[at - 1] === false) return []
    return [{ folded: events.slice(at, isListed.indexOf(true, at)) }]
  })
}

/** Summary of a fold: `27 more events: response.output_text.delta ×27`. */
export function foldText(events: readonly StreamEvent[]): string {
  const counts = new Map<string, number>()
  for (const { name } of events) {
    const key = printable(name ?? 'unnamed')
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  const names = [...counts]
    .toSorted(([, a], [, b]) => b - a)
    .map(([name, times]) => `${name} ×${times}`)
  return `${count(events.length, 'more event')}: ${names.join(', ')}`
}

/** The ending of an exchange in words. */
export function endingText(ending: Ending): string {
  switch (ending.kind) {
    case 'complete':
      return 'end of the body'
    case 'cut':
      return `cut off by the target: ${printable(ending.error)}`
    case 'undecodable':
      return `not decoded: ${printable(ending.error)}`
    case 'aborted':
      return ending.limit === undefined
        ? 'aborted by the client on purpose'
        : `aborted by the client: the target ${printable(ending.limit)}`
    case 'timeout':
      return 'timed out: no data within the time limit'
    case 'unreachable':
      return `no response: ${printable(ending.error)} (${printable(ending.code)})`
  }
}

/** The response in one line: `200 application/json, 53 bytes in 12.3 ms`. */
export function statusLine(exchange: Exchange): string {
  const { response, ending } = exchange
  if (response === null) return endingText(ending)
  const bytes = response.chunks.reduce((sum, chunk) => sum + chunk.bytes.length, 0)
  const type = printable(mediaType(exchange)) || 'no media type'
  const ended = ending.kind === 'complete' ? '' : `, ${endingText(ending)}`
  const over = exchange.protocol === 'h2' ? ' over HTTP/2' : ''
  return `${response.status} ${type}, ${count(bytes, 'byte')}${codedText(response)} in ${milliseconds(ending.atMs)}${over}${ended}`
}

/** ` (812 as gzip)`: size on the wire of a body with a Content-Encoding. */
function codedText({ coded }: WireResponse): string {
  if (coded === undefined) return ''
  const bytes = coded.chunks.reduce((sum, chunk) => sum + chunk.bytes.length, 0)
  return ` (${(coded.withheldBytes ?? bytes).toLocaleString('en')} as ${printable(coded.coding)})`
}

/** A time in a column: `   +12.3 ms`. */
export function time(atMs: number): string {
  return `+${milliseconds(atMs)}`.padStart(11)
}

/** Number of events up to which all are shown. */
const unfolded = 14
const atBorders = 3
const aroundOffending = 3

function isShown(at: number, length: number, offending: number | null): boolean {
  if (length <= unfolded || at < atBorders || at >= length - atBorders) return true
  return offending !== null && Math.abs(at - offending) <= aroundOffending
}

/** `   +12.3 ms  event: response.completed  {"sequence_number":0}`. */
export function eventLine({ atMs, name, data }: StreamEvent): string {
  const event = name === null ? 'data: ' : `event: ${printable(name)}  `
  return `${time(atMs)}  ${event}${printable(data)}`
}

function foldLine(events: readonly StreamEvent[]): string {
  return `  ${' '.repeat(11)}  … ${foldText(events)}`
}
