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

const LF = 10
const CR = 13
const byteOrderMark = [0xef, 0xbb, 0xbf] as const

/**
 * Reads an event stream by the WHATWG rules, in any segments. Comments are skipped, one leading byte order
 * mark is dropped, any of LF, CR and CRLF ends a line, also if CR and LF arrive in different segments. Line
 * ends are searched by the runtime and each line is decoded once, so that the cost does not depend on the
 * segments.
 */
export class SseScanner {
  /** Number of events dispatched so far. */
  dispatched = 0
  /** Beginning of the line that is being read. */
  #pieces: Uint8Array[] = []
  /** Stream offset of that line. */
  #start = 0
  #skipLineFeed = false
  #fields = noFields()

  /** The blocks completed by these bytes. */
  feed(bytes: Uint8Array, atMs: number): Block[] {
    const blocks: Block[] = []
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
      if (this.#endLine(bytes.subarray(from, end))) {
        const block = this.rest(atMs)
        this.#fields = noFields()
        if (block !== undefined) blocks.push(block)
        if (block !== undefined && block.data !== null) this.dispatched += 1
      }
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
    return blocks
  }

  /**
   * Unfinished block at the end of the stream: no empty line closed it, so every client discards it.
   * Undefined if nothing, or only comments, remained.
   */
  rest(atMs: number): Block | undefined {
    if (this.#pieces.length > 0) this.#endLine(new Uint8Array(0))
    const { isEmpty, data, ...fields } = this.#fields
    if (isEmpty) return undefined
    return { index: this.dispatched, atMs, ...fields, data: data?.join('\n') ?? null }
  }

  /** True between two blocks: no bytes of an earlier segment are pending. */
  get idle(): boolean {
    return this.#pieces.length === 0 && !this.#skipLineFeed && this.#fields.isEmpty
  }

  /** Skips one event of this number of bytes that was read elsewhere; only between two blocks. */
  skip(bytes: number): void {
    this.#start += bytes
    this.dispatched += 1
  }

  /** Takes the line that ends with these bytes; true if it is empty. */
  #endLine(tail: Uint8Array): boolean {
    let line = this.#pieces.length === 0 ? tail : Buffer.concat([...this.#pieces, tail])
    this.#pieces = []
    if (this.#start === 0 && byteOrderMark.every((byte, at) => line[at] === byte)) {
      this.#start = byteOrderMark.length
      line = line.subarray(byteOrderMark.length)
    }
    const text = decode(line)
    if (text === undefined) {
      this.#fields.invalidAt ??= this.#start + validPrefix(line)
      this.#fields.isEmpty = false
    }
    if (text !== '') addLine(this.#fields, text ?? lenient.decode(line))
    this.#start += line.length
    return text === ''
  }
}

/** The lines of a block so far. */
interface Fields {
  name: Block['name']
  names: number
  invalidAt: Block['invalidAt']
  data: string[] | undefined
  /** True without fields and without bytes that are not UTF-8. */
  isEmpty: boolean
}

function noFields(): Fields {
  return { name: null, names: 0, invalidAt: null, data: undefined, isEmpty: true }
}

function addLine(fields: Fields, text: string): void {
  const colon = text.indexOf(':')
  if (colon === 0) return
  fields.isEmpty = false
  const name = colon < 0 ? text : text.slice(0, colon)
  const value =
    colon < 0 ? '' : text.slice(text.charCodeAt(colon + 1) === 32 ? colon + 2 : colon + 1)
  if (name === 'data') {
    if (fields.data === undefined) fields.data = [value]
    else fields.data.push(value)
  } else if (name === 'event') {
    fields.name = value === '' ? null : value
    fields.names += 1
  }
}

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const lenient = new TextDecoder('utf-8', { ignoreBOM: true })
const replacement = [0xef, 0xbf, 0xbd] as const

/** The text of bytes; undefined if they are not UTF-8. */
export function decode(bytes: Uint8Array): string | undefined {
  if (bytes.length === 0) return ''
  try {
    return strict.decode(bytes)
  } catch {
    return undefined
  }
}

/** Number of bytes before the first one that is not UTF-8. */
function validPrefix(line: Uint8Array): number {
  const text = lenient.decode(line)
  let valid = 0
  let from = 0
  for (;;) {
    const at = text.indexOf('\ufffd', from)
    valid += Buffer.byteLength(text.slice(from, at))
    // The line may also contain the replacement character itself.
    if (at < 0 || !replacement.every((byte, place) => line[valid + place] === byte)) return valid
    valid += replacement.length
    from = at + 1
  }
}
