import type { ChalkInstance } from 'chalk'
import { bodyText, type Exchange, header } from '../../../contract/index.ts'
import { toCurl } from '../../text/curl.ts'
import { indent, printable, shorten } from '../../text/escape.ts'
import { statusLine, streamTimeline } from '../../text/timeline.ts'

export interface EvidenceOptions {
  readonly chalk: ChalkInstance
  readonly width: number
  /** Index of the event that shows a violation; null where no single one does. */
  readonly offending: number | null
}

/** What was sent, as a command that sends it again, and what came back. */
export function exchangeLines(exchange: Exchange, options: EvidenceOptions): readonly string[] {
  const { chalk, width } = options
  const requestId = header(exchange.request.headers, 'x-request-id')
  const names = [exchange.id, ...(requestId === undefined ? [] : [requestId])].map(printable)
  return [
    chalk.dim(`sent (${names.join(', ')}):`),
    // Not wrapped: it is there to be pasted.
    ...indent(toCurl(exchange).split('\n'), 2),
    `${chalk.dim('came back:')} ${shorten(statusLine(exchange), width - 11)}`,
    ...indent(bodyLines(exchange, options), 2),
  ]
}

/** Lines of a body that are shown at most. */
const bodyHeight = 6

function bodyLines(exchange: Exchange, options: EvidenceOptions): readonly string[] {
  const width = options.width - 2
  if (exchange.events.length > 0) {
    const { offending, chalk } = options
    return streamTimeline(exchange, { width, offending, color: chalk.level > 0 })
  }
  const text = printable(
    bodyText(exchange)
      .trim()
      .slice(0, 2 * width * bodyHeight),
  )
  if (text === '') return []
  const characters = [...shorten(text, width * bodyHeight)]
  const height = Math.ceil(characters.length / width)
  return [...Array(height).keys()].map((line) =>
    characters.slice(line * width, (line + 1) * width).join(''),
  )
}
