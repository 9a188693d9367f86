import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type Ending,
  type Exchange,
  type Header,
  restoreExchange,
  type StreamEvent,
  storedPieces,
} from '../../../contract/index.ts'
import { outgoing } from '../test-support/send.ts'
import { createRecordingTransport } from './recording.ts'

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
    kind: fc.constant('unreachable'),
    atMs: milliseconds,
    code: fc.string(),
    error: fc.string(),
  }),
)
const exchanges = fc.record<Exchange>({
  id: fc.nat().map((number) => `x${number}`),
  labels: fc.record(
    {
      scenario: fc.stringMatching(/^[a-z-]{1,20}$/),
      ordinal: fc.integer({ min: 1, max: 99 }),
      attempt: fc.nat({ max: 3 }),
      role: fc.constantFrom(
        'arrange',
        'act',
        'control',
        'negative',
        'liveness',
        'probe',
        'cleanup',
      ),
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
  events,
  ending: endings,
})

/** Exchange as it is read from a line of exchanges.ndjson. */
function reread(exchange: Exchange): Exchange {
  return restoreExchange(JSON.parse([...storedPieces(exchange)].join('')))
}

describe('an exchange that was stored', () => {
  test('is restored as it was', () => {
    fc.assert(
      fc.property(exchanges, (exchange) => {
        expect(reread(exchange)).toEqual(exchange)
      }),
    )
  })

  test('answers the same place again, for the request of today', async () => {
    await fc.assert(
      fc.asyncProperty(exchanges, async (exchange) => {
        const transport = createRecordingTransport(new Map([[exchange.id, reread(exchange)]]))
        const today = outgoing('http://localhost/today', { id: 'x99', labels: exchange.labels })
        const { answered, exchange: replayed } = transport.send(today)
        await answered
        expect(await replayed).toEqual({ ...exchange, request: today.request })
      }),
    )
  })

  test('is no exchange where a member is missing', () => {
    expect(() => restoreExchange({ id: 'x1' })).toThrow()
  })
})

describe('a recording', () => {
  const labels = { scenario: 'a', ordinal: 2, attempt: 1, role: 'act' } as const
  const recorded = fc.sample(exchanges, 1).map((exchange) => ({ ...exchange, labels }))
  const transport = createRecordingTransport(
    new Map(recorded.map((exchange) => [exchange.id, exchange])),
  )

  test.each([
    ['another scenario', { ...labels, scenario: 'b' }],
    ['another ordinal', { ...labels, ordinal: 1 }],
    ['another attempt', { ...labels, attempt: 0 }],
  ])('holds nothing for %s', async (_, place) => {
    const exchange = await transport.send(outgoing('http://localhost/', { labels: place })).exchange
    expect(exchange.response).toBeNull()
    expect(exchange.ending).toMatchObject({ kind: 'unreachable', code: 'NOT_RECORDED' })
    expect(exchange.labels).toEqual(place)
  })

  test('does not care for the role', async () => {
    const negative = { ...labels, role: 'negative' } as const
    const exchange = await transport.send(outgoing('http://localhost/', { labels: negative }))
      .exchange
    expect(exchange.ending).toEqual(recorded[0]?.ending)
    expect(exchange.labels).toEqual(negative)
  })

  test('closes', async () => {
    await expect(transport.close()).resolves.toBeUndefined()
  })
})
