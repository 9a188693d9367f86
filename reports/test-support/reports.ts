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
import type {
  ConformanceReport,
  RequirementResult,
  Verdict,
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

const ids = [
  ...(['V3-HIST-01', 'V3-HIST-02', 'OAI-CHAT-01'] as const).map((id) => requirement(id, 'pass')),
  requirement('V3-IDEM-02', 'fail', {
    message: 'the history has \u001b[32m2\u001b[39m steps & <b>one</b> key ``',
    scenarios: ['v3-idempotency/a-repeat'],
    exchanges: ['x4', 'x5', 'x6'],
  }),
  requirement('V3-SSE-05', 'fail', {
    message: 'the first event is response.output_item.added',
    exchanges: ['x9'],
    event: 0,
  }),
  requirement('OAI-CHAT-09', 'fail', { message: 'usage is missing', exchanges: ['x1'] }),
  requirement('OAI-CHAT-06', 'fail', { message: 'usage is missing', exchanges: ['x2'] }),
  requirement('OAI-ERR-01', 'fail', { message: 'answered with 422', known: true }),
  requirement('V3-SSE-07', 'warn', { message: 'sequence_number 3 follows 3', exchanges: ['x9'] }),
  requirement('V3-GEN-03', 'inconclusive', {
    message: 'blocked by V3-SSE-05',
    blockedBy: 'V3-SSE-05',
  }),
  requirement('V2-MSG-01', 'unproven', {
    message: 'set v2Chat in the target profile to test this',
  }),
  requirement('V2-MSG-02', 'unproven', {
    message: 'set v2Chat in the target profile to test this',
  }),
  requirement('V3-CHAT-10', 'observed', { message: 'our guess of the body was refused with 422' }),
  requirement('V3-GEN-08', 'not-applicable', {
    message: 'the target profile has capabilities.video: false',
  }),
  requirement('V3-IDEM-05', 'error', { message: 'TypeError: turns is undefined' }),
  requirement('KB-01', 'unclaimed'),
]

export const violated: ConformanceReport = {
  kind: 'conformance-report',
  schemaVersion: 1,
  outcome: 'violated',
  interrupted: false,
  suite: { version: '0.1.0', interface: '2026-01' },
  target: { baseUrl: 'http://127.0.0.1:4010', profile: 'full', capabilities: { video: false } },
  seed: 'seed-1',
  strict: false,
  startedAt: '2026-01-02T03:04:05.678Z',
  durationMs: 4321,
  totals: totals({ pass: 3, fail: 5, warn: 1, observed: 1, 'not-applicable': 1, inconclusive: 1 }),
  traffic: { answers: 41, statuses: {}, unanswered: 0, cut: 0, timeouts: 0, retries: 0 },
  cost: { requests: 41, generations: 12, chats: 3, uploads: 1 },
  requirements: ids,
  observations: [
    {
      id: 'OPEN-28',
      question: 'How is a repeat with the same Idempotency-Key answered?',
      answer: '200 | with `the` same response id',
      exchanges: ['x4'],
    },
  ],
  faults: [{ scenario: 'v3-idempotency/racing', message: 'TypeError: turns is undefined\n  at x' }],
  residueUnseen: null,
  residue: [{ kind: 'chat', name: 'Tavoru7316', id: 'c-1', why: 'it can still be read' }],
  baseline: {
    file: 'known.yaml',
    known: [
      { id: 'OAI-ERR-01', because: 'the gateway answers', issue: 'CHAT-17', until: '2026-12-31' },
    ],
    problems: [
      { id: 'V3-HIST-01', kind: 'passes', message: 'V3-HIST-01 passes now: delete its entry' },
    ],
  },
}

/** A run in which everything was proven. */
const { baseline: _, ...unbiased } = violated
export const conforming: ConformanceReport = {
  ...unbiased,
  outcome: 'conforms',
  totals: totals({ pass: 3 }),
  requirements: ids.slice(0, 3),
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

function totals(some: Partial<ConformanceReport['totals']>): ConformanceReport['totals'] {
  return {
    pass: 0,
    fail: 0,
    warn: 0,
    observed: 0,
    'not-applicable': 0,
    inconclusive: 0,
    error: 0,
    unproven: 0,
    known: 0,
    ...some,
  }
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
