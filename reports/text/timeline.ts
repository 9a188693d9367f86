import { type Ending, type Exchange, mediaType, type StreamEvent } from '../../contract/index.ts'
import { type Lines, type Page, printable, shorten } from './escape.ts'
import { count, milliseconds } from './format.ts'

/**
 * The events of a stream by their time after the first byte of the request, a line each, and how
 * the stream ended. A long stream is folded: its beginning, its end and the surroundings of the
 * offending event, which is marked, stay.
 * @param offending index of the event that shows a violation; null if no single one does
 */
export function streamTimeline(
  { events, ending }: Exchange,
  { chalk, width }: Page,
  offending: number | null,
): Lines {
  const lines = foldEvents(events, offending).map((entry) => {
    if ('folded' in entry)
      return chalk.dim(shorten(`${' '.repeat(15)}… ${foldText(entry.folded)}`, width))
    const isOffending = entry.at === offending
    const line = shorten(`${isOffending ? '>' : ' '} ${eventLine(entry.event)}`, width)
    return isOffending ? chalk.red(line) : line
  })
  return [...lines, chalk.dim(shorten(`  ${time(ending.atMs)}  ${endingText(ending)}`, width))]
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
  const last = events.length - atBorders
  const isListed = events.map(
    (_, at) =>
      events.length <= unfolded ||
      at < atBorders ||
      at >= last ||
      (offending !== null && Math.abs(at - offending) <= aroundOffending),
  )
  return events.flatMap((event, at): readonly TimelineEntry[] => {
    if (isListed[at]) return [{ at, event }]
    // One entry replaces a whole fold, at its beginning.
    if (isListed[at - 1] === false) return []
    return [{ folded: events.slice(at, isListed.indexOf(true, at)) }]
  })
}

/** Summary of a fold: `27 more events: response.output_text.delta ×27`. */
export function foldText(events: readonly StreamEvent[]): string {
  const names = [...Map.groupBy(events, ({ name }) => printable(name ?? 'unnamed'))]
    .toSorted(([, a], [, b]) => b.length - a.length)
    .map(([name, own]) => `${name} ×${own.length}`)
  return `${count(events.length, 'more event')}: ${names.join(', ')}`
}

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
  const sizeOf = (chunks: typeof response.chunks) =>
    chunks.reduce((sum, { bytes }) => sum + bytes.length, 0)
  const { coded } = response
  // Size on the wire of a body with a Content-Encoding.
  const wire = coded && (coded.withheldBytes ?? sizeOf(coded.chunks)).toLocaleString('en')
  const type = printable(mediaType(exchange)) || 'no media type'
  const ended = ending.kind === 'complete' ? '' : `, ${endingText(ending)}`
  const over = exchange.protocol === 'h2' ? ' over HTTP/2' : ''
  return `${response.status} ${type}, ${count(sizeOf(response.chunks), 'byte')}${coded ? ` (${wire} as ${printable(coded.coding)})` : ''} in ${milliseconds(ending.atMs)}${over}${ended}`
}

/** A time in a column: `   +12.3 ms`. */
export function time(atMs: number): string {
  return `+${milliseconds(atMs)}`.padStart(11)
}

/** Number of events up to which all are shown. */
const unfolded = 14
const atBorders = 3
const aroundOffending = 3

/** `   +12.3 ms  event: response.completed  {"sequence_number":0}`. */
export function eventLine({ atMs, name, data }: StreamEvent): string {
  const event = name === null ? 'data: ' : `event: ${printable(name)}  `
  return `${time(atMs)}  ${event}${printable(data)}`
}
