/** The request log: a line for each answered request, as JSON or for people. */
import { styleText } from 'node:util'
import { asObject } from '../../contract/json.ts'
import { type AnsweredRequest, headersToShow, type Observer, redacted } from './observe.ts'

export interface RequestLogOptions {
  readonly format: 'pretty' | 'json'
  /** Receives a line, line end included. */
  readonly write: (text: string) => void
  /** Keys, replaced everywhere in a line. */
  readonly secrets: readonly string[]
  readonly colorize?: boolean
}

/**
 * Bodies are never logged; a refusal is logged with its reason. In JSON, fields have the names of the
 * OpenTelemetry conventions for HTTP spans if those define one.
 */
export function requestLog({ format, write, secrets, colorize }: RequestLogOptions): Observer {
  const lineOf = format === 'json' ? jsonLine : (one: AnsweredRequest) => prettyLine(one, colorize)
  return { ends: (request) => write(`${withoutSecrets(lineOf(request), secrets)}\n`) }
}

function jsonLine(request: AnsweredRequest): string {
  const { status } = request
  const level = status >= 500 ? 'error' : status >= 400 ? 'warn' : 'info'
  const time = new Date().toISOString()
  return JSON.stringify({ level, time, ...members(request), msg: 'request' })
}

function prettyLine(request: AnsweredRequest, colorize = false): string {
  const now = new Date()
  const time = [now.getHours(), now.getMinutes(), now.getSeconds()]
    .map((part) => String(part).padStart(2, '0'))
    .join(':')
  const line = `[${time}.${String(now.getMilliseconds()).padStart(3, '0')}] ${summary(request)}`
  if (!colorize) return line
  const { status } = request
  const color = status >= 500 ? 'red' : status >= 400 ? 'yellow' : 'cyan'
  return styleText(color, line, { validateStream: false })
}

function members(request: AnsweredRequest): object {
  const { id, caller, reply, route, durationMs, aborted } = request
  return {
    'http.request.method': request.method,
    'url.path': request.path,
    ...(route === undefined ? {} : { 'http.route': route }),
    'http.response.status_code': request.status,
    durationMs: Math.round(durationMs * 10) / 10,
    ...(id === undefined ? {} : { requestId: id }),
    ...(caller === '' ? {} : { caller }),
    ...(reply !== undefined && 'blocks' in reply ? { stream: true } : {}),
    ...(aborted ? { aborted } : {}),
    ...refusalOf(reply),
    headers: headersToShow(request.headers),
  }
}

function summary(request: AnsweredRequest): string {
  const { method, path, caller, reply, status, durationMs, aborted } = request
  const { code, detail } = refusalOf(reply)
  const notes = [
    caller,
    reply !== undefined && 'blocks' in reply ? 'stream' : '',
    aborted ? 'client left' : '',
    code === undefined ? '' : `${code}: ${detail}`,
  ]
  const head = `${method} ${path} ${status} ${durationMs.toFixed(1)} ms`
  return [head, ...notes.filter((note) => note !== '')].join('  ')
}

/** Reason of a refusal, from its problem details. */
function refusalOf(reply: AnsweredRequest['reply']): { code?: string; detail?: string } {
  const body = reply !== undefined && 'body' in reply ? asObject(reply.body) : undefined
  if (body === undefined || !('detail' in body && 'error' in body)) return {}
  const code = asObject(body['error'])?.['code'] ?? 'refused'
  return { code: String(code), detail: String(body['detail']) }
}

/** Redacts secrets, including their forms in URLs, JSON and nested JSON. */
function withoutSecrets(line: string, secrets: readonly string[]): string {
  return secrets
    .flatMap((secret) => [
      secret,
      escaped(secret),
      escaped(escaped(secret)),
      encodeURIComponent(secret),
    ])
    .reduce((text, secret) => text.replaceAll(secret, redacted), line)
}

function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}
