/** The request log: a line for each answered request, as JSON or for people. */
import { styleText } from 'node:util'
import { asObject } from '../../contract/json.ts'
import type { Reply } from '../http/call.ts'
import { headersToShow, type Observer, redacted, requestLine, type Served } from './observe.ts'

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
  const lineOf = format === 'json' ? jsonLine : prettyLine
  return {
    ends: (served, durationMs) =>
      write(`${withoutSecrets(lineOf(served, durationMs, colorize), secrets)}\n`),
  }
}

function jsonLine(served: Served, durationMs: number): string {
  const { call, answered, found, request, response } = served
  const { statusCode: status } = response
  const { method, path } = requestLine(served)
  return JSON.stringify({
    level: status >= 500 ? 'error' : status >= 400 ? 'warn' : 'info',
    time: new Date().toISOString(),
    'http.request.method': method,
    'url.path': path,
    'http.route': found.path,
    'http.response.status_code': status,
    durationMs: Math.round(durationMs * 10) / 10,
    requestId: call?.id,
    caller: call?.caller || undefined,
    stream: isStream(answered) || undefined,
    aborted: !response.writableFinished || undefined,
    ...refusalOf(answered),
    headers: headersToShow(request.headers),
    msg: 'request',
  })
}

function prettyLine(served: Served, durationMs: number, colorize = false): string {
  const now = new Date()
  const time = [now.getHours(), now.getMinutes(), now.getSeconds()]
    .map((part) => String(part).padStart(2, '0'))
    .join(':')
  const ms = String(now.getMilliseconds()).padStart(3, '0')
  const line = `[${time}.${ms}] ${summary(served, durationMs)}`
  if (!colorize) return line
  const { statusCode: status } = served.response
  const color = status >= 500 ? 'red' : status >= 400 ? 'yellow' : 'cyan'
  return styleText(color, line, { validateStream: false })
}

function summary(served: Served, durationMs: number): string {
  const { call, answered, response } = served
  const { method, path } = requestLine(served)
  const { code, detail } = refusalOf(answered)
  const notes = [
    call?.caller ?? '',
    isStream(answered) ? 'stream' : '',
    response.writableFinished ? '' : 'client left',
    code === undefined ? '' : `${code}: ${detail}`,
  ]
  const head = `${method} ${path} ${response.statusCode} ${durationMs.toFixed(1)} ms`
  return [head, ...notes.filter((note) => note !== '')].join('  ')
}

function isStream(reply: Reply | undefined): boolean {
  return reply !== undefined && 'blocks' in reply
}

/** Reason of a refusal, from its problem details. */
function refusalOf(reply: Reply | undefined): { code?: string; detail?: string } {
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
