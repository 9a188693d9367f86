import { Chalk } from 'chalk'
import type { Ending, Exchange, StreamEvent } from '../harness/contract/index.ts'
import { count, printable, shorten } from './text.ts'

export interface TimelineOptions {
  readonly color: boolean
  /** Columns of a line. */
  readonly width: number
  /** Index of the event that shows a violation; null where no single one does. */
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
  const shown = events.map((_, at) => isShown(at, events.length, options.offending))
  const lines = events.flatMap((event, at) => {
    if (shown[at]) {
      const line = shorten(eventLine(event, at === options.offending), options.width)
      return [at === options.offending ? chalk.red(line) : line]
    }
    // One line stands for a whole fold, at its beginning.
    if (shown[at - 1] === false) return []
    const end = shown.indexOf(true, at)
    return [chalk.dim(shorten(foldLine(events.slice(at, end)), options.width))]
  })
  return [
    ...lines,
    chalk.dim(shorten(`  ${time(ending.atMs)}  ${endingText(ending)}`, options.width)),
  ]
}

/** How a conversation ended, in words. */
export function endingText(ending: Ending): string {
  switch (ending.kind) {
    case 'complete':
      return 'end of the body'
    case 'cut':
      return `cut off by the target: ${printable(ending.error)}`
    case 'aborted':
      return 'left on purpose'
    case 'timeout':
      return 'nothing more came within the time limit'
    case 'unreachable':
      return `no answer: ${printable(ending.error)} (${printable(ending.code)})`
  }
}

/** A time in a column: `   +12.3 ms`. */
export function time(atMs: number): string {
  return `+${atMs.toFixed(1)} ms`.padStart(11)
}

/** Up to this many events are all shown. */
const unfolded = 14
const atBorders = 3
const aroundOffending = 3

function isShown(at: number, length: number, offending: number | null): boolean {
  if (length <= unfolded || at < atBorders || at >= length - atBorders) return true
  return offending !== null && Math.abs(at - offending) <= aroundOffending
}

function eventLine({ atMs, name, data }: StreamEvent, isOffending: boolean): string {
  const event = name === null ? 'data: ' : `event: ${printable(name)}  `
  return `${isOffending ? '>' : ' '} ${time(atMs)}  ${event}${printable(data)}`
}

function foldLine(events: readonly StreamEvent[]): string {
  const counts = new Map<string, number>()
  for (const { name } of events) {
    const key = printable(name ?? 'unnamed')
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  const names = [...counts]
    .toSorted(([, a], [, b]) => b - a)
    .map(([name, times]) => `${name} ×${times}`)
  return `  ${' '.repeat(11)}  … ${count(events.length, 'event')} more: ${names.join(', ')}`
}
