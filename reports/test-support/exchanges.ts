import type { Ending, Exchange, Header, StreamEvent, WireChunk } from '../../contract/index.ts'

/** Exchanges written by hand for the tests of the writers. */

export interface ExchangeSketch {
  readonly id?: string
  readonly role?: Exchange['labels']['role']
  readonly method?: string
  readonly url?: string
  /** Headers besides the authorization; `authorization: null` omits that. */
  readonly headers?: readonly Header[]
  readonly authorization?: string | null
  readonly body?: string | Uint8Array | null
  /** Null if there was no response. */
  readonly status?: number | null
  readonly type?: string
  readonly answer?: string
  readonly events?: readonly StreamEvent[]
  readonly ending?: Ending
}

export function exchangeOf(sketch: ExchangeSketch = {}): Exchange {
  const { authorization = 'Bearer [api key]', body = null, status = 200 } = sketch
  const type = sketch.type ?? (sketch.events ? 'text/event-stream' : 'application/json')
  return {
    id: sketch.id ?? 'x1',
    labels: { scenario: 'v3/example', ordinal: 1, attempt: 0, role: sketch.role ?? 'act' },
    startedAt: '2026-01-02T03:04:05.000Z',
    request: {
      method: sketch.method ?? 'POST',
      url: sketch.url ?? 'http://127.0.0.1:4010/api/v3/message/generate',
      headers: [
        ...(body === null ? [] : [['content-type', 'application/json'] as const]),
        ...(authorization === null ? [] : [['authorization', authorization] as const]),
        ...(sketch.headers ?? []),
      ],
      body: typeof body === 'string' ? bytesOf(body) : body,
    },
    response:
      status === null
        ? null
        : {
            status,
            headers: [['content-type', type]],
            headersAtMs: 3,
            chunks: sketch.events ? sketch.events.map(chunkOf) : [answerChunk(sketch.answer ?? '')],
          },
    events: sketch.events ?? [],
    ending: sketch.ending ?? { kind: 'complete', atMs: 12.34 },
  }
}

export function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

/** Events at intervals of a millisecond. */
export function eventsOf(
  ...events: readonly (readonly [name: string, data: object])[]
): StreamEvent[] {
  return events.map(([name, data], at) => ({ atMs: 10 + at, name, data: JSON.stringify(data) }))
}

function chunkOf({ atMs, name, data }: StreamEvent): WireChunk {
  const event = name === null ? '' : `event: ${name}\n`
  return { atMs, bytes: bytesOf(`${event}data: ${data}\n\n`) }
}

function answerChunk(text: string): WireChunk {
  return { atMs: 12, bytes: bytesOf(text) }
}
