import { type Header, header } from '../../../../contract/index.ts'
import { HttpSyntaxError, quoted, type ResponseSink } from '../channel.ts'

const headLimit = 64 * 1024

/**
 * Reads the one response that a connection waits for (RFC 9112), in segments of any size. Own code, because
 * undici's parser takes a third of the total cost of a segment (see "A load run" in ARCHITECTURE.md).
 */
export class ResponseParser {
  /** The response is over, and the connection may carry another. */
  reusable = false
  /** Idle timeout of the peer in seconds, if it announces one. */
  idleSeconds: number | undefined
  #head = ''
  #body: BodyReader | undefined
  readonly #method: string
  readonly #sink: ResponseSink

  constructor(method: string, sink: ResponseSink) {
    this.#method = method
    this.#sink = sink
  }

  /**
   * True if the response ends with these bytes.
   * @throws HttpSyntaxError
   */
  push(bytes: Uint8Array, at: number): boolean {
    if (this.#body !== undefined) return this.#read(this.#body, bytes, at)
    const text = this.#head + latin1(bytes)
    const end = text.indexOf('\r\n\r\n', Math.max(0, this.#head.length - 3))
    if (end < 0) {
      // Bytes that cannot begin a status line fail at once.
      if (!begin.startsWith(text.slice(0, begin.length))) throw notHttp(text)
      if (text.length > headLimit)
        throw new HttpSyntaxError(
          'the headers of a response are longer than 64 KiB: the target must send shorter ones',
        )
      this.#head = text
      return false
    }
    const used = end + 4 - this.#head.length
    this.#head = ''
    const { status, headers, version } = readHead(text.slice(0, end))
    // 100 Continue and 103 Early Hints precede the response.
    if (status < 200 && status !== 101) return this.push(bytes.subarray(used), at)
    const framing = framingOf(this.#method, status, headers)
    this.#body = new BodyReader(framing, this.#sink)
    this.#keep(framing, headers, version)
    this.#sink.head(status, headers, at)
    return this.#read(this.#body, bytes.subarray(used), at)
  }

  /** The peer closed the connection; true if that ends the response. */
  close(at: number): boolean {
    if (this.#body === undefined || !this.#body.endsByClose) return false
    this.#sink.end(at)
    return true
  }

  #read(body: BodyReader, bytes: Uint8Array, at: number): boolean {
    const rest = body.push(bytes, at)
    if (rest < 0) return false
    // Bytes after the end of the response: the connection is out of step.
    if (rest < bytes.length) this.reusable = false
    this.#sink.end(at)
    return true
  }

  #keep(framing: Framing, headers: readonly Header[], version: string): void {
    const connection = header(headers, 'connection')?.toLowerCase() ?? ''
    this.reusable = framing.kind !== 'close' && !connection.includes('close')
    if (version === '1.0' && !connection.includes('keep-alive')) this.reusable = false
    const hint = /timeout=(\d+)/i.exec(header(headers, 'keep-alive') ?? '')
    this.idleSeconds = hint?.[1] === undefined ? undefined : Number(hint[1])
  }
}

function readHead(text: string) {
  const [first = '', ...lines] = text.split('\r\n')
  const match = /^HTTP\/(1\.[01]) ([1-9]\d\d)(?: |$)/.exec(first)
  if (match === null) throw notHttp(first)
  const headers = lines.map((line): Header => {
    const colon = line.indexOf(':')
    if (colon < 1) throw new HttpSyntaxError(`not an HTTP header: ${quoted(line)}`)
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
  })
  return { version: match[1] ?? '1.1', status: Number(match[2]), headers }
}

const begin = 'HTTP/1.'

function notHttp(text: string): HttpSyntaxError {
  return new HttpSyntaxError(`not an HTTP/1.1 answer: ${quoted(text)}${hintOf(text)}`)
}

/** Guesses the protocol of a peer that does not speak HTTP/1. */
function hintOf(text: string): string {
  const [type = 0, version = 0, , frame = 0] = [...text].map((char) => char.charCodeAt(0))
  // A TLS record of type alert or handshake (RFC 8446, section 5.1).
  if ((type === 21 || type === 22) && version === 3) return '; it looks like TLS: try https://'
  // A frame of HTTP/2 of type SETTINGS (RFC 9113, section 6.5).
  return type === 0 && frame === 4 ? '; it looks like HTTP/2: try --http2' : ''
}

/** RFC 9112, section 6.3. */
function framingOf(method: string, status: number, headers: readonly Header[]): Framing {
  if (method === 'HEAD' || status === 204 || status === 304) return { kind: 'length', bytes: 0 }
  const coding = header(headers, 'transfer-encoding')
  if (coding !== undefined) {
    return /(^|,)\s*chunked\s*$/i.test(coding) ? { kind: 'chunked' } : { kind: 'close' }
  }
  const length = header(headers, 'content-length')
  if (length === undefined) return { kind: 'close' }
  if (!/^\d{1,15}$/.test(length)) {
    throw new HttpSyntaxError(`not an HTTP answer: its content-length is ${quoted(length)}`)
  }
  return { kind: 'length', bytes: Number(length) }
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
}

/** Framing of a body: RFC 9112, sections 6 and 7. */
type Framing =
  | { readonly kind: 'chunked' }
  | { readonly kind: 'length'; readonly bytes: number }
  | { readonly kind: 'close' }

type State = 'size' | 'data' | 'data end' | 'trailer' | 'over'

const LF = 10
const CR = 13
/** Maximum length of a chunk header or a trailer line, in bytes. */
const lineLimit = 16 * 1024

/** Takes the framing off a body and passes its bytes on, as views of the segments that brought them. */
class BodyReader {
  /** The body ends with the connection. */
  readonly endsByClose: boolean
  readonly #sink: Pick<ResponseSink, 'data'>
  readonly #chunked: boolean
  #state: State
  #remaining: number
  #line = ''

  constructor(framing: Framing, sink: Pick<ResponseSink, 'data'>) {
    this.#sink = sink
    this.endsByClose = framing.kind === 'close'
    this.#chunked = framing.kind === 'chunked'
    this.#remaining =
      framing.kind === 'length'
        ? framing.bytes
        : framing.kind === 'close'
          ? Number.POSITIVE_INFINITY
          : 0
    this.#state = this.#chunked ? 'size' : this.#remaining === 0 ? 'over' : 'data'
  }

  /** Returns the number of bytes up to the end of the body; -1 if the body continues. */
  push(bytes: Uint8Array, at: number): number {
    let from = 0
    while (this.#state !== 'over') {
      if (from >= bytes.length) return -1
      from = this.#state === 'data' ? this.#data(bytes, from, at) : this.#between(bytes, from)
    }
    return from
  }

  #data(bytes: Uint8Array, from: number, at: number): number {
    const end = Math.min(bytes.length, from + this.#remaining)
    this.#remaining -= end - from
    this.#sink.data(from === 0 && end === bytes.length ? bytes : bytes.subarray(from, end), at)
    if (this.#remaining === 0) this.#state = this.#chunked ? 'data end' : 'over'
    return end
  }

  /** A line of the framing: the size of a chunk, the line break after its data, a trailer. */
  #between(bytes: Uint8Array, from: number): number {
    const after = this.#line === '' ? this.#plainLine(bytes, from) : -1
    return after < 0 ? this.#anyLine(bytes, from) : after
  }

  /** Reads a line that is whole in its segment, with a few digits or none, as most are; otherwise -1. */
  #plainLine(bytes: Uint8Array, from: number): number {
    let at = from
    if (this.#state === 'data end') {
      if (bytes[at] !== CR || bytes[at + 1] !== LF) return -1
      this.#state = 'size'
      at += 2
    }
    if (this.#state !== 'size') return -1
    const digits = at
    let size = 0
    for (let digit = hexOf(bytes[at]); digit >= 0; digit = hexOf(bytes[at])) {
      size = size * 16 + digit
      at += 1
    }
    if (at === digits || at - digits > 6 || bytes[at] !== CR || bytes[at + 1] !== LF) {
      // The line break after the data stays consumed.
      return digits === from ? -1 : digits
    }
    this.#remaining = size
    this.#state = size === 0 ? 'trailer' : 'data'
    return at + 2
  }

  #anyLine(bytes: Uint8Array, from: number): number {
    let at = from
    while (at < bytes.length && bytes[at] !== LF) at += 1
    const whole = at < bytes.length
    const end = whole && at > from && bytes[at - 1] === CR ? at - 1 : at
    const piece = end === from ? '' : latin1(bytes.subarray(from, end))
    if (!whole) {
      this.#line += piece
      if (this.#line.length > lineLimit)
        throw new HttpSyntaxError('a line of the framing is too long')
      return bytes.length
    }
    const line = this.#line === '' ? piece : (this.#line + piece).replace(/\r$/, '')
    this.#line = ''
    this.#take(line)
    return at + 1
  }

  #take(line: string): void {
    if (this.#state === 'data end') {
      if (line !== '') throw new HttpSyntaxError('a chunk is longer than its size')
      this.#state = 'size'
    } else if (this.#state === 'size') {
      const match = /^([0-9a-fA-F]{1,12})[ \t]*(?:;|$)/.exec(line)
      if (match?.[1] === undefined)
        throw new HttpSyntaxError(`not the size of a chunk: ${quoted(line)}`)
      this.#remaining = Number.parseInt(match[1], 16)
      this.#state = this.#remaining === 0 ? 'trailer' : 'data'
    } else if (line === '') this.#state = 'over'
  }
}

/** Value of a hexadecimal digit; -1 for any other byte, and for none. */
function hexOf(byte = 0): number {
  if (byte >= 48 && byte <= 57) return byte - 48
  const letter = byte | 32
  return letter >= 97 && letter <= 102 ? letter - 87 : -1
}
