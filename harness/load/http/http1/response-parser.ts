import type { Header } from '../../../../contract/index.ts'
import { quoted } from '../../format.ts'
import { HttpSyntaxError, type ResponseSink } from '../channel.ts'
import { BodyReader, type Framing } from './body-reader.ts'

const headLimit = 64 * 1024

/**
 * Reads the one response that a connection is waiting for (RFC 9112), in whatever segments it
 * arrives. Own code, because undici's reader costs a third of what a segment costs at all (see "A load
 * run" in ARCHITECTURE.md).
 */
export class ResponseParser {
  /** The response is over, and the connection may carry another. */
  reusable = false
  /** Seconds for which the peer keeps an idle connection, where it says so. */
  idleSeconds: number | undefined
  #head = ''
  #body: BodyReader | undefined
  readonly #method: string
  readonly #sink: ResponseSink

  constructor(method: string, sink: ResponseSink) {
    this.#method = method
    this.#sink = sink
  }

  /** True once anything has arrived. */
  get begun(): boolean {
    return this.#body !== undefined || this.#head !== ''
  }

  /**
   * True where the response is over with these bytes.
   * @throws HttpSyntaxError
   */
  push(bytes: Uint8Array, at: number): boolean {
    if (this.#body !== undefined) return this.#read(this.#body, bytes, at)
    const text = this.#head + latin1(bytes)
    const end = text.indexOf('\r\n\r\n', Math.max(0, this.#head.length - 3))
    if (end < 0) {
      // Bytes that cannot begin a status line fail at once.
      if (!begin.startsWith(text.slice(0, begin.length))) throw notHttp(text)
      if (text.length > headLimit) throw new HttpSyntaxError('the headers are longer than 64 KiB')
      this.#head = text
      return false
    }
    const used = end + 4 - this.#head.length
    this.#head = ''
    const { status, headers, version } = readHead(text.slice(0, end))
    // 100 Continue and 103 Early Hints go before the response.
    if (status < 200 && status !== 101) return this.push(bytes.subarray(used), at)
    const framing = framingOf(this.#method, status, headers)
    this.#body = new BodyReader(framing, this.#sink)
    this.#keep(framing, headers, version)
    this.#sink.head(status, headers, at)
    return this.#read(this.#body, bytes.subarray(used), at)
  }

  /** The peer closed the connection; true where that is how the response ends. */
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
    const connection = headerOf(headers, 'connection')?.toLowerCase() ?? ''
    this.reusable = framing.kind !== 'close' && !connection.includes('close')
    if (version === '1.0' && !connection.includes('keep-alive')) this.reusable = false
    const hint = /timeout=(\d+)/i.exec(headerOf(headers, 'keep-alive') ?? '')
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
  const coding = headerOf(headers, 'transfer-encoding')
  if (coding !== undefined) {
    return /(^|,)\s*chunked\s*$/i.test(coding) ? { kind: 'chunked' } : { kind: 'close' }
  }
  const length = headerOf(headers, 'content-length')
  if (length === undefined) return { kind: 'close' }
  if (!/^\d{1,15}$/.test(length)) {
    throw new HttpSyntaxError(`not an HTTP answer: its content-length is ${quoted(length)}`)
  }
  return { kind: 'length', bytes: Number(length) }
}

function headerOf(headers: readonly Header[], name: string): string | undefined {
  return headers.find(([key]) => key === name)?.[1]
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
}
