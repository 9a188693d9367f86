import type { ChalkInstance } from 'chalk'
import { bodyText, type Exchange, header } from '../../contract/index.ts'
import { toCurl } from '../text/curl/curl.ts'
import type { Lines } from '../text/escape.ts'
import { indent, printable, shorten } from '../text/escape.ts'
import { eventLine, statusLine, streamTimeline } from '../text/timeline.ts'
import type { Shown } from './document.ts'

/** Evidence as lines of text. */

interface EvidenceOptions {
  readonly chalk: ChalkInstance
  /** Columns of a line; commands to be pasted may be longer. */
  readonly width: number
}

/** Maximum exchanges after the first, on one line each. */
const maxSeen = 20

/**
 * The first exchange in full, since it shows the violation, and those needed to repeat it; a line for each of
 * the others.
 */
export function evidenceLines(evidence: readonly Shown[], options: EvidenceOptions): Lines {
  const [first] = evidence
  const listed = first?.isWhole ? evidence : evidence.slice(0, 1 + maxSeen)
  const more = evidence.length - listed.length
  return [
    ...listed.flatMap((item, at) => {
      const { id, exchange, event, isWhole } = item
      if (exchange === undefined) return [missingLine(id)]
      if (at === 0 || isWhole) {
        return exchangeLines(exchange, { ...options, offending: event, chat: item.chat })
      }
      return [options.chalk.dim(shorten(seeLine(exchange), options.width))]
    }),
    ...(more === 0 ? [] : [`and ${more} more in exchanges.ndjson`]),
  ]
}

/** The request of the first exchange as a command, and its response in one line. */
export function briefEvidence([first]: readonly Shown[], { chalk, width }: EvidenceOptions): Lines {
  if (first === undefined) return []
  const { id, exchange, event, chat } = first
  if (exchange === undefined) return [missingLine(id)]
  const status = exchange.response?.status ?? statusLine(exchange)
  const offending = event === null ? undefined : exchange.events[event]
  const body = offending === undefined ? bodyText(exchange).trim() : eventLine(offending).trim()
  const answer = `→ ${status}  ${printable(body.slice(0, 2 * width))}`.trimEnd()
  return [
    ...toCurl(exchange, { isCompact: true, chat }).split('\n'),
    chalk.dim(shorten(answer, width)),
  ]
}

interface ExchangeOptions extends Pick<Shown, 'chat'> {
  readonly offending: number | null
}

/** The request as a command that repeats it, and the response. */
function exchangeLines(
  exchange: Exchange,
  { chalk, width, offending, chat }: EvidenceOptions & ExchangeOptions,
): Lines {
  const requestId = header(exchange.request.headers, 'x-request-id')
  const names = [exchange.id, ...(requestId === undefined ? [] : [requestId])].map(printable)
  return [
    chalk.dim(`request (${names.join(', ')}):`),
    ...indent(toCurl(exchange, { chat }).split('\n'), 2),
    `${chalk.dim('response:')} ${shorten(statusLine(exchange), width - 10)}`,
    ...indent(bodyLines(exchange, { chalk, width: width - 2, offending }), 2),
  ]
}

/** Maximum number of lines shown of a body. */
const bodyHeight = 6

function bodyLines(
  exchange: Exchange,
  { chalk, width, offending }: EvidenceOptions & { readonly offending: number | null },
): Lines {
  if (exchange.events.length > 0) {
    return streamTimeline(exchange, { width, offending, color: chalk.level > 0 })
  }
  const body = bodyText(exchange).trim()
  const text = printable(body.slice(0, 2 * width * bodyHeight))
  if (text === '') return []
  const characters = [...shorten(text, width * bodyHeight)]
  const height = Math.ceil(characters.length / width)
  return [...Array(height).keys()].map((line) =>
    characters.slice(line * width, (line + 1) * width).join(''),
  )
}

function seeLine(exchange: Exchange): string {
  const { method, url } = exchange.request
  return `see ${printable(exchange.id)}: ${printable(`${method} ${url}`)} → ${statusLine(exchange)}`
}

function missingLine(id: string): string {
  return `${printable(id)} is not among the recorded exchanges`
}
