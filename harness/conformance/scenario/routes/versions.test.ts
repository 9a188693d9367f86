import { expect, test } from 'vitest'
import type { Exchange, Header } from '../../../../contract/index.ts'
import { exchangeOf } from '../../../../reports/test-support/exchanges.ts'
import { findDifferences } from './versions.ts'

interface Answer {
  readonly status?: number
  readonly headers?: readonly Header[]
  readonly body?: string
  /** Arrival of each delta of a stream. */
  readonly deltasAtMs?: readonly number[]
  readonly ending?: Exchange['ending']
}

const json: Header = ['content-type', 'application/json']
const stream: Header = ['content-type', 'text/event-stream']

function answer({ status = 200, headers = [json], body = '{}', deltasAtMs = [], ending }: Answer) {
  const data = JSON.stringify({ choices: [{ index: 0, delta: { content: 'word ' } }] })
  const pieces = deltasAtMs.map((atMs) => ({ atMs, text: `data: ${data}\n\n` }))
  const chunks = (pieces.length > 0 ? pieces : [{ atMs: 1, text: body }]).map(({ atMs, text }) => ({
    atMs,
    bytes: new TextEncoder().encode(text),
  }))
  const exchange = exchangeOf({
    url: 'https://chat.test/api/openai/chat/completions',
    events: deltasAtMs.map((atMs) => ({ atMs, name: null, data })),
    ending: ending ?? { kind: 'complete', atMs: deltasAtMs.at(-1) ?? 2 },
  })
  return { ...exchange, response: { status, headers, headersAtMs: 1, chunks } }
}

const times = (first: number, gap: number) =>
  Array.from({ length: 20 }, (_, at) => first + at * gap)
const spread = { headers: [stream], deltasAtMs: times(100, 50) }

const cut = { kind: 'cut', atMs: 2, error: 'the body ends' } as const
test.each(
  Object.entries<[Answer, Answer, string[]]>({
    nothing: [{}, {}, []],
    'what a model writes': [{ body: '{"a":"one"}' }, { body: '{"a":"other"}' }, []],
    'only how fast it is': [spread, { ...spread, deltasAtMs: times(300, 70) }, []],
    'the status, and so the rest': [
      {},
      { status: 404, headers: [], body: 'no' },
      ['status 200 over HTTP/2, 404 over HTTP/1.1'],
    ],
    'the end of the body': [
      {},
      { ending: cut },
      ['status 200 over HTTP/2, 200, cut (the body ends) over HTTP/1.1'],
    ],
    'its coding': [
      { headers: [json, ['content-encoding', 'br']] },
      {},
      ['Content-Encoding br over HTTP/2, none over HTTP/1.1'],
    ],
    'its members': [
      { body: '{"a":1}' },
      { body: '{"b":1}' },
      ['body application/json {a} over HTTP/2, application/json {b} over HTTP/1.1'],
    ],
    'when its text comes': [
      spread,
      { ...spread, deltasAtMs: times(2_000, 0.1) },
      ['text as it was made over HTTP/2, held back over HTTP/1.1'],
    ],
  }),
)('two answers differ in %s', (_, [http2, http1, differences]) => {
  expect(findDifferences({ http2: answer(http2), http1: answer(http1) })).toEqual(differences)
})
