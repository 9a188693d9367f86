import { expect, test } from 'vitest'
import type { Exchange } from '../../../contract/index.ts'
import { exchangeOf } from '../../../reports/test-support/exchanges.ts'
import type { Outgoing } from '../transport.ts'
import { createEvidenceTransport } from './evidence.ts'
import { notRecorded } from './recording.ts'

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
  const transport = createEvidenceTransport(
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

/** The id of the answer, or the code for want of one. */
function asker(): (sketch: Sketch) => Promise<string> {
  const transport = createEvidenceTransport(byId(recorded), (request) => request)
  return async (sketch) => {
    const { id, ending } = await transport.send(outgoing(sent(sketch))).exchange
    return ending.kind === 'unreachable' ? ending.code : id
  }
}

function byId(recorded: readonly Exchange[]): ReadonlyMap<string, Exchange> {
  return new Map(recorded.map((exchange) => [exchange.id, exchange]))
}
