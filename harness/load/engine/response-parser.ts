import type { Header } from '../../contract/index.ts'
import { BodyReader, type Framing } from './body-reader.ts'
import { HttpSyntaxError, type ResponseSink } from './response-sink.ts'

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
    // What nobody asked for: the peer and we are out of step.
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
  const match = /^HTTP\/(1\.[01]) (\d{3})(?: |$)/.exec(first)
  if (match === null) throw new HttpSyntaxError(`no status line: ${first.slice(0, 60)}`)
  const headers = lines.map((line): Header => {
    const colon = line.indexOf(':')
    if (colon < 1) throw new HttpSyntaxError(`no header: ${line.slice(0, 60)}`)
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
  })
  return { version: match[1] ?? '1.1', status: Number(match[2]), headers }
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
  if (!/^\d{1,15}$/.test(length)) throw new HttpSyntaxError(`content-length is ${length}`)
  return { kind: 'length', bytes: Number(length) }
}

function headerOf(headers: readonly Header[], name: string): string | undefined {
  return headers.find(([key]) => key === name)?.[1]
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
}
