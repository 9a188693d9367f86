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

/** Bodies are never logged; a refusal is logged with its reason. */
export function requestLog({ format, write, secrets, colorize }: RequestLogOptions): Observer {
  const textOf = (record: RequestRecord) =>
    format === 'json' ? JSON.stringify(record) : prettyLine(record, colorize)
  return {
    ends: (served, durationMs) =>
      write(`${withoutSecrets(textOf(recordOf(served, durationMs)), secrets)}\n`),
  }
}

type RequestRecord = ReturnType<typeof recordOf>

/** Members have the names of the OpenTelemetry conventions for HTTP spans if those define one. */
function recordOf(served: Served, durationMs: number) {
  const { call, answered, found, request, response } = served
  const { statusCode: status } = response
  const { method, path } = requestLine(served)
  return {
    level: levelOf(status),
    time: new Date().toISOString(),
    'http.request.method': method,
    'url.path': path,
    'http.route': found.path,
    'http.response.status_code': status,
    durationMs: Math.round(durationMs * 10) / 10,
    requestId: call?.id,
    caller: call?.caller || undefined,
    stream: (answered !== undefined && 'blocks' in answered) || undefined,
    aborted: !response.writableFinished || undefined,
    ...refusalOf(answered),
    headers: headersToShow(request.headers),
    msg: 'request',
  }
}

function levelOf(status: number): keyof typeof colors {
  return status >= 500 ? 'error' : status >= 400 ? 'warn' : 'info'
}

const colors = { error: 'red', warn: 'yellow', info: 'cyan' } as const

function prettyLine(record: RequestRecord, colorize = false): string {
  const now = new Date(record.time)
  const [hours, minutes, seconds] = [now.getHours(), now.getMinutes(), now.getSeconds()].map(
    (part) => String(part).padStart(2, '0'),
  )
  const ms = String(now.getMilliseconds()).padStart(3, '0')
  const notes = [
    record.caller,
    record.stream && 'stream',
    record.aborted && 'client disconnected',
    record.code && `${record.code}: ${record.detail}`,
  ]
  const status = record['http.response.status_code']
  const head = `${record['http.request.method']} ${record['url.path']} ${status} ${record.durationMs.toFixed(1)} ms`
  const summary = [head, ...notes.filter((note) => note !== undefined)].join('  ')
  const line = `[${hours}:${minutes}:${seconds}.${ms}] ${summary}`
  return colorize ? styleText(colors[record.level], line, { validateStream: false }) : line
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
