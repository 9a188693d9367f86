import { type Header, header } from '../../../../contract/index.ts'
import { HttpSyntaxError, quoted, type ResponseSink } from '../channel.ts'

const headLimit = 64 * 1024

type State = 'head' | 'size' | 'data' | 'data end' | 'trailer' | 'over'

/**
 * Reads the one response that a connection waits for (RFC 9112), in segments of any size, and passes the bytes
 * of its body on as views of the segments that brought them. Own code, because undici's parser takes a third of
 * the total cost of a segment (see "A load run" in ARCHITECTURE.md).
 */
export class ResponseParser {
  /** The response is over, and the connection may carry another. */
  reusable = false
  /** Idle timeout of the peer in seconds, if it announces one. */
  idleSeconds: number | undefined
  readonly #method: string
  readonly #sink: ResponseSink
  #state: State = 'head'
  /** Bytes that earlier segments brought of the head, or of a line of the framing. */
  #begun = ''
  #framing: Framing = 'chunked'
  /** Bytes to come of the body or of a chunk. */
  #remaining = 0

  constructor(method: string, sink: ResponseSink) {
    this.#method = method
    this.#sink = sink
  }

  /**
   * True if the response ends with these bytes.
   * @throws HttpSyntaxError
   */
  push(bytes: Uint8Array, at: number): boolean {
    let from = 0
    while (this.#state !== 'over') {
      if (from >= bytes.length) return false
      if (this.#state === 'data') from = this.#readData(bytes, from, at)
      else if (this.#state === 'head') from = this.#readHead(bytes, from, at)
      else from = this.#readLine(bytes, from)
    }
    // Bytes after the end of the response: the connection is out of step.
    if (from < bytes.length) this.reusable = false
    this.#sink.end(at)
    return true
  }

  /** The peer closed the connection; true if that ends the response. */
  close(at: number): boolean {
    if (this.#state !== 'data' || this.#framing !== 'close') return false
    this.#sink.end(at)
    return true
  }

  /** Returns the index after the head, or after all bytes if it continues. */
  #readHead(bytes: Uint8Array, from: number, at: number): number {
    const before = this.#begun.length
    const text = this.#begun + latin1(bytes, from, bytes.length)
    const end = text.indexOf('\r\n\r\n', Math.max(0, before - 3))
    if (end < 0) {
      // Bytes that cannot begin a status line fail at once.
      if (!begin.startsWith(text.slice(0, begin.length))) throw notHttp(text)
      if (text.length > headLimit)
        throw new HttpSyntaxError(
          'the headers of a response are longer than 64 KiB: the target must send shorter ones',
        )
      this.#begun = text
      return bytes.length
    }
    this.#begun = ''
    const { status, headers, version } = headOf(text.slice(0, end))
    // 100 Continue and 103 Early Hints precede the response.
    if (status >= 200 || status === 101) {
      const framing = framingOf(this.#method, status, headers)
      this.#framing = framing
      if (typeof framing === 'number') this.#remaining = framing
      else this.#remaining = framing === 'close' ? Number.POSITIVE_INFINITY : 0
      this.#state = framing === 'chunked' ? 'size' : framing === 0 ? 'over' : 'data'
      this.#keep(headers, version)
      this.#sink.head(status, headers, at)
    }
    return from + end + 4 - before
  }

  #keep(headers: readonly Header[], version: string): void {
    const connection = header(headers, 'connection')?.toLowerCase() ?? ''
    this.reusable = this.#framing !== 'close' && !connection.includes('close')
    if (version === '1.0' && !connection.includes('keep-alive')) this.reusable = false
    const hint = /timeout=(\d+)/i.exec(header(headers, 'keep-alive') ?? '')
    this.idleSeconds = hint?.[1] === undefined ? undefined : Number(hint[1])
  }

  #readData(bytes: Uint8Array, from: number, at: number): number {
    const end = Math.min(bytes.length, from + this.#remaining)
    this.#remaining -= end - from
    if (this.#remaining === 0) this.#state = this.#framing === 'chunked' ? 'data end' : 'over'
    this.#sink.data(from === 0 && end === bytes.length ? bytes : bytes.subarray(from, end), at)
    return end
  }

  /** Reads a line of the framing: the size of a chunk, the line break after its data, a trailer. */
  #readLine(bytes: Uint8Array, from: number): number {
    let end = from
    while (end < bytes.length && bytes[end] !== LF) end += 1
    if (end === bytes.length) {
      this.#begun += latin1(bytes, from, end)
      if (this.#begun.length > lineLimit)
        throw new HttpSyntaxError('a line of the chunked framing is too long')
      return end
    }
    if (this.#begun !== '' || !this.#takePlain(bytes, from, end)) {
      const line = (this.#begun + latin1(bytes, from, end)).replace(/\r$/, '')
      this.#begun = ''
      this.#take(line)
    }
    return end + 1
  }

  /** Takes a line break after data, or a size of a few digits, as most lines are; builds no string of them. */
  #takePlain(bytes: Uint8Array, from: number, lf: number): boolean {
    const end = lf > from && bytes[lf - 1] === CR ? lf - 1 : lf
    if (this.#state === 'data end' && end === from) this.#state = 'size'
    else if (this.#state === 'size' && end > from && end - from <= 6) {
      let size = 0
      for (let at = from; at < end; at += 1) {
        const digit = hexOf(bytes[at])
        if (digit < 0) return false
        size = size * 16 + digit
      }
      this.#begin(size)
    } else return false
    return true
  }

  #take(line: string): void {
    if (this.#state === 'data end') {
      if (line !== '') throw new HttpSyntaxError('a chunk is longer than its size')
      this.#state = 'size'
    } else if (this.#state === 'size') {
      const match = /^([0-9a-fA-F]{1,12})[ \t]*(?:;|$)/.exec(line)
      if (match?.[1] === undefined) throw new HttpSyntaxError(`not a chunk size: ${quoted(line)}`)
      this.#begin(Number.parseInt(match[1], 16))
    } else if (line === '') this.#state = 'over'
  }

  #begin(size: number): void {
    this.#remaining = size
    this.#state = size === 0 ? 'trailer' : 'data'
  }
}

function headOf(text: string) {
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

/** Framing of a body (RFC 9112, section 6.3): its length, chunks, or the end of the connection. */
type Framing = number | 'chunked' | 'close'

function framingOf(method: string, status: number, headers: readonly Header[]): Framing {
  if (method === 'HEAD' || status === 204 || status === 304) return 0
  const coding = header(headers, 'transfer-encoding')
  if (coding !== undefined) return /(^|,)\s*chunked\s*$/i.test(coding) ? 'chunked' : 'close'
  const length = header(headers, 'content-length')
  if (length === undefined) return 'close'
  if (!/^\d{1,15}$/.test(length)) {
    throw new HttpSyntaxError(`not an HTTP answer: its content-length is ${quoted(length)}`)
  }
  return Number(length)
}

function latin1({ buffer, byteOffset }: Uint8Array, from: number, end: number): string {
  return Buffer.from(buffer, byteOffset + from, end - from).toString('latin1')
}

const LF = 10
const CR = 13
/** Maximum length of a chunk header or a trailer line, in bytes. */
const lineLimit = 16 * 1024

/** Value of a hexadecimal digit; -1 for any other byte, and for none. */
function hexOf(byte = 0): number {
  if (byte >= 48 && byte <= 57) return byte - 48
  const letter = byte | 32
  return letter >= 97 && letter <= 102 ? letter - 87 : -1
}
