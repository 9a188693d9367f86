import { expect, test } from 'vitest'
import {
  type Ending,
  type Exchange,
  type ExchangeLabels,
  type Judgement,
  type OperationId,
  operations,
  type WireChunk,
} from '../../../contract/index.ts'
import { readTranscript, type TranscriptName } from '../../../fixtures/transcripts.ts'
import { exchangeOf as sketched } from '../../../reports/test-support/reports.ts'
import { judge } from '../index.ts'

export interface ExchangeParts {
  readonly operation: OperationId
  readonly request?: unknown
  readonly query?: string
  readonly status?: number
  readonly type?: string
  readonly body: string | Uint8Array | readonly WireChunk[]
  readonly ending?: Ending
  readonly labels?: Partial<ExchangeLabels>
}

export const complete: Ending = { kind: 'complete', atMs: 1000 }

/** An exchange as recorded by a client. */
export function exchangeOf({
  operation,
  request,
  query = '',
  body,
  labels,
  ...sketch
}: ExchangeParts): Exchange {
  const { method, path } = operations[operation]
  const made = sketched({
    ...{ method, url: `http://127.0.0.1:1${path}${query}`, ending: complete, ...sketch },
    body: request === undefined ? null : JSON.stringify(request),
  })
  const response = made.response && { ...made.response, chunks: chunksOf(body) }
  return { ...made, labels: { ...made.labels, ...labels }, response }
}

/** The exchange of a transcript, with another body or another ending if one is given. */
export function transcriptExchange(
  name: TranscriptName,
  more: Partial<ExchangeParts> = {},
): Exchange {
  const { operation, request, bytes } = readTranscript(name)
  return exchangeOf({
    operation,
    request,
    type: 'text/event-stream; charset=utf-8',
    body: bytes,
    ...more,
  })
}

export function heldIds({ findings }: Judgement): string[] {
  return findings
    .filter(({ verdict }) => verdict === 'held')
    .map(({ requirement }) => requirement)
    .sort()
}

/** The broken requirements of a judgement with their messages, for a failing test. */
export function brokenIn(exchange: Exchange): Record<string, string> {
  return Object.fromEntries(
    judge(exchange)
      .findings.filter(({ verdict }) => verdict === 'broken')
      .map(({ requirement, why }) => [requirement, why]),
  )
}

/** Asserts that exactly these are broken; compares messages too, so that a failing test shows why one is. */
export function expectOnly(broken: Readonly<Record<string, string>>, ids: readonly string[]): void {
  const expected = ids.map((id) => [id, broken[id] ?? 'nothing was said'])
  expect(broken).toEqual(Object.fromEntries(expected))
}

/** Cases by what is changed, the requirements that this breaks, none if it is legal, and what is wrong: `chat OAI-CHAT-02: …`. */
export function testCases<Change>(
  cases: Readonly<Record<string, Change>>,
  brokenBy: (name: string, change: Change) => Readonly<Record<string, string>>,
): void {
  test.each(Object.entries(cases))('%s', (title, change) => {
    const [name = '', ...ids] = title.slice(0, title.indexOf(':')).split(' ')
    expectOnly(brokenBy(name, change), idsOf(name, ids))
  })
}

/** Ids of requirements; those of a stream may be given by their numbers. */
export function idsOf(name: string, ids: readonly string[]): string[] {
  const area = name.startsWith('chat') ? 'OAI-STREAM' : 'V3-SSE'
  return ids.map((id) => (/^\d/.test(id) ? `${area}-${id}` : id)).sort()
}

export function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

function chunksOf(body: ExchangeParts['body']): readonly WireChunk[] {
  if (typeof body === 'string') return [{ atMs: 10, bytes: encode(body) }]
  return body instanceof Uint8Array ? [{ atMs: 10, bytes: body }] : body
}

/** Bytes cut at these places, in any order, as they arrive one after another. */
export function segments(bytes: Uint8Array, cuts: readonly number[]): WireChunk[] {
  const bounds = [...cuts, bytes.length].sort((a, b) => a - b)
  return bounds.map((end, at) => ({ atMs: at, bytes: bytes.subarray(bounds[at - 1] ?? 0, end) }))
}
