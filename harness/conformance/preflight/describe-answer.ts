import { bodyText, type Exchange, header, mediaType } from '../../../contract/index.ts'
import { classifyAnswer, isPage } from './classify-answer.ts'

/**
 * An answer in a line: `GET /api/openai/models: 404 text/html "Not Found" (server: nginx/1.22)`. What
 * stands in it is the target's: whoever prints it escapes it.
 */
export function describeAnswer(exchange: Exchange): string {
  const { request, response, ending } = exchange
  const what = `${request.method} ${new URL(request.url).pathname}`
  if (response === null) {
    return `${what}: ${ending.kind === 'timeout' ? 'no answer in time' : 'no answer'}`
  }
  const parts = [
    String(response.status),
    mediaType(exchange),
    titleOf(exchange),
    locationOf(exchange),
    retryOf(exchange),
    serverOf(exchange),
    endOf(exchange),
  ]
  return `${what}: ${parts.filter((part) => part !== '').join(' ')}`
}

/** Length of a text of the target, in characters. */
const maxLength = 80

/** The title of a page; of any other body, and of a page without a title, how it begins. */
function titleOf(exchange: Exchange): string {
  if (classifyAnswer(exchange) === 'service') return ''
  const text = bodyText(exchange).slice(0, 20_000)
  const [, title = ''] = isPage(exchange) ? (/<title[^>]*>([^<]{1,400})/i.exec(text) ?? []) : []
  const words = title.trim() === '' ? brief(textOf(text), 60) : brief(title)
  return words === '' || /^[{[]/.test(words) ? words : JSON.stringify(words)
}

function textOf(page: string): string {
  return page.replaceAll(/<(script|style)\b.*?<\/\1\s*>|<!--.*?-->|<[^<>]*>/gis, ' ')
}

function locationOf(exchange: Exchange): string {
  const location = header(exchange.response?.headers ?? [], 'location')
  return location === undefined ? '' : `to ${brief(location)}`
}

function retryOf(exchange: Exchange): string {
  const after = header(exchange.response?.headers ?? [], 'retry-after')
  return after === undefined ? '' : `(Retry-After: ${brief(after)})`
}

function serverOf(exchange: Exchange): string {
  const server = header(exchange.response?.headers ?? [], 'server')
  return server === undefined || server.trim() === '' ? '' : `(server: ${brief(server)})`
}

function endOf({ ending }: Exchange): string {
  const isLate = ending.kind === 'timeout' || (ending.kind === 'aborted' && !ending.limit)
  return isLate ? 'without an end in time' : ''
}

function brief(text: string, length = maxLength): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return line.length > length ? `${line.slice(0, length)}…` : line
}

/** Reason why nothing answers, in a sentence; of the system's errors it names the code. */
export function unreachableText(baseUrl: string, answer: Exchange | undefined): string {
  const ending = answer?.ending
  if (ending?.kind === 'timeout' || ending?.kind === 'aborted')
    return `${baseUrl} accepts connections but does not answer`
  const code = ending?.kind === 'unreachable' ? ending.code : 'UNKNOWN'
  const error = ending && 'error' in ending ? ending.error : 'no answer'
  const reason = reasons[code]
  // The client tells of TLS and of proxies in sentences of their own.
  if (reason === undefined && error.includes(new URL(baseUrl).hostname)) return error
  if (code.startsWith('PROXY_')) return `${baseUrl}: ${error}`
  return `${baseUrl}: ${reason ?? error} (${code})`
}

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'no such host',
  EAI_AGAIN: 'the host name could not be resolved',
  ECONNRESET: 'the connection is reset before an answer',
  CONNECTION_CLOSED: 'the connection is closed before an answer',
  HTTP2_CONNECTION_CLOSED: 'the HTTP/2 connection is closed before an answer',
  UND_ERR_CONNECT_TIMEOUT: 'the connection timed out',
}
