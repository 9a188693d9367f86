import type { ChalkInstance } from 'chalk'
import { bodyText, type Exchange, header } from '../../../contract/index.ts'
import type { RequirementRow } from '../../../contract/report/conformance.ts'
import { toCurl } from '../../text/curl/curl.ts'
import { indent, printable, shorten } from '../../text/escape.ts'
import { statusLine, streamTimeline } from '../../text/timeline.ts'

export interface EvidenceOptions {
  readonly chalk: ChalkInstance
  readonly width: number
  /** Index of the event that shows a violation; null where no single one does. */
  readonly offending: number | null
}

/** The request as a command that repeats it, and the response. */
export function exchangeLines(exchange: Exchange, options: EvidenceOptions): readonly string[] {
  const { chalk, width } = options
  const requestId = header(exchange.request.headers, 'x-request-id')
  const names = [exchange.id, ...(requestId === undefined ? [] : [requestId])].map(printable)
  return [
    chalk.dim(`request (${names.join(', ')}):`),
    // Not wrapped, so that it can be pasted.
    ...indent(toCurl(exchange).split('\n'), 2),
    `${chalk.dim('response:')} ${shorten(statusLine(exchange), width - 10)}`,
    ...indent(bodyLines(exchange, options), 2),
  ]
}

/** Tests if each exchange is needed to repeat a violation: those of a random sequence are. */
export function isSequence(rows: readonly Pick<RequirementRow, 'brokenBy'>[]): boolean {
  return rows.some(({ brokenBy }) => brokenBy.includes('explore'))
}

/** Maximum number of lines shown of a body. */
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
