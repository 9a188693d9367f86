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

export interface Observer {
  readonly begins?: (served: Served) => void
  /** Called once for each request, when its answer is written or the client has disconnected. */
  readonly ends?: (served: Served, durationMs: number) => void
}

/** Called before any answer, so that every request is observed. */
export function observe(served: Served, observers: readonly Observer[]): void {
  if (observers.length === 0) return
  const startedAt = performance.now()
  for (const { begins } of observers) begins?.(served)
  served.response.on('close', () => {
    const durationMs = performance.now() - startedAt
    for (const { ends } of observers) ends?.(served, durationMs)
  })
}

/** Method and path, without query. */
export function requestLine({ request: { method = 'GET', url = '/' } }: Served) {
  return { method, path: url.split('?', 1)[0] ?? '' }
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
