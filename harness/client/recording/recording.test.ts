import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type Ending,
  type Exchange,
  type Header,
  restoreExchange,
  restoreExchanges,
  type StreamEvent,
  storedPieces,
} from '../../../contract/index.ts'
import { forAll } from '../../../contract/test-support/for-all.ts'
import { exchangeOf } from '../../../reports/test-support/reports.ts'
import type { Outgoing } from '../conversation.ts'
import { createRecordingTransport, notRecorded } from './recording.ts'
import { StoredRecording } from './stored-recording.ts'

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

test('a stored exchange is restored unchanged', () => {
  forAll(exchanges, (exchange) => {
    expect(restoreExchange(JSON.parse([...storedPieces(exchange)].join('')))).toEqual(exchange)
  })
  expect(() => restoreExchange({ id: 'x1' })).toThrow()
})

/** Recorded: a question, its repetition, and another one that was refused once. */
const recorded = [
  sent({ id: 'x1', ordinal: 1, body: 'a' }),
  sent({ id: 'x5', ordinal: 3, body: 'a' }),
  sent({ id: 'x3', ordinal: 2, body: 'b', status: 429 }),
  sent({ id: 'x4', ordinal: 2, body: 'b', attempt: 1 }),
]

test('equal requests get their recorded responses in order of sending', async () => {
  const ask = asker()
  expect(await ask({ ordinal: 7, body: 'a' })).toBe('x1')
  expect(await ask({ ordinal: 8, body: 'a' })).toBe('x5')
  expect(await ask({ ordinal: 9, body: 'a' })).toBe(notRecorded)
})

test('a retry gets the response of the recorded retry', async () => {
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
])('a request with %s is not found', async (_, more) => {
  expect(await asker()({ ordinal: 1, body: 'a', ...more })).toBe(notRecorded)
})

test('credentials are compared by scheme, and secrets by their mark', async () => {
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

const folder = mkdtempSync(join(tmpdir(), 'chatgen-recording-'))

/** Lines that end before, on and after the boundary of a block of one MiB. */
const bodies = [10, 1 << 20, (1 << 20) - 500, 3 << 20, 1, 700_000].map((length, at) =>
  Buffer.alloc(length, at === 3 ? 0 : `é${at}`),
)
const large = bodies.map(withBody)
const text = large.map((exchange) => [...storedPieces(exchange)].join('')).join('')

describe('a recording on disk', () => {
  test('returns exchanges by id, in file order', () => {
    const recording = new StoredRecording(stored(text))
    expect(recording.size).toBe(large.length)
    expect([...recording.keys()]).toEqual(large.map(({ id }) => id))
    for (const exchange of large) {
      expect(recording.get(exchange.id)).toEqual(exchange)
      expect(recording.has(exchange.id)).toBe(true)
    }
    expect(recording.get('x99')).toBeUndefined()
    expect(recording.lost).toBe(0)
    expect([...recording.values()]).toEqual(restoreExchanges(text).exchanges)
  })

  test.each([
    ['a line that is cut', text.slice(0, -40), 1],
    ['a line that is not an exchange', `{"a":1}\n\nno JSON\n${text}`, 2],
    ['a line that is cut in its id', `${text}{"id":"x`, 1],
    ['an empty file', '', 0],
  ])('counts lost lines: %s', (_, content, lost) => {
    const recording = new StoredRecording(stored(content))
    expect(recording.lost).toBe(lost)
    expect(recording.lost).toBe(restoreExchanges(content).lost)
    expect([...recording].map(([id]) => id)).toEqual(
      restoreExchanges(content).exchanges.map(({ id }) => id),
    )
  })
})

test('a long stream is restored unchanged with any texts', () => {
  const odd = [
    'é',
    '","chunks":[',
    ']},"events":[',
    '],"ending":',
    '},{"atMs":1',
    '\\"events":[',
    '[{',
  ]
  const texts = Array.from(
    { length: 30_000 },
    (_, at) => `${odd[at % odd.length]} ${'東'.repeat(at % 40)}`,
  )
  const chunks = texts.map((text, atMs) => ({ atMs, bytes: new TextEncoder().encode(text) }))
  const events = texts.map((data, atMs) => ({ atMs, name: null, data }))
  const coded = {
    coding: 'gzip',
    chunks: chunks.map(({ atMs }) => ({ atMs, bytes: new Uint8Array([255]) })),
  }
  const exchange = exchangeOf({ id: 'x1', events })
  for (const more of [{}, { coded }]) {
    const response = exchange.response && { ...exchange.response, ...more, chunks }
    const line = [...storedPieces({ ...exchange, response })].join('')
    expect(new StoredRecording(stored(line)).get('x1')).toEqual(restoreExchange(JSON.parse(line)))
  }
})

test('a body of control characters is stored as base64', () => {
  const zeros = withBody(Buffer.alloc(100_000), 1)
  expect([...storedPieces(zeros)].join('').length).toBeLessThan(150_000)
})

function stored(content: string): string {
  const file = join(folder, `${Math.random()}.ndjson`)
  writeFileSync(file, content)
  return file
}

function withBody(body: Buffer, at: number): Exchange {
  const { response, ...rest } = exchangeOf({
    ...{ id: `x${at + 1}`, method: 'GET', headers: [['a', 'b']], status: at === 4 ? null : 200 },
    events: [{ atMs: 1, name: null, data: 'é' }],
  })
  const chunks = [new Uint8Array(body), new Uint8Array([0xff])].map((bytes) => ({ atMs: 1, bytes }))
  return { ...rest, response: response && { ...response, chunks } }
}
