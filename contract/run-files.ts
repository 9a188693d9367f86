import { z } from 'zod'
import type { CodedBody, Exchange, Header, WireChunk, WireResponse } from './exchange.ts'

/**
 * One line of `exchanges.ndjson`. Bytes are stored as text if they are valid UTF-8, otherwise as base64, so
 * that a reader sees what was sent and a program can restore the exact bytes.
 */
const bytes = z.union([z.object({ text: z.string() }), z.object({ base64: z.string() })])
const headers = z.array(z.tuple([z.string(), z.string()]))
const atMs = z.number()
const chunks = z.array(z.intersection(z.object({ atMs }), bytes))
const codedBody = z.object({ coding: z.string(), chunks, withheldBytes: z.int().exactOptional() })

const roles = ['arrange', 'act', 'control', 'negative', 'liveness', 'probe', 'cleanup'] as const

const storedExchange = z.object({
  id: z.string(),
  labels: z.object({
    scenario: z.string(),
    ordinal: z.int(),
    attempt: z.int(),
    role: z.enum(roles),
    repeatOf: z.string().exactOptional(),
    supplied: z.array(z.string()).exactOptional(),
    endpoint: z.string().exactOptional(),
  }),
  startedAt: z.string(),
  request: z.object({
    method: z.string(),
    url: z.string(),
    documentedPath: z.string().exactOptional(),
    headers,
    body: bytes.nullable(),
  }),
  sent: z.object({ atMs, clockMs: z.number() }).exactOptional(),
  protocol: z.enum(['http/1.1', 'h2']).exactOptional(),
  response: z
    .object({
      status: z.int(),
      headers,
      headersAtMs: z.number(),
      coded: codedBody.exactOptional(),
      chunks,
    })
    .nullable(),
  events: z.array(z.object({ atMs, name: z.string().nullable(), data: z.string() })),
  ending: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('complete'), atMs }),
    z.object({ kind: z.literal('cut'), atMs, error: z.string() }),
    z.object({ kind: z.literal('undecodable'), atMs, error: z.string() }),
    z.object({ kind: z.literal('aborted'), atMs, limit: z.string().exactOptional() }),
    z.object({ kind: z.literal('timeout'), atMs }),
    z.object({ kind: z.literal('unreachable'), atMs, code: z.string(), error: z.string() }),
  ]),
  loopDelayMs: z.number().exactOptional(),
})
export type StoredExchange = z.infer<typeof storedExchange>

/** The line of an exchange in pieces, line feed included: as a whole it may be several times its response. */
export function* storedPieces(exchange: Exchange): Generator<string> {
  const { response, events, ending, loopDelayMs } = exchange
  yield JSON.stringify(withoutBody(exchange)).slice(0, -1)
  if (response === null) yield ',"response":null'
  else {
    const { chunks, coded } = response
    yield `,"response":${JSON.stringify(withoutChunks(response)).slice(0, -1)}`
    if (coded !== undefined) yield* storedCoding(coded)
    yield ',"chunks":['
    yield* elements(chunks, storeChunk)
    yield ']}'
  }
  yield ',"events":['
  yield* elements(events, (event) => event)
  const late = loopDelayMs === undefined ? '' : `,"loopDelayMs":${loopDelayMs}`
  yield `],"ending":${JSON.stringify(ending)}${late}}\n`
}

function* storedCoding({ chunks, ...about }: CodedBody): Generator<string> {
  yield `,"coded":${JSON.stringify(about).slice(0, -1)},"chunks":[`
  yield* elements(chunks, storeChunk)
  yield ']}'
}

function withoutBody({ id, labels, startedAt, request, sent, protocol }: Exchange) {
  const { headers, body, ...place } = request
  return {
    id,
    labels,
    startedAt,
    request: { ...place, headers: copyOf(headers), body: body && encode(body) },
    sent,
    protocol,
  }
}

function withoutChunks({ status, headers, headersAtMs }: WireResponse) {
  return { status, headers: copyOf(headers), headersAtMs }
}

function copyOf(list: readonly Header[]): [string, string][] {
  return list.map(([name, value]) => [name, value])
}

function storeChunk({ atMs, bytes }: WireChunk) {
  return { atMs, ...encode(bytes) }
}

function* elements<T>(list: readonly T[], store: (element: T) => unknown): Generator<string> {
  for (const [at, element] of list.entries()) {
    yield `${at === 0 ? '' : ','}${JSON.stringify(store(element))}`
  }
}

/** The inverse of {@link storedPieces}; throws a ZodError if the value is not a stored exchange. */
export function restoreExchange(value: unknown): Exchange {
  const stored = storedExchange.parse(value)
  const { request, response } = stored
  return {
    ...stored,
    request: { ...request, body: request.body && decode(request.body) },
    response: response && restoreResponse(response),
  }
}

function restoreResponse(stored: NonNullable<StoredExchange['response']>): WireResponse {
  const { coded, ...rest } = { ...stored, chunks: restoreChunks(stored.chunks) }
  return coded === undefined
    ? rest
    : { ...rest, coded: { ...coded, chunks: restoreChunks(coded.chunks) } }
}

function restoreChunks(stored: z.infer<typeof chunks>): WireChunk[] {
  return stored.map((chunk) => ({ atMs: chunk.atMs, bytes: decode(chunk) }))
}

interface Restored {
  readonly exchanges: readonly Exchange[]
  /** Lines that are not an exchange: a killed run truncates its last one. */
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
  if (isMostlyControls(value)) return { base64: Buffer.from(value).toString('base64') }
  try {
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(value) }
  } catch {
    return { base64: Buffer.from(value).toString('base64') }
  }
}

/** Each of them takes six characters in JSON, which is unreadable and makes a long body enormous. */
function isMostlyControls(value: Uint8Array): boolean {
  if (value.length < 1_024) return false
  let controls = 0
  for (const byte of value) if (byte < 32 && byte !== 9 && byte !== 10 && byte !== 13) controls += 1
  return controls > value.length / 8
}

function decode(value: StoredBytes): Uint8Array {
  // Short ones come from the buffer pool of Node.js: many thousands of separate buffers would be slow to free.
  const { buffer, byteOffset, length } =
    'text' in value ? Buffer.from(value.text) : Buffer.from(value.base64, 'base64')
  return new Uint8Array(buffer, byteOffset, length)
}

/**
 * Lines of a creation journal: a run records each resource before it sends the request that creates it, so
 * that a killed run leaves nothing unrecorded. One JSON object a line; the first line identifies the run.
 */

/** Kinds of created resources; the document shows a route to delete only for chats. */
const creationKinds = ['chat', 'v2 chat', 'attachment', 'document'] as const
export type CreationKind = (typeof creationKinds)[number]

export const journalHead = z
  .object({
    journal: z.literal(1),
    /** Text in the name of every resource that the run creates and may delete. */
    tag: z.string(),
    /** True for a run whose names carry no tag: it deletes by id. */
    untagged: z.literal(true).optional(),
    kit: z.string(),
    baseUrl: z.string(),
    /** Prefixes of the target that differ from the document. */
    prefixes: z.record(z.string(), z.string().optional()).optional(),
  })
  .refine(({ tag, untagged }) => (untagged ? tag === '' : /^chatgen-./.test(tag)))
export type JournalHead = z.infer<typeof journalHead>

const creation = { kind: z.enum(creationKinds), name: z.string(), scenario: z.string() }
export const journalEntry = z.discriminatedUnion('event', [
  /** Creation that is about to be sent. */
  z.object({ event: z.literal('create'), ...creation }),
  /** Creation whose response contained the id. */
  z.object({ event: z.literal('created'), ...creation, id: z.string() }),
  /** Nothing was created: the target refused, or nothing with the name was found. */
  z.object({ event: z.literal('refused'), ...creation }),
  /** A deletion was confirmed, or a later read was refused. */
  z.object({ event: z.literal('deleted'), kind: z.enum(creationKinds), id: z.string() }),
])
export type JournalEntry = z.infer<typeof journalEntry>

/** `redact` is applied to values from outside, never to the keywords of the format. */
export function journalLine(entry: JournalEntry, redact: (text: string) => string): string {
  const texts = Object.entries(entry).map(([member, text]) => [
    member,
    member === 'event' || member === 'kind' ? text : redact(text),
  ])
  return `${JSON.stringify(Object.fromEntries(texts))}\n`
}
