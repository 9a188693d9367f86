import { bodyText, type Exchange, header } from '../../contract/index.ts'
import { hasLongBody, toCurl } from '../text/curl/curl.ts'
import { shellQuote } from '../text/curl/shell-quote.ts'
import { indent, type Lines, type Page, printable, shorten } from '../text/escape.ts'
import { eventLine, statusLine, streamTimeline } from '../text/timeline.ts'
import type { Shown } from './document.ts'

/** Maximum exchanges after the first, on one line each. */
const maxSeen = 20

/**
 * The first exchange in full, since it shows the violation, and those needed to repeat it; a line for each of
 * the others. Commands to be pasted may be longer than a line.
 */
export function evidenceLines(evidence: readonly Shown[], page: Page): Lines {
  const [first] = evidence
  const listed = first?.isWhole ? evidence : evidence.slice(0, 1 + maxSeen)
  const more = evidence.length - listed.length
  return [
    ...listed.flatMap((item, at) => {
      const { id, exchange, isWhole } = item
      if (exchange === undefined) return [missingLine(id)]
      if (at === 0 || isWhole) {
        return exchangeLines(exchange, page, item)
      }
      const { method, url } = exchange.request
      const see = `see ${printable(id)}: ${printable(`${method} ${url}`)} → ${statusLine(exchange)}`
      return [page.chalk.dim(shorten(see, page.width))]
    }),
    ...(more === 0 ? [] : [`and ${more} more in exchanges.ndjson`]),
  ]
}

/** The request of the first exchange as a command, or as a script that is there, and its response in one line. */
export function briefEvidence(
  [first]: readonly Shown[],
  { chalk, width, isScript }: Page & { readonly isScript: boolean },
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

/** The request as a command that repeats it, and the response. */
function exchangeLines(exchange: Exchange, { chalk, width }: Page, item: Shown): Lines {
  const requestId = header(exchange.request.headers, 'x-request-id')
  const names = [exchange.id, ...(requestId === undefined ? [] : [requestId])].map(printable)
  return [
    chalk.dim(`request (${names.join(', ')}):`),
    ...indent(commandText(exchange, item).split('\n'), 2),
    `${chalk.dim('response:')} ${shorten(statusLine(exchange), width - 10)}`,
    ...indent(bodyLines(exchange, { chalk, width: width - 2 }, item.event), 2),
  ]
}

/** Maximum number of lines shown of a body. */
const bodyHeight = 6

function bodyLines(exchange: Exchange, page: Page, offending: number | null): Lines {
  const { width } = page
  if (exchange.events.length > 0) return streamTimeline(exchange, page, offending)
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
