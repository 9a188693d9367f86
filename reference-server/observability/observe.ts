/** Observation of requests, for the log and for /metrics. */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { Call, Reply } from '../http/call.ts'
import type { Found } from '../http/router.ts'

/** One request from its head to the end of its answer. */
export interface Served {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly found: Found
  /** Undefined for preflights; includes the body after that was read. */
  call?: Call
  /** Reply to the request; absent for preflights and pages. */
  answered?: Reply
}

/** A request with its answer, after that was written or the client has disconnected. */
export interface AnsweredRequest {
  readonly method: string
  /** Path without query. */
  readonly path: string
  readonly headers: IncomingHttpHeaders
  /** Undefined for preflights. */
  readonly id: string | undefined
  /** Name of the caller, never the key; empty without one. */
  readonly caller: string
  /** Undefined for answers without a handler: preflights and pages such as /docs. */
  readonly reply: Reply | undefined
  /** Path with `:name` for parameters; undefined if no route matches. */
  readonly route: string | undefined
  readonly status: number
  readonly durationMs: number
  /** True if the client disconnected before the answer was complete. */
  readonly aborted: boolean
}

export interface Observer {
  readonly begins?: (served: Served) => void
  /** Called once for each request, when its answer is written or the client has disconnected. */
  readonly ends?: (request: AnsweredRequest) => void
}

/** Called before any answer, so that every request is observed. */
export function observe(served: Served, observers: readonly Observer[]): void {
  if (observers.length === 0) return
  const startedAt = performance.now()
  for (const { begins } of observers) begins?.(served)
  served.response.on('close', () => {
    const answered = answeredRequest(served, performance.now() - startedAt)
    for (const { ends } of observers) ends?.(answered)
  })
}

function answeredRequest(
  { request, response, found, call, answered }: Served,
  durationMs: number,
): AnsweredRequest {
  const { method = 'GET', url = '/', headers } = request
  return {
    method,
    path: url.split('?', 1)[0] ?? '',
    headers,
    id: call?.id,
    caller: call?.caller ?? '',
    reply: answered,
    route: found.path,
    status: response.statusCode,
    durationMs,
    aborted: !response.writableFinished,
  }
}

export const redacted = '[redacted]'

/** Headers whose values are always credentials. */
const credentials = ['authorization', 'proxy-authorization', 'cookie', 'x-api-key', 'api-key']

/** Headers without their credentials. */
export function headersToShow(headers: IncomingHttpHeaders): Readonly<Record<string, unknown>> {
  const entries = Object.entries(headers).map(([name, value]) => [
    name,
    credentials.includes(name) ? redacted : value,
  ])
  return Object.fromEntries(entries)
}
