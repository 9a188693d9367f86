/** One case against one server: over a number of connections, each sending one request after the other. */
import { randomUUID } from 'node:crypto'
import { createHistogram, performance } from 'node:perf_hooks'
import autocannon from 'autocannon'
import type { LoadTarget } from '../target.ts'
import type { BenchCase, BenchPrompt } from './cases.ts'

export interface BenchOptions {
  readonly target: LoadTarget
  readonly prompt: BenchPrompt
  readonly cases: readonly BenchCase[]
  readonly connections: number
  /** Duration of a measurement, after a warm-up of a second. */
  readonly seconds: number
  readonly timeoutSeconds: number
  /** Number of turns of v3 generate in one chat. */
  readonly turns: number
  /** True to also bench a bare server that writes the same bytes. */
  readonly baseline: boolean
  /** Ends the measurement within a second; results so far are kept. */
  readonly signal: AbortSignal
  readonly onProgress?: (what: string) => void
}

/** The requests of one case to one server. */
export interface BenchRequests {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: object
  /** The chat of the next turn of a connection; null for requests that are not stored. */
  readonly chat: ((connection: number) => string) | null
}

export type BenchFigures = Awaited<ReturnType<typeof measure>>

const maxFailuresPerConnection = 100

export async function measure(
  benchCase: BenchCase,
  requests: BenchRequests,
  { connections, timeoutSeconds, signal, ...options }: BenchOptions,
  seconds = options.seconds,
) {
  const latencies = createHistogram({ figures: 3 })
  let events = 0
  let connection = 0
  const before = performance.eventLoopUtilization()
  const result = await cannon(
    {
      url: requests.url,
      method: 'POST',
      connections,
      duration: seconds,
      timeout: timeoutSeconds,
      // autocannon reopens a refused connection at once, forever.
      bailout: connections * maxFailuresPerConnection,
      headers: { ...requests.headers },
      body: JSON.stringify(requests.body),
      ...(requests.chat === null
        ? {}
        : { setupClient: (client) => setTurns(client, requests, connection++) }),
      verifyBody: (body) => {
        const text = String(body)
        if (benchCase.stream) events += countBlocks(text)
        return benchCase.whole.test(text)
      },
    },
    signal,
    (status, ms) => {
      if (status < 300) latencies.record(Math.max(1, Math.round(ms * 1000)))
    },
  )
  const { utilization } = performance.eventLoopUtilization(before)
  const { duration, errors, timeouts, non2xx, mismatches } = result
  const answered = result['2xx'] + non2xx
  const answers = result['2xx'] - mismatches
  return {
    /** Whole answers. */
    answers,
    answersPerSecond: answers / duration,
    /** Events of streams; null for unstreamed answers. */
    eventsPerSecond: benchCase.stream ? events / duration : null,
    bytesPerSecond: result.throughput.total / duration,
    /** Time from the request to the end of the answer, milliseconds; null if there was none. */
    latencyMs:
      latencies.count === 0
        ? null
        : {
            p50: latencies.percentile(50) / 1000,
            p90: latencies.percentile(90) / 1000,
            p99: latencies.percentile(99) / 1000,
            max: latencies.max / 1000,
          },
    failures: {
      /** Connections refused or broken. */
      connection: errors - timeouts,
      timeout: timeouts,
      /** Answers with an unsuccessful status. */
      status: non2xx,
      /** Successful answers that are not whole. */
      broken: mismatches,
      // autocannon silently reopens a connection that ends in mid-answer.
      lost: Math.max(0, result.requests.sent - answered - errors - connections),
    },
    /** Share of the time in which the event loop of the client was busy. */
    clientBusy: utilization,
  }
}

/**
 * Runs autocannon. Without a rate it corrects no latencies for coordinated omission, and rejects
 * `ignoreCoordinatedOmission`; with one, its correction mistakes seconds for milliseconds, and that option
 * would be needed. Its own histogram has a resolution of a millisecond.
 */
function cannon(
  options: autocannon.Options,
  signal: AbortSignal,
  onAnswer: (status: number, ms: number) => void,
): Promise<autocannon.Result> {
  return new Promise((resolve, reject) => {
    const instance = autocannon(options, (error, result) => {
      signal.removeEventListener('abort', stop)
      if (error) reject(error)
      else resolve(result)
    })
    const stop = () => instance.stop()
    signal.addEventListener('abort', stop)
    if (signal.aborted) stop()
    instance.on('response', (_client, status, _bytes, ms) => onAnswer(status, ms))
  })
}

function setTurns(client: autocannon.Client, requests: BenchRequests, connection: number): void {
  client.setRequests([
    { setupRequest: (request) => ({ ...request, ...nextRequest(requests, connection) }) },
  ])
}

function countBlocks(text: string): number {
  let blocks = 0
  for (let at = text.indexOf('\n\n'); at >= 0; at = text.indexOf('\n\n', at + 2)) blocks += 1
  return blocks
}

export function nextRequest(
  { headers, body, chat }: BenchRequests,
  connection: number,
): { headers: Record<string, string>; body: string } {
  if (chat === null) return { headers: { ...headers }, body: JSON.stringify(body) }
  return {
    headers: { ...headers, 'idempotency-key': randomUUID() },
    body: JSON.stringify({ chat_id: chat(connection), ...body }),
  }
}

/**
 * Utilization above which the event loop of the client is saturated: throughput is that of the client, and
 * latencies include the time that answers waited for it.
 */
export const maxClientUtilization = 0.95
