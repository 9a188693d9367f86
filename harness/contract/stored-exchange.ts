import { z } from 'zod'
import type { Exchange, WireChunk } from './exchange.ts'

/**
 * One line of `exchanges.ndjson`. Bytes are text where they are UTF-8 by themselves, else base64,
 * so that a reader sees what was sent and a program gets the bytes back exactly.
 */
const bytes = z.union([z.object({ text: z.string() }), z.object({ base64: z.string() })])
const headers = z.array(z.tuple([z.string(), z.string()]))
const atMs = z.number()

export const storedExchange = z.object({
  id: z.string(),
  labels: z.object({
    scenario: z.string(),
    ordinal: z.int(),
    attempt: z.int(),
    role: z.enum(['arrange', 'act', 'twin', 'negative', 'liveness', 'probe', 'cleanup']),
    repeatOf: z.string().optional(),
  }),
  startedAt: z.string(),
  request: z.object({ method: z.string(), url: z.string(), headers, body: bytes.nullable() }),
  response: z
    .object({
      status: z.int(),
      headers,
      headersAtMs: z.number(),
      chunks: z.array(z.intersection(z.object({ atMs }), bytes)),
    })
    .nullable(),
  events: z.array(z.object({ atMs, name: z.string().nullable(), data: z.string() })),
  ending: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('complete'), atMs }),
    z.object({ kind: z.literal('cut'), atMs, error: z.string() }),
    z.object({ kind: z.literal('aborted'), atMs }),
    z.object({ kind: z.literal('timeout'), atMs }),
    z.object({ kind: z.literal('unreachable'), atMs, code: z.string(), error: z.string() }),
  ]),
})
export type StoredExchange = z.infer<typeof storedExchange>

export function storeExchange(exchange: Exchange): StoredExchange {
  const { request, response } = exchange
  return {
    id: exchange.id,
    labels: exchange.labels,
    startedAt: exchange.startedAt,
    request: {
      method: request.method,
      url: request.url,
      headers: request.headers.map(([name, value]) => [name, value]),
      body: request.body && encode(request.body),
    },
    response: response && {
      status: response.status,
      headers: response.headers.map(([name, value]) => [name, value]),
      headersAtMs: response.headersAtMs,
      chunks: response.chunks.map((chunk) => ({ atMs: chunk.atMs, ...encode(chunk.bytes) })),
    },
    events: exchange.events.map((event) => ({ ...event })),
    ending: exchange.ending,
  }
}

/** The inverse of {@link storeExchange}; throws a ZodError where the value is no stored exchange. */
export function restoreExchange(value: unknown): Exchange {
  const stored = storedExchange.parse(value)
  const { repeatOf, ...labels } = stored.labels
  return {
    ...stored,
    labels: repeatOf === undefined ? labels : { ...labels, repeatOf },
    request: { ...stored.request, body: stored.request.body && decode(stored.request.body) },
    response: stored.response && {
      ...stored.response,
      chunks: stored.response.chunks.map(
        (chunk): WireChunk => ({ atMs: chunk.atMs, bytes: decode(chunk) }),
      ),
    },
  }
}

export interface Restored {
  readonly exchanges: readonly Exchange[]
  /** Lines that hold no exchange: a run that is killed cuts its last one. */
  readonly lost: number
}

/** The exchanges of a whole `exchanges.ndjson`, as a crash may have left it. */
export function restoreExchanges(text: string): Restored {
  const lines = text.split('\n').filter(Boolean)
  const exchanges = lines.flatMap((line) => {
    try {
      return [restoreExchange(JSON.parse(line))]
    } catch {
      return []
    }
  })
  return { exchanges, lost: lines.length - exchanges.length }
}

type StoredBytes = z.infer<typeof bytes>

function encode(value: Uint8Array): StoredBytes {
  try {
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(value) }
  } catch {
    return { base64: Buffer.from(value).toString('base64') }
  }
}

function decode(value: StoredBytes): Uint8Array {
  return 'text' in value
    ? new TextEncoder().encode(value.text)
    : new Uint8Array(Buffer.from(value.base64, 'base64'))
}
