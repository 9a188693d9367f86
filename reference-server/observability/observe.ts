/** Observation of requests, for the log and for /metrics. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Call } from '../http/call.ts'
import type { AnsweredRequest, OnAnswered } from './answered-request.ts'
import type { ServerMetrics } from './metrics.ts'

export interface Observers {
  /** Called after each answer. */
  readonly onAnswered?: OnAnswered | undefined
  /** Shown at /metrics. */
  readonly metrics?: ServerMetrics | undefined
}

/** Registered before anything that answers, so that each request is seen. */
export function observe(app: FastifyInstance, { onAnswered, metrics }: Observers): void {
  if (metrics !== undefined) {
    app.get('/metrics', async (_request, reply) => {
      return reply.type(metrics.contentType).send(await metrics.text())
    })
  }
  if (onAnswered === undefined && metrics === undefined) return
  app.addHook('onRequest', (request, reply, done) => {
    const startedAt = performance.now()
    metrics?.requestBegins()
    // The hook onResponse is not called for a client that leaves.
    reply.raw.once('close', () => {
      const answered = answeredRequest(request, reply, performance.now() - startedAt)
      metrics?.requestEnds(answered)
      onAnswered?.(answered)
    })
    done()
  })
}

function answeredRequest(
  request: FastifyRequest,
  { raw }: FastifyReply,
  durationMs: number,
): AnsweredRequest {
  const call: Call | undefined = request.call
  return {
    method: request.method,
    path: request.url.split('?', 1)[0] ?? '',
    headers: request.headers,
    id: call?.id,
    caller: call?.caller ?? '',
    reply: request.answered,
    route: request.is404 ? undefined : request.routeOptions.url,
    status: raw.statusCode,
    durationMs,
    aborted: !raw.writableFinished,
  }
}
