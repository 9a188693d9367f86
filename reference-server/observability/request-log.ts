/** The request log: a line for each answered request, as JSON or for people. */
import { type DestinationStream, pino } from 'pino'
import { prettyFactory } from 'pino-pretty'
import type { AnsweredRequest, OnAnswered } from './answered-request.ts'

export interface RequestLogOptions {
  readonly format: 'pretty' | 'json'
  readonly write: (text: string) => void
  /** Keys, replaced wherever they stand in a line. */
  readonly secrets: readonly string[]
  readonly colorize?: boolean
}

const redacted = '[redacted]'

/** Headers whose value is a credential, whatever it is. */
const credentials = ['authorization', 'proxy-authorization', 'cookie', 'x-api-key', 'api-key']

/**
 * Bodies are never logged; a refusal is logged with its reason. In JSON, members have the names of the
 * OpenTelemetry conventions for HTTP spans where there is one.
 */
export function requestLog(options: RequestLogOptions): OnAnswered {
  const logger = pino(
    {
      base: null,
      redact: { paths: credentials.map((name) => `headers["${name}"]`), censor: redacted },
      formatters: { level: (label) => ({ level: label }) },
      timestamp: pino.stdTimeFunctions.isoTime,
    },
    destination(options),
  )
  const level = (status: number) => (status >= 500 ? 'error' : status >= 400 ? 'warn' : 'info')
  return options.format === 'json'
    ? (request) => logger[level(request.status)](members(request), 'request')
    : (request) => logger[level(request.status)](summary(request))
}

function destination({ format, write, secrets, colorize }: RequestLogOptions): DestinationStream {
  const clean = { write: (line: string) => write(withoutSecrets(line, secrets)) }
  if (format === 'json') return clean
  const pretty = prettyFactory({
    colorize: colorize === true,
    translateTime: 'SYS:HH:MM:ss.l',
    ignore: 'level',
  })
  return { write: (line) => clean.write(pretty(line) ?? '') }
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
    headers: request.headers,
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
  const body = reply !== undefined && 'body' in reply ? reply.body : undefined
  if (typeof body !== 'object' || body === null || !('detail' in body && 'error' in body)) return {}
  const { detail, error } = body
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : null
  return { code: String(code ?? 'refused'), detail: String(detail) }
}

/** Redacts secrets, also as a URL or JSON writes them; JSON may stand in a message within JSON. */
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
