import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  type Ending,
  type Exchange,
  type Header,
  restoreExchange,
  type StreamEvent,
  storedPieces,
} from '../../../contract/index.ts'
import { exchangeOf } from '../../../reports/test-support/exchanges.ts'
import type { Outgoing } from '../conversation.ts'
import { createRecordingTransport, notRecorded } from './recording.ts'

const milliseconds = fc.nat({ max: 60_000 }).map((ms) => ms / 16)
const headers = fc.array(
  fc.tuple(fc.stringMatching(/^[a-z-]{1,12}$/), fc.string()).map((pair): Header => pair),
  { maxLength: 4 },
)
const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 20 }).map((text) => new TextEncoder().encode(text)),
)
const events = fc.array(
  fc.record<StreamEvent>({
    atMs: milliseconds,
    name: fc.option(fc.string()),
    data: fc.string({ unit: 'grapheme' }),
  }),
  { maxLength: 3 },
)
const endings = fc.oneof<fc.Arbitrary<Ending>[]>(
  fc.record({ kind: fc.constantFrom('complete', 'aborted', 'timeout'), atMs: milliseconds }),
  fc.record({ kind: fc.constant('cut'), atMs: milliseconds, error: fc.string() }),
  fc.record({
    ...{ kind: fc.constant('unreachable' as const), atMs: milliseconds },
    ...{ code: fc.string(), error: fc.string() },
  }),
)
const roles = ['arrange', 'act', 'control', 'negative', 'liveness', 'probe', 'cleanup'] as const
const exchanges = fc.record<Exchange>({
  id: fc.nat().map((number) => `x${number}`),
  labels: fc.record(
    {
      scenario: fc.stringMatching(/^[a-z-]{1,20}$/),
      ordinal: fc.integer({ min: 1, max: 99 }),
      attempt: fc.nat({ max: 3 }),
      role: fc.constantFrom(...roles),
      repeatOf: fc.constant('x7'),
    },
    { requiredKeys: ['scenario', 'ordinal', 'attempt', 'role'] },
  ),
  startedAt: fc.constant('2026-01-01T00:00:00.000Z'),
  request: fc.record({
    method: fc.constantFrom('GET', 'POST'),
    url: fc.webUrl(),
    headers,
    body: fc.option(bytes),
  }),
  response: fc.option(
    fc.record({
      status: fc.integer({ min: 200, max: 599 }),
      headers,
      headersAtMs: milliseconds,
      chunks: fc.array(fc.record({ atMs: milliseconds, bytes }), { maxLength: 5 }),
    }),
  ),
  ...{ events, ending: endings },
})

test('an exchange that was stored is restored as it was', () => {
  fc.assert(
    fc.property(exchanges, (exchange) => {
      expect(restoreExchange(JSON.parse([...storedPieces(exchange)].join('')))).toEqual(exchange)
    }),
  )
  expect(() => restoreExchange({ id: 'x1' })).toThrow()
})

/** Recorded: a question, the same again, one that was turned away once, and another body. */
const recorded = [
  sent({ id: 'x1', ordinal: 1, body: 'a' }),
  sent({ id: 'x5', ordinal: 3, body: 'a' }),
  sent({ id: 'x3', ordinal: 2, body: 'b', status: 429 }),
  sent({ id: 'x4', ordinal: 2, body: 'b', attempt: 1 }),
]

test('equal requests get their answers in the order of sending, in whatever place', async () => {
  const ask = asker()
  expect(await ask({ ordinal: 7, body: 'a' })).toBe('x1')
  expect(await ask({ ordinal: 8, body: 'a' })).toBe('x5')
  expect(await ask({ ordinal: 9, body: 'a' })).toBe(notRecorded)
})

test('a further try gets the answer to the further try', async () => {
  const ask = asker()
  expect(await ask({ ordinal: 1, body: 'b' })).toBe('x3')
  expect(await ask({ ordinal: 1, body: 'b', attempt: 1 })).toBe('x4')
  expect(await ask({ ordinal: 1, body: 'b', attempt: 2 })).toBe(notRecorded)
})

test.each([
  ['another body', { body: 'c' }],
  ['another address', { url: 'http://127.0.0.1:4010/api/v3/chat' }],
  ['another method', { method: 'PUT' }],
  ['another scheme', { authorization: 'Basic abc' }],
  ['no credential', { authorization: null }],
  ['another idempotency key', { headers: [['idempotency-key', 'k']] as const }],
  ['another scenario', { scenario: 'v3/other' }],
])('%s is another request, in the same place', async (_, more) => {
  expect(await asker()({ ordinal: 1, body: 'a', ...more })).toBe(notRecorded)
})

test('a credential is compared by its scheme, and what is secret by its mark', async () => {
  const transport = createRecordingTransport(
    byId([sent({ ordinal: 1, id: 'x9', body: 'a [api key]' })]),
    (request) => ({ ...request, body: new TextEncoder().encode('a [api key]') }),
  )
  const today = sent({ ordinal: 1, body: 'a sk-live', authorization: 'Bearer sk-live' })
  expect((await transport.send(outgoing(today)).exchange).id).toBe('x9')
})

interface Sketch extends NonNullable<Parameters<typeof exchangeOf>[0]> {
  readonly ordinal: number
  readonly attempt?: number
  readonly scenario?: string
}

function sent({ ordinal, attempt = 0, scenario = 'v3/example', ...sketch }: Sketch): Exchange {
  const exchange = exchangeOf(sketch)
  return { ...exchange, labels: { ...exchange.labels, scenario, ordinal, attempt } }
}

function outgoing({ id, labels, request }: Exchange): Outgoing {
  return { id, labels, request, timeoutMs: 1 }
}

/** The id in the response, or the error code without a response. */
function asker(): (sketch: Sketch) => Promise<string> {
  const transport = createRecordingTransport(byId(recorded), (request) => request)
  return async (sketch) => {
    const { id, ending } = await transport.send(outgoing(sent(sketch))).exchange
    return ending.kind === 'unreachable' ? ending.code : id
  }
}

function byId(recorded: readonly Exchange[]): ReadonlyMap<string, Exchange> {
  return new Map(recorded.map((exchange) => [exchange.id, exchange]))
}
