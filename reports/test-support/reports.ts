import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import {
  type Ending,
  type Exchange,
  type Header,
  isRequirementId,
  type RequirementId,
  requirements,
  type StreamEvent,
  type WireChunk,
} from '../../contract/index.ts'
import {
  type ConformanceReport,
  conformanceReport,
  type RequirementResult,
  type Verdict,
} from '../../contract/report/conformance.ts'

/** A report written by hand, with requirements of every kind and hostile texts of a target. */

export const exchanges = new Map(
  [
    exchangeOf({
      id: 'x4',
      headers: [['idempotency-key', 'turn-1']],
      body: '{"chat_id":"0b6e","input":"ping"}',
      answer: '{"note":"\u001b[2J</td></system-out>]]>\uffff```\\n::error::x"}',
    }),
    exchangeOf({ id: 'x5', method: 'GET', url: 'http://127.0.0.1:4010/api/v3/message?chat_id=0b' }),
    exchangeOf({
      id: 'x9',
      body: '{"input":"ping","stream":true}',
      events: eventsOf(
        ['response.output_item.added', { output_index: 0 }],
        ['response.created', { response: { id: 'resp_3' } }],
      ),
      ending: { kind: 'cut', atMs: 20, error: 'other side closed' },
    }),
  ].map((exchange) => [exchange.id, exchange]),
)

const stored = parse(readFileSync(new URL('violated.yaml', import.meta.url), 'utf8'))
export const violated = conformanceReport.parse({
  ...stored,
  requirements: stored.requirements.map(resultOf),
})

const { baseline: _, ...unbiased } = violated
/** A run in which everything was proven. */
export const conforming: ConformanceReport = {
  ...unbiased,
  outcome: 'conforms',
  totals: {
    ...{ pass: 3, fail: 0, warn: 0, observed: 0, 'not-applicable': 0 },
    ...{ inconclusive: 0, error: 0, unproven: 0, known: 0 },
  },
  requirements: violated.requirements.slice(0, 3),
  observations: [],
  faults: [],
  residue: [],
  residueUnseen: null,
}

export function requirement(
  id: RequirementId,
  verdict: Verdict,
  more: Partial<RequirementResult> = {},
): RequirementResult {
  return resultOf({ id, verdict, ...more })
}

/** A requirement that passed, unless `more` says otherwise. */
export function resultOf(
  more: Partial<RequirementResult> & { readonly id: string },
): RequirementResult {
  const { level, surface, section, title } = isRequirementId(more.id)
    ? requirements[more.id]
    : requirements['V3-IDEM-02']
  return {
    level,
    surface,
    section,
    verdict: 'pass',
    known: false,
    title,
    message: null,
    blockedBy: null,
    scenarios: [],
    brokenBy: [],
    exchanges: [],
    event: null,
    ...more,
  }
}

/** A report with these requirements only. */
export function reportOf(
  requirements: readonly RequirementResult[],
  more: Partial<ConformanceReport> = {},
): ConformanceReport {
  return { ...conforming, outcome: 'violated', requirements: [...requirements], ...more }
}

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
            chunks: sketch.events
              ? sketch.events.map(chunkOf)
              : [{ atMs: 12, bytes: bytesOf(sketch.answer ?? '') }],
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
