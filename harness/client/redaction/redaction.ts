import type {
  CodedBody,
  Exchange,
  Header,
  StreamEvent,
  WireChunk,
  WireRequest,
} from '../../../contract/index.ts'
import { type Cut, finderOf } from './cuts.ts'
import { formsOf, markOf, type Secret, shortestEncoded, shortestSecret } from './forms.ts'
import { findInBytes } from './pieces.ts'

export type { Secret } from './forms.ts'

/** Replaces secrets by value, anywhere and in every common encoding. */
export type Redactor = ReturnType<typeof buildRedactor>

/**
 * Covers plain text in either case, escapes of JSON, JavaScript, HTML and URLs for any of its
 * characters, hexadecimal digits, and base64 at each of its three offsets.
 */
export function createRedactor(secrets: readonly Secret[]): Redactor {
  const key = JSON.stringify(secrets)
  const existing = redactors.get(key)
  if (existing !== undefined) return existing
  if (redactors.size >= maxRedactors) redactors.clear()
  const redactor = buildRedactor(secrets)
  redactors.set(key, redactor)
  return redactor
}

/** The parts of a run have the same secrets. */
const redactors = new Map<string, Redactor>()
const maxRedactors = 8

function buildRedactor(secrets: readonly Secret[]) {
  const finder = finderOf(formsOf(secrets))
  const find = finder({ pieces: true })
  const findWhole = finder({})
  const findSure = finder({ pieces: true, sureOnly: true, quotes: true })
  const inBody = finder({ pieces: true, mayBeCut: true })
  const inPieces = finder({ pieces: true, mayBeCut: true, sureOnly: true })

  const text = (value: string): string => withMarks(value, find(value))
  const short = rememberShort(text)
  const headers = (list: readonly Header[]): Header[] =>
    list.map(([name, value]) => [short(name), short(value)])
  /** A wrong key of a scenario may share a piece with the right one, and is another credential. */
  const credential = rememberShort((value) =>
    markCredential(withMarks(value, findWhole(value)), secrets),
  )
  const sentHeaders = (list: readonly Header[]): Header[] =>
    list.map(([name, value]) =>
      name.toLowerCase() === 'authorization'
        ? [name, credential(value)]
        : [short(name), short(value)],
    )
  const chunks = (list: readonly WireChunk[]) =>
    redactChunks(list, (whole) => findInBytes(whole.toString('latin1'), inBody, inPieces))
  const events = (list: readonly StreamEvent[]): readonly StreamEvent[] => {
    // A secret may span several events, so they are searched as one stream.
    const lines = list.map(({ atMs, data }) => ({ atMs, bytes: Buffer.from(`data:${data}\n`) }))
    const together = chunks(lines).map(({ bytes }) =>
      Buffer.from(bytes).toString().slice('data:'.length, -1),
    )
    return list.map((event, at) => {
      const name = event.name === null ? null : text(event.name)
      const data = text(together[at] ?? '')
      return name === event.name && data === event.data ? event : { ...event, name, data }
    })
  }

  const request = (sent: WireRequest): WireRequest => ({
    ...sent,
    url: text(sent.url),
    ...(sent.documentedPath === undefined ? {} : { documentedPath: text(sent.documentedPath) }),
    headers: sentHeaders(sent.headers),
    body: sent.body && (chunks([{ atMs: 0, bytes: sent.body }])[0]?.bytes ?? null),
  })

  return {
    /** Redacts text that came from a target. */
    text,
    /**
     * Redacts a rendered file or a printed line whose words and figures are chatgen's own: a secret that reads
     * like one of them is left alone. JSON stays valid.
     */
    output: (value: string): string => withMarks(value, outsideEscapes(value, findSure(value))),
    request,
    exchange: (exchange: Exchange): Exchange => {
      const { response, events: decoded, ending } = exchange
      const before = response?.chunks ?? []
      const after = chunks(before)
      const hasCleanBytes = after.every((chunk, at) => chunk === before[at])
      // Events contain no secret if the bytes that they were decoded from contain none.
      const clean = hasCleanBytes && before.length > 0 ? decoded : events(decoded)
      const isClean = hasCleanBytes && clean.every((event, at) => event === decoded[at])
      const coded = response?.coded
      const isKept = isClean && ending.kind !== 'undecodable'
      return {
        ...exchange,
        request: request(exchange.request),
        response: response && {
          ...response,
          headers: headers(response.headers),
          chunks: after,
          ...(coded && { coded: isKept ? coded : withheld(coded) }),
        },
        events: clean,
        ending: 'error' in ending ? { ...ending, error: text(ending.error) } : ending,
      }
    },
  }
}

const maxRemembered = 1000
const maxShort = 64

/** Names and values of headers are the same from exchange to exchange. */
function rememberShort(redact: (text: string) => string): (text: string) => string {
  const byValue = new Map<string, string>()
  return (text) => {
    if (text.length > maxShort) return redact(text)
    const before = byValue.get(text)
    if (before !== undefined) return before
    const clean = redact(text)
    if (byValue.size >= maxRemembered) byValue.clear()
    byValue.set(text, clean)
    return clean
  }
}

function withMarks(value: string, cuts: readonly Cut[]): string {
  if (cuts.length === 0) return value
  const parts: string[] = []
  let at = 0
  for (const { start, end, mark } of cuts) {
    parts.push(value.slice(at, start), mark)
    at = end
  }
  return parts.join('') + value.slice(at)
}

/** A backslash before a mark would form an invalid JSON escape with it. */
function outsideEscapes(text: string, cuts: readonly Cut[]): readonly Cut[] {
  return cuts.map((cut) => {
    const [before = ''] = /\\*$/.exec(text.slice(Math.max(0, cut.start - 64), cut.start)) ?? []
    return before.length % 2 === 0 ? cut : { ...cut, mark: `\\${cut.mark}` }
  })
}

/** Finds secrets across chunk borders; the mark is in the chunk where the secret begins. */
function redactChunks(
  list: readonly WireChunk[],
  cutsOf: (whole: Buffer) => readonly Cut[],
): WireChunk[] {
  const whole = Buffer.concat(list.map((chunk) => chunk.bytes))
  const cuts = cutsOf(whole)
  if (cuts.length === 0) return [...list]
  let chunkStart = 0
  /** The first cut that does not end before the chunk. */
  let first = 0
  return list.map((chunk) => {
    const start = chunkStart
    const end = start + chunk.bytes.length
    chunkStart = end
    const parts: Buffer[] = []
    let at = start
    for (; first < cuts.length; first += 1) {
      const cut = cuts[first]
      if (cut === undefined || cut.start >= end) break
      if (cut.start > at) parts.push(whole.subarray(at, cut.start))
      if (cut.start >= start) parts.push(Buffer.from(cut.mark))
      at = Math.min(cut.end, end)
      if (cut.end > end) break
    }
    if (at === start) return chunk
    parts.push(whole.subarray(at, end))
    return { ...chunk, bytes: new Uint8Array(Buffer.concat(parts)) }
  })
}

/** The coded bytes of a body whose decoded bytes were not read to the end, or contain a secret. */
function withheld({ coding, chunks }: CodedBody): CodedBody {
  const withheldBytes = chunks.reduce((sum, { bytes }) => sum + bytes.length, 0)
  return { coding, chunks: [], withheldBytes }
}

/**
 * The value of `Authorization` with a mark in place of a secret that is too short to be looked for in
 * text: here it is compared with the credential itself. What follows the secret stays.
 */
function markCredential(value: string, secrets: readonly Secret[]): string {
  const [, scheme = '', credential = ''] = /^([^ ]+ +)?(.*)$/.exec(value) ?? []
  const short = secrets
    .filter((secret) => secret.value !== '' && secret.value.length < shortestEncoded)
    .toSorted((a, b) => b.value.length - a.value.length)
  for (const { name, value: secret } of short) {
    const mark = markOf(name)
    if (secret.length < shortestSecret && credential.startsWith(secret)) {
      return `${scheme}${mark}${credential.slice(secret.length)}`
    }
    const marked = /^basic +$/i.test(scheme) ? inBasic(credential, secret, mark) : undefined
    if (marked !== undefined) return scheme + marked
  }
  return value
}

/** The mark in place of the base64 digits that contain only bits of the password (RFC 7617). */
function inBasic(credential: string, secret: string, mark: string): string | undefined {
  const read = Buffer.from(credential, 'base64').toString('latin1')
  if (!read.endsWith(`:${secret}`)) return undefined
  const end = Math.floor((read.length * 8) / 6)
  const start = Math.ceil(((read.length - secret.length) * 8) / 6)
  return credential.slice(0, start) + mark + credential.slice(end)
}
