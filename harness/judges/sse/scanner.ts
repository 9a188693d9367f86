/**
 * Lines between two empty lines. Includes blocks without `data:`, which clients never see: their presence may
 * be the fault.
 */
export interface Block {
  /** Number of events dispatched before it: its own index if `data` is not null. */
  readonly index: number
  /** Time at which its last byte arrived. */
  readonly atMs: number
  /** Value of the last `event:` line; null without one, or if it is empty. */
  readonly name: string | null
  /** Number of its `event:` lines. */
  readonly names: number
  /** The `data:` lines joined by line feeds; null if there is none. */
  readonly data: string | null
  /** Offset in the stream of its first byte that is not UTF-8. */
  readonly invalidAt: number | null
}

/**
 * Reads an event stream by the WHATWG rules, in any segments. Comments are skipped, one leading byte order
 * mark is dropped, any of LF, CR and CRLF ends a line.
 */
export class SseScanner {
  readonly #lines = new LineReader()
  #block = new BlockBuilder()
  #dispatched = 0

  /** The blocks completed by these bytes. */
  feed(bytes: Uint8Array, atMs: number): Block[] {
    const blocks: Block[] = []
    this.#lines.feed(bytes, (text, invalidAt) => {
      if (text !== '') {
        this.#block.line(text, invalidAt)
        return
      }
      const block = this.#block.build(this.#dispatched, atMs)
      this.#block = new BlockBuilder()
      if (block === undefined) return
      if (block.data !== null) this.#dispatched += 1
      blocks.push(block)
    })
    return blocks
  }

  /**
   * Unfinished block at the end of the stream: no empty line closed it, so every client discards it.
   * Undefined if nothing, or only comments, remained.
   */
  rest(atMs: number): Block | undefined {
    this.#lines.rest((text, invalidAt) => {
      if (text !== '') this.#block.line(text, invalidAt)
    })
    return this.#block.build(this.#dispatched, atMs)
  }

  /** Number of events dispatched so far. */
  get dispatched(): number {
    return this.#dispatched
  }

  /** True between two blocks: no bytes of an earlier segment are pending. */
  get idle(): boolean {
    return this.#lines.idle && this.#block.isEmpty
  }

  /** Skips one event of this number of bytes that was read elsewhere; only between two blocks. */
  skip(bytes: number): void {
    this.#lines.skip(bytes)
    this.#dispatched += 1
  }
}

class BlockBuilder {
  #name: string | null = null
  #names = 0
  #data: string[] | undefined
  #invalidAt: number | null = null
  /** True without fields and without bytes that are not UTF-8. */
  isEmpty = true

  line(text: string, invalidAt: number | null): void {
    this.#invalidAt ??= invalidAt
    if (invalidAt !== null) this.isEmpty = false
    const colon = text.indexOf(':')
    if (colon === 0) return
    this.isEmpty = false
    const name = colon < 0 ? text : text.slice(0, colon)
    const value =
      colon < 0 ? '' : text.slice(text.charCodeAt(colon + 1) === 32 ? colon + 2 : colon + 1)
    if (name === 'data') {
      if (this.#data === undefined) this.#data = [value]
      else this.#data.push(value)
    } else if (name === 'event') {
      this.#name = value === '' ? null : value
      this.#names += 1
    }
  }

  build(index: number, atMs: number): Block | undefined {
    if (this.isEmpty) return undefined
    return {
      index,
      atMs,
      name: this.#name,
      names: this.#names,
      data: this.#data === undefined ? null : this.#data.join('\n'),
      invalidAt: this.#invalidAt,
    }
  }
}

const LF = 10
const CR = 13
const byteOrderMark = [0xef, 0xbb, 0xbf] as const

/** Called for each line, without its end. `invalidAt`: stream offset of its first byte that is not UTF-8. */
type OnLine = (text: string, invalidAt: number | null) => void

/**
 * Splits bytes into lines at LF, CR or CRLF, also if CR and LF arrive in different segments, and decodes each
 * line strictly. Bytes are searched by the runtime and decoded once for each line, so that the cost does not
 * depend on the segments.
 */
class LineReader {
  #pieces: Uint8Array[] = []
  /** Stream offset of the line that is being read. */
  #start = 0
  #skipLineFeed = false

  feed(bytes: Uint8Array, onLine: OnLine): void {
    let from = 0
    if (this.#skipLineFeed && bytes.length > 0) {
      this.#skipLineFeed = false
      if (bytes[0] === LF) from = 1
      this.#start += from
    }
    let lf = bytes.indexOf(LF, from)
    let cr = bytes.indexOf(CR, from)
    while (lf >= 0 || cr >= 0) {
      const end = lf < 0 || (cr >= 0 && cr < lf) ? cr : lf
      this.#end(bytes.subarray(from, end), onLine)
      from = end + 1
      if (end === cr) {
        if (from === bytes.length) this.#skipLineFeed = true
        else if (bytes[from] === LF) from += 1
      }
      this.#start += from - end
      if (lf >= 0 && lf < from) lf = bytes.indexOf(LF, from)
      if (cr >= 0 && cr < from) cr = bytes.indexOf(CR, from)
    }
    // A copy: the caller may reuse the memory of the segment.
    if (from < bytes.length) this.#pieces.push(bytes.slice(from))
  }

  /** True between two lines. */
  get idle(): boolean {
    return this.#pieces.length === 0 && !this.#skipLineFeed
  }

  /** Skips bytes of whole lines that were read elsewhere. */
  skip(bytes: number): void {
    this.#start += bytes
  }

  /** The unterminated line, if there is one. */
  rest(onLine: OnLine): void {
    if (this.#pieces.length > 0) this.#end(new Uint8Array(0), onLine)
  }

  #end(tail: Uint8Array, onLine: OnLine): void {
    const line = this.#withoutMark(
      this.#pieces.length === 0 ? tail : Buffer.concat([...this.#pieces, tail]),
    )
    const start = this.#start
    this.#pieces = []
    this.#start += line.length
    const text = decode(line)
    if (text !== undefined) onLine(text, null)
    else onLine(lenient.decode(line), start + validPrefix(line))
  }

  #withoutMark(line: Uint8Array): Uint8Array {
    if (this.#start > 0 || !byteOrderMark.every((byte, at) => line[at] === byte)) return line
    this.#start = byteOrderMark.length
    return line.subarray(byteOrderMark.length)
  }
}

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const lenient = new TextDecoder('utf-8', { ignoreBOM: true })

function decode(line: Uint8Array): string | undefined {
  if (line.length === 0) return ''
  try {
    return strict.decode(line)
  } catch {
    return undefined
  }
}

/** Number of leading bytes that form whole characters. */
function validPrefix(line: Uint8Array): number {
  let text = ''
  let valid = 0
  let invalid = line.length + 1
  while (invalid - valid > 1) {
    const middle = (valid + invalid) >> 1
    const decoded = decodeStart(line.subarray(0, middle))
    if (decoded === undefined) invalid = middle
    else {
      valid = middle
      text = decoded
    }
  }
  return new TextEncoder().encode(text).length
}

/** The whole characters of bytes that may end inside one; undefined if they are not UTF-8. */
function decodeStart(bytes: Uint8Array): string | undefined {
  try {
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
    return decoder.decode(bytes, { stream: true })
  } catch {
    return undefined
  }
}
