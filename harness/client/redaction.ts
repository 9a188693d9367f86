import type { Exchange, Header, StreamEvent, WireChunk, WireRequest } from '../contract/index.ts'
import { redactCoded } from './redaction-coded.ts'
import { type Form, findSecrets } from './redaction-cuts.ts'
import { redactShortened } from './redaction-shortened.ts'

export interface Secret {
  /** What stands in its place: `[name]`. */
  readonly name: string
  readonly value: string
}

/** Replaces secrets by value, wherever and in whatever common encoding they occur. */
export interface Redactor {
  text(value: string): string
  exchange(exchange: Exchange): Exchange
  request(request: WireRequest): WireRequest
}

/** Shorter values would be found by chance in ordinary text. */
const shortestSecret = 4

/** Covers plain text, percent-encoding, JSON escapes and base64 at each of its three offsets. */
export function createRedactor(secrets: readonly Secret[]): Redactor {
  const forms = secrets
    .filter((secret) => secret.value.length >= shortestSecret)
    .flatMap(({ name, value }) =>
      [...encodingsOf(value)].map((form) => ({ form, mark: `[${name}]` })),
    )
    .sort((a, b) => b.form.length - a.form.length)

  const anyForm = oneOf(forms.map(({ form }) => form))
  const text = (value: string): string =>
    redactShortened(
      anyForm.test(value)
        ? forms.reduce((rest, { form, mark }) => rest.replaceAll(form, mark), value)
        : value,
      forms,
    )
  const headers = (list: readonly Header[]): Header[] =>
    list.map(([name, value]) => [text(name), text(value)])

  const bytesForms = forms.map(({ form, mark }) => ({
    form: Buffer.from(form),
    mark: Buffer.from(mark),
  }))
  const chunks = (list: readonly WireChunk[]): WireChunk[] => redactChunks(list, bytesForms)
  const events = (list: readonly StreamEvent[]): StreamEvent[] => {
    const data = redactData(list, bytesForms)
    return list.map((event, at) => ({
      ...event,
      name: event.name === null ? null : text(event.name),
      data: text(data[at] ?? ''),
    }))
  }

  const request = (sent: WireRequest): WireRequest => ({
    ...sent,
    url: text(sent.url),
    headers: headers(sent.headers),
    body: sent.body && (chunks([{ atMs: 0, bytes: sent.body }])[0]?.bytes ?? null),
  })

  return {
    text,
    request,
    exchange: (exchange) => {
      const { response } = exchange
      const clean: Exchange = {
        ...exchange,
        request: request(exchange.request),
        response: response && {
          ...response,
          headers: headers(response.headers),
          chunks: chunks(response.chunks),
          ...(response.trailers === undefined ? {} : { trailers: headers(response.trailers) }),
        },
        events: events(exchange.events),
        ending:
          'error' in exchange.ending
            ? { ...exchange.ending, error: text(exchange.ending.error) }
            : exchange.ending,
      }
      const coded = redactCoded(exchange, clean)
      return clean.response && coded ? { ...clean, response: { ...clean.response, coded } } : clean
    },
  }
}

/** Most texts hold no secret: one look tells. */
function oneOf(forms: readonly string[]): RegExp {
  const escaped = forms.map((form) => form.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&'))
  return forms.length === 0 ? /(?!)/ : new RegExp(escaped.join('|'))
}

/**
 * A writer may encode what another has: base64 in a query, a page of errors in JSON. A key without
 * special characters comes to a handful of forms.
 */
function encodingsOf(value: string): Set<string> {
  const written = [value, ...base64FormsOf(value)].flatMap((form) => [
    form,
    ...percentEncodingsOf(form),
    ...markupEscapesOf(form),
    // As a message of an assertion quotes it.
    form.replaceAll(/['\\]/g, '\\$&'),
  ])
  return new Set(written.flatMap((form) => [form, ...jsonEscapesOf(form)]))
}

/** At each of the three offsets, in both alphabets. */
function base64FormsOf(value: string): string[] {
  return [0, 1, 2].flatMap((offset) => {
    // The characters at both ends also hold bits of their neighbours, so they are left out.
    const padded = Buffer.concat([Buffer.alloc(offset), Buffer.from(value)])
    const whole = padded.toString('base64').replace(/=+$/, '')
    const inner = whole.slice(
      offset === 0 ? 0 : offset + 1,
      padded.length % 3 === 0 ? undefined : -1,
    )
    if (inner.length < shortestSecret) return []
    return [inner, inner.replaceAll('+', '-').replaceAll('/', '_')]
  })
}

/** Hexadecimal digits of either case; a form has a plus sign for a space. */
function percentEncodingsOf(value: string): string[] {
  const encoded = encodeURIComponent(value.toWellFormed())
  const inLowerCase = encoded.replaceAll(/%../g, (code) => code.toLowerCase())
  return [encoded, inLowerCase].flatMap((form) => [form, form.replaceAll('%20', '+')])
}

/** A page of errors escapes quotes as well, or does not. */
function markupEscapesOf(value: string): string[] {
  const escaped = value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  const quoted = escaped.replaceAll('"', '&quot;')
  return [
    escaped,
    quoted,
    ...['&#39;', '&#x27;', '&apos;'].map((quote) => quoted.replaceAll("'", quote)),
  ]
}

/** Slashes and what is not ASCII may be escaped or not. */
function jsonEscapesOf(value: string): string[] {
  const escaped = JSON.stringify(value).slice(1, -1)
  const inAscii = escaped.replaceAll(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return [escaped, inAscii, value].flatMap((form) => [form, form.replaceAll('/', '\\/')])
}

/** Finds secrets across chunk borders; the mark stands in the chunk where the secret begins. */
function redactChunks(list: readonly WireChunk[], forms: readonly Form[]): WireChunk[] {
  const whole = Buffer.concat(list.map((chunk) => chunk.bytes))
  const cuts = findSecrets(whole, forms)
  if (cuts.length === 0) return [...list]
  let chunkStart = 0
  // Cuts and chunks are both in order: the first cut that may reach into the chunk.
  let first = 0
  return list.map((chunk) => {
    const start = chunkStart
    const end = start + chunk.bytes.length
    chunkStart = end
    while ((cuts[first]?.end ?? Number.POSITIVE_INFINITY) <= start) first += 1
    const parts: Buffer[] = []
    let at = start
    for (let next = first; (cuts[next]?.start ?? end) < end; next += 1) {
      const cut = cuts[next]
      if (cut === undefined) break
      if (cut.start > at) parts.push(whole.subarray(at, cut.start))
      if (cut.start >= start) parts.push(cut.mark)
      at = Math.min(cut.end, end)
    }
    if (at === start) return chunk
    parts.push(whole.subarray(at, end))
    return { ...chunk, bytes: new Uint8Array(Buffer.concat(parts)) }
  })
}

/** Events may share a secret among them, so they are looked at as the stream that they were. */
function redactData(list: readonly StreamEvent[], forms: readonly Form[]): readonly string[] {
  const lines = list.map(({ atMs, data }) => ({ atMs, bytes: Buffer.from(`data:${data}\n`) }))
  return redactChunks(lines, forms).map(({ bytes }) =>
    Buffer.from(bytes).toString().slice('data:'.length, -1),
  )
}
