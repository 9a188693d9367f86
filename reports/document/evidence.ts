import type { ChalkInstance } from 'chalk'
import { bodyText, type Exchange, header } from '../../contract/index.ts'
import { hasLongBody, toCurl } from '../text/curl/curl.ts'
import { shellQuote } from '../text/curl/shell-quote.ts'
import type { Lines } from '../text/escape.ts'
import { indent, printable, shorten } from '../text/escape.ts'
import { eventLine, statusLine, streamTimeline } from '../text/timeline.ts'
import type { Shown } from './document.ts'

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
        return exchangeLines(exchange, { ...options, ...item, offending: event })
      }
      const { method, url } = exchange.request
      const see = `see ${printable(id)}: ${printable(`${method} ${url}`)} → ${statusLine(exchange)}`
      return [options.chalk.dim(shorten(see, options.width))]
    }),
    ...(more === 0 ? [] : [`and ${more} more in exchanges.ndjson`]),
  ]
}

/** The request of the first exchange as a command, or as a script that is there, and its response in one line. */
export function briefEvidence(
  [first]: readonly Shown[],
  { chalk, width, isScript }: EvidenceOptions & { readonly isScript: boolean },
): Lines {
  if (first === undefined) return []
  const { id, exchange, event, chat, script } = first
  if (exchange === undefined) return [missingLine(id)]
  const status = exchange.response?.status ?? statusLine(exchange)
  const offending = event === null ? undefined : exchange.events[event]
  const body = offending === undefined ? bodyText(exchange).trim() : eventLine(offending).trim()
  const answer = `→ ${status}  ${printable(body.slice(0, 2 * width))}`.trimEnd()
  const { method, url } = exchange.request
  const command =
    script !== null && (isScript || needsScript(exchange, chat))
      ? [chalk.dim(shorten(printable(`${method} ${url}`), width)), `bash ${shellQuote(script)}`]
      : toCurl(exchange, { isCompact: true, chat }).split('\n')
  return [...command, chalk.dim(shorten(answer, width))]
}

/** Steps of a chat that are shown before a request. */
const maxSteps = 3

/** The request as a command that repeats it; the script, for a body that is too long or many steps. */
export function commandText(
  exchange: Exchange,
  { chat, script }: Pick<Shown, 'chat' | 'script'>,
): string {
  return script !== null && needsScript(exchange, chat)
    ? `bash ${shellQuote(script)}`
    : toCurl(exchange, { chat })
}

function needsScript(exchange: Exchange, chat: Shown['chat']): boolean {
  const steps = chat?.map((step) => step.exchange) ?? []
  return steps.length > maxSteps || [exchange, ...steps].some(hasLongBody)
}

interface ExchangeOptions extends Pick<Shown, 'chat' | 'script'> {
  readonly offending: number | null
}

/** The request as a command that repeats it, and the response. */
function exchangeLines(
  exchange: Exchange,
  { chalk, width, offending, ...item }: EvidenceOptions & ExchangeOptions,
): Lines {
  const requestId = header(exchange.request.headers, 'x-request-id')
  const names = [exchange.id, ...(requestId === undefined ? [] : [requestId])].map(printable)
  return [
    chalk.dim(`request (${names.join(', ')}):`),
    ...indent(commandText(exchange, item).split('\n'), 2),
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

function missingLine(id: string): string {
  return `${printable(id)} is not among the recorded exchanges`
}
