const LF = 10
const CR = 13
const byteOrderMark = [0xef, 0xbb, 0xbf] as const

/** Called for each line, without its end. `invalidAt`: stream offset of its first byte that is not UTF-8. */
export type OnLine = (text: string, invalidAt: number | null) => void

/**
 * Cuts bytes into lines at LF, CR or CRLF, also where CR and LF arrive in different segments, and
 * decodes each line strictly. Bytes are searched by the runtime and decoded once for each line, so
 * that the cost does not depend on how the stream was segmented.
 */
export class LineReader {
  /** True where the stream began with a byte order mark. */
  hadByteOrderMark = false
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
    // A copy: the segment belongs to the caller, who may use its memory again.
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

  /** The line that nothing ended, if there is one. */
  rest(onLine: OnLine): void {
    if (this.#pieces.length > 0) this.#end(new Uint8Array(0), onLine)
  }

  #end(tail: Uint8Array, onLine: OnLine): void {
    const line = this.#withoutMark(this.#pieces.length === 0 ? tail : join(this.#pieces, tail))
    const start = this.#start
    this.#pieces = []
    this.#start += line.length
    const text = decode(line)
    if (text !== undefined) onLine(text, null)
    else onLine(lenient.decode(line), start + validPrefix(line))
  }

  #withoutMark(line: Uint8Array): Uint8Array {
    if (this.#start > 0 || !byteOrderMark.every((byte, at) => line[at] === byte)) return line
    this.hadByteOrderMark = true
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

/** Number of bytes from the start that make whole characters. */
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

/** The whole characters of bytes that may end inside one; undefined where they are no UTF-8. */
function decodeStart(bytes: Uint8Array): string | undefined {
  try {
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
    return decoder.decode(bytes, { stream: true })
  } catch {
    return undefined
  }
}

function join(pieces: readonly Uint8Array[], tail: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, tail.length))
  let at = 0
  for (const piece of [...pieces, tail]) {
    bytes.set(piece, at)
    at += piece.length
  }
  return bytes
}
