import {
  bodyJson,
  bodyText,
  type Exchange,
  header,
  mediaType,
  requestPath,
} from '../../../contract/index.ts'
import type { RequestSpec } from '../session/requests/wire-request.ts'

/**
 * Kind of sender of a response. `service`: a route of the service, with any content. `refused`: the key is
 * refused. `busy`: not now. `absent`: no such route, or not for this method. `failing`: a 5xx, which any
 * server may send. `other`: something else, such as a page, a redirect or a gateway. `silence`: no response.
 */
export type AnswerKind = 'service' | 'refused' | 'busy' | 'absent' | 'failing' | 'other' | 'silence'

/** The bodies of errors are not shown, so a JSON response is enough; the document shows no other. */
export function classifyAnswer(exchange: Exchange): AnswerKind {
  const { response } = exchange
  if (response === null) return 'silence'
  const { status } = response
  if (status === 401 || status === 403) return isPage(exchange) ? 'other' : 'refused'
  if (status === 429 || status === 503) return 'busy'
  if (absences.includes(status)) return 'absent'
  if (status >= 500) return 'failing'
  if ((status >= 300 && status < 400) || status === misdirected) return 'other'
  return isJson(exchange) || exchange.events.length > 0 ? 'service' : 'other'
}

const absences: readonly number[] = [404, 405, 410, 501]
/** RFC 9110 15.5.20: the host name leads to a server that is not responsible for it. */
export const misdirected = 421

function withoutEcho(exchange: Exchange): string {
  const { method, url } = exchange.request
  const { pathname, search } = new URL(url)
  const requestParts = [`${pathname}${search}`, pathname, method]
  const text = requestParts.reduce((body, part) => body.replaceAll(part, ''), bodyText(exchange))
  return `${exchange.response?.status} ${mediaType(exchange)} ${withoutNumbers(text)}`
}

/** Times, ids and lengths differ from response to response. */
function withoutNumbers(text: string): string {
  return text.replaceAll(/[0-9a-f-]*\d[0-9a-f-]*/gi, '')
}

/** The media type of a cut or coded body still shows what it is. */
function isJson(exchange: Exchange): boolean {
  if (exchange.response?.chunks.length === 0) return false
  const body = bodyJson(exchange)
  return /[/+]json$/.test(mediaType(exchange)) || (typeof body === 'object' && body !== null)
}

export function isPage(exchange: Exchange): boolean {
  const type = mediaType(exchange)
  if (/json|event-stream/.test(type)) return false
  // Some frameworks label what a handler returns as HTML.
  const body = bodyJson(exchange)
  if (typeof body === 'object' && body !== null) return false
  return /html/.test(type) || /^\s*(<!doctype html|<html)/i.test(bodyText(exchange))
}

export type SendProbe = (spec: RequestSpec) => Promise<Exchange>

/**
 * Selects the responses that only an existing route gives. A service may answer 404 for an unknown resource,
 * so two nonexistent routes next to it are requested as well: if their refusals are equal and differ from the
 * response, the route exists. A gateway whose 404 bodies all differ, because they repeat the path with a
 * prefix or propose another route, has no such route; neither has a server that proposes this path elsewhere.
 */
export async function selectRouted(
  answers: readonly Exchange[],
  ask: SendProbe,
): Promise<Exchange[]> {
  // Pages are for readers and may differ each time.
  const absent = answers.filter((answer) => classifyAnswer(answer) === 'absent' && !isPage(answer))
  const routed = new Set(answers.filter((answer) => classifyAnswer(answer) === 'service'))
  for (const answer of absent) {
    if (withoutEcho(answer).includes(withoutNumbers(requestPath(answer)))) continue
    const controls = await Promise.all(absentNames.map((name) => ask(besideRoute(answer, name))))
    const refusals = new Set(controls.map(withoutEcho))
    const areAbsent = controls.every((control) => classifyAnswer(control) === 'absent')
    if (areAbsent && refusals.size === 1 && !refusals.has(withoutEcho(answer))) routed.add(answer)
  }
  return answers.filter((answer) => routed.has(answer))
}

const absentNames = ['no-such-route', 'nothing-is-here']

/** A nonexistent route in the same folder. */
function besideRoute(exchange: Exchange, name: string): RequestSpec {
  const path = requestPath(exchange).replace(/[^/]+$/, name)
  const { method } = exchange.request
  return { surface: 'openai', method, path, ...(method === 'GET' ? {} : { json: {} }) }
}

/**
 * A response in one line: `GET /api/openai/models: 404 text/html "Not Found" (server: nginx/1.22)`. The
 * target determines its content: the caller must escape it.
 */
export function describeAnswer(exchange: Exchange): string {
  const { request, response, ending } = exchange
  const what = `${request.method} ${new URL(request.url).pathname}`
  if (response === null) {
    return `${what}: ${ending.kind === 'timeout' ? 'no answer in time' : 'no answer'}`
  }
  const isLate = ending.kind === 'timeout' || (ending.kind === 'aborted' && !ending.limit)
  const parts = [
    String(response.status),
    mediaType(exchange),
    titleOf(exchange),
    headerText(exchange, 'location', (value) => `to ${value}`),
    headerText(exchange, 'retry-after', (value) => `(Retry-After: ${value})`),
    headerText(exchange, 'server', (value) => `(server: ${value})`),
    isLate ? 'that did not end in time' : '',
  ]
  return `${what}: ${parts.filter((part) => part !== '').join(' ')}`
}

/** Maximum length of a text from the target, in characters. */
const maxLength = 80

/** The title of a page; the beginning of any other body, and of a page without a title. */
function titleOf(exchange: Exchange): string {
  if (classifyAnswer(exchange) === 'service') return ''
  const text = bodyText(exchange).slice(0, 20_000)
  const [, title = ''] = isPage(exchange) ? (/<title[^>]*>([^<]{1,400})/i.exec(text) ?? []) : []
  const plain = text.replaceAll(/<(script|style)\b.*?<\/\1\s*>|<!--.*?-->|<[^<>]*>/gis, ' ')
  const words = title.trim() === '' ? brief(plain, 60) : brief(title)
  return words === '' || /^[{[]/.test(words) ? words : JSON.stringify(words)
}

function headerText({ response }: Exchange, name: string, show: (value: string) => string): string {
  const value = brief(header(response?.headers ?? [], name) ?? '')
  return value === '' ? '' : show(value)
}

function brief(text: string, length = maxLength): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return line.length > length ? `${line.slice(0, length)}…` : line
}

/** Reason why nothing answers, in a sentence; system errors are named by their code. */
export function unreachableText(baseUrl: string, answer: Exchange | undefined): string {
  const ending = answer?.ending
  if (ending?.kind === 'timeout' || ending?.kind === 'aborted')
    return `${baseUrl} accepts connections but does not answer`
  const code = ending?.kind === 'unreachable' ? ending.code : 'UNKNOWN'
  const error = ending && 'error' in ending ? ending.error : 'no answer'
  const reason = reasons[code]
  // The client describes TLS and proxy errors in sentences.
  if (reason === undefined && error.includes(new URL(baseUrl).hostname)) return error
  if (code.startsWith('PROXY_')) return `${baseUrl}: ${error}`
  if (code.startsWith('HPE_'))
    return `${baseUrl}: the answer is not HTTP (${code}): is this the right port?`
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
