import { quoted } from '../../format.ts'
import { HttpSyntaxError, type ResponseSink } from '../channel.ts'

/** Framing of a body: RFC 9112, sections 6 and 7. */
export type Framing =
  | { readonly kind: 'chunked' }
  | { readonly kind: 'length'; readonly bytes: number }
  | { readonly kind: 'close' }

type State = 'size' | 'data' | 'data end' | 'trailer' | 'over'

const LF = 10
const CR = 13
/** Maximum length of a chunk header or a trailer line, in bytes. */
const lineLimit = 16 * 1024

/** Takes the framing off a body and passes its bytes on, as views of the segments that brought them. */
export class BodyReader {
  /** The end of the connection is the end of the body. */
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
      // What was taken of it stays taken: the line break after the data.
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
    const piece = end === from ? '' : ascii(bytes, from, end)
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

function ascii(bytes: Uint8Array, from: number, to: number): string {
  let text = ''
  for (let at = from; at < to; at += 1) text += String.fromCharCode(bytes[at] ?? 0)
  return text
}
