import { isUtf8 } from 'node:buffer'
import { z } from 'zod'

/** One HTTP request with its response: clients create it, judges read it, reports show it, load runs count it. */

/** Bytes as text if they are valid UTF-8, otherwise as base64: readable, and restored exactly. */
const storedBytes = z.union([z.object({ text: z.string() }), z.object({ base64: z.string() })])
const bytes = storedBytes.transform(decode)
/** Pairs of name and value. */
const headers = z.array(z.tuple([z.string(), z.string()]))
/** Milliseconds after the first byte of the request was sent, fractional. */
const atMs = z.number()
const chunks = z.array(
  z.intersection(z.object({ atMs }), storedBytes).transform(({ atMs, ...stored }) => ({
    atMs,
    bytes: decode(stored),
  })),
)
const error = z.string()

/** Purpose of a request, by which reports and judges distinguish a probe from the act itself. */
const role = z.enum([
  'arrange', // creates what the scenario needs
  'act', // the request under test
  'control', // differs from a negative request in one field and must be accepted
  'negative', // must be refused
  'liveness', // after a negative: the server still answers
  'probe', // reads back the effect
  'cleanup', // deletes what the run created
])

const labels = z.object({
  /** Slug of the scenario that sent it. */
  scenario: z.string(),
  /** 1 for the first request of the scenario, counted when it is sent. */
  ordinal: z.int(),
  /**
   * 0 for the first attempt; counts the retries after a 429 or 503, after a transport failure, and after a
   * refusal because a field is missing that the document does not list as required.
   */
  attempt: z.int(),
  role,
  /** Id of the exchange that this one repeats with the same idempotency key. */
  repeatOf: z.string().exactOptional(),
  /** Fields that were added to the body because the target refused the request without them. */
  supplied: z.array(z.string()).exactOptional(),
  /** Name of the endpoint that it was sent to, such as `A`; absent if the target has one only. */
  endpoint: z.string().exactOptional(),
})

const request = z.object({
  method: z.string(),
  url: z.string(),
  /** Path of the route in the document, if the deployment serves it under another prefix. */
  documentedPath: z.string().exactOptional(),
  headers,
  /** Null if the request has no body. */
  body: bytes.nullable(),
})

const response = z.object({
  status: z.int(),
  /** Names in lower case, in the order of arrival; repeated headers are not merged. */
  headers,
  /** Time at which the status line and the headers had arrived. */
  headersAtMs: atMs,
  /** The body as received, before its Content-Encoding was decoded (RFC 9110, section 8.4); absent without one. */
  coded: z
    .object({
      /** Value of Content-Encoding, for example `gzip`. */
      coding: z.string(),
      chunks,
      /** Length of the part that is not stored because it may contain a secret. */
      withheldBytes: z.int().exactOptional(),
    })
    .exactOptional(),
  /** The decoded body; each chunk has the arrival time of its encoded bytes. */
  chunks,
})

const end = <Kind extends string>(kind: Kind) => z.object({ kind: z.literal(kind), atMs })

/** A line of `exchanges.ndjson`, and the exchange that it holds. */
const exchange = z.object({
  /** `x1`, `x2`, … in the order of sending within a run. */
  id: z.string(),
  labels,
  /** Wall clock, ISO 8601. */
  startedAt: z.string(),
  request,
  /**
   * Time at which it was handed to its connection, on the clock of the exchange and on the monotonic one that all
   * exchanges of a run share; absent if it never was.
   */
  sent: z.object({ atMs, clockMs: z.number() }).exactOptional(),
  /** Protocol of the response; absent without one. */
  protocol: z.enum(['http/1.1', 'h2']).exactOptional(),
  /** Null if no status line arrived. */
  response: response.nullable(),
  /**
   * Dispatched events: the `event:` field, null if the block has none, and the `data:` lines, joined by line feeds.
   * Empty unless the body has the media type text/event-stream.
   */
  events: z.array(z.object({ atMs, name: z.string().nullable(), data: z.string() })),
  ending: z.discriminatedUnion('kind', [
    /** The body ended regularly. */
    end('complete'),
    /** The peer closed or reset the connection or the HTTP/2 stream within the body, or truncated its encoded data. */
    end('cut').extend({ error }),
    /** The Content-Encoding is unknown or corrupt, or exceeds our limit when decoded; `error` says which. */
    end('undecodable').extend({ error }),
    /** We closed it on purpose; `limit` is what exceeded a limit of ours, as the end of a sentence. */
    end('aborted').extend({ limit: z.string().exactOptional() }),
    /** Our own limit expired. */
    end('timeout'),
    /** No response at all; `code` is that of the system, for example ECONNREFUSED. */
    end('unreachable').extend({ code: z.string(), error }),
  ]),
  /**
   * Maximum delay of the timers of this process during the exchange, in milliseconds: bytes may have been
   * read that much later than they arrived. Absent for requests outside of the scenarios.
   */
  loopDelayMs: z.number().exactOptional(),
})

type Immutable<T> = T extends Uint8Array
  ? T
  : { readonly [Member in keyof T]: Immutable<T[Member]> }

export type Exchange = Immutable<z.output<typeof exchange>>
export type StoredExchange = z.input<typeof exchange>
export type ExchangeLabels = Exchange['labels']
export type Role = ExchangeLabels['role']
export type WireRequest = Exchange['request']
export type WireResponse = NonNullable<Exchange['response']>
export type Header = WireRequest['headers'][number]
export type WireChunk = WireResponse['chunks'][number]
export type CodedBody = NonNullable<WireResponse['coded']>
export type StreamEvent = Exchange['events'][number]
export type Ending = Exchange['ending']
export type SendTime = NonNullable<Exchange['sent']>
export type Protocol = NonNullable<Exchange['protocol']>

/** The line of an exchange in pieces, line feed included: as a whole it may be several times its response. */
export function* storedPieces(exchange: Exchange): Generator<string> {
  const { id, labels, startedAt, sent, protocol, response, loopDelayMs } = exchange
  const { headers, body, ...place } = exchange.request
  const request = { ...place, headers, body: body && encode(body) }
  yield opened({ id, labels, startedAt, request, sent, protocol })
  if (response === null) yield ',"response":null'
  else {
    const { status, headers, headersAtMs, coded } = response
    yield `,"response":${opened({ status, headers, headersAtMs })}`
    if (coded !== undefined) {
      const { chunks, ...about } = coded
      yield `,"coded":${opened(about)},"chunks":[`
      yield* elements(chunks, storeChunk)
      yield ']}'
    }
    yield ',"chunks":['
    yield* elements(response.chunks, storeChunk)
    yield ']}'
  }
  yield ',"events":['
  yield* elements(exchange.events, (event) => event)
  const late = loopDelayMs === undefined ? '' : `,"loopDelayMs":${loopDelayMs}`
  yield `],"ending":${JSON.stringify(exchange.ending)}${late}}\n`
}

/** An object in JSON without its closing brace. */
function opened(value: object): string {
  return JSON.stringify(value).slice(0, -1)
}

function storeChunk({ atMs, bytes }: { readonly atMs: number; readonly bytes: Uint8Array }) {
  return { atMs, ...encode(bytes) }
}

function* elements<T>(list: readonly T[], store: (element: T) => unknown): Generator<string> {
  for (const [at, element] of list.entries()) {
    yield `${at === 0 ? '' : ','}${JSON.stringify(store(element))}`
  }
}

/** The inverse of {@link storedPieces}; throws a ZodError if the value is not a stored exchange. */
export function restoreExchange(value: unknown): Exchange {
  return exchange.parse(value)
}

/**
 * The exchanges of a whole `exchanges.ndjson`, as a crash may have left it, and the number of lines that are not an
 * exchange: a killed run truncates its last one.
 */
export function restoreExchanges(text: string) {
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

type StoredBytes = z.output<typeof storedBytes>

function encode(value: Uint8Array): StoredBytes {
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.length)
  return isUtf8(bytes) && !isMostlyControls(bytes)
    ? { text: bytes.toString() }
    : { base64: bytes.toString('base64') }
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
