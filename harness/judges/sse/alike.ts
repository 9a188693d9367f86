import type { Ending, WireChunk } from '../../../contract/index.ts'
import { type Block, SseScanner } from './scanner.ts'

/** The part in which an event differs from those that repeat it. */
export interface Fragment {
  /** Key of the text in the JSON of the event. */
  readonly member: string
  readonly text: string
  /** The sequence_number; undefined for events without one. */
  readonly number?: number | undefined
}

/** Judges of a stream, as {@link StreamReader} calls them. */
export interface BlockJudge {
  block(block: Block): void
  /** The last event again, with another text and number. `index` counts events from 0. */
  again(text: string, number: number | undefined, index: number): void
  /** The fragment of the last block, if it contains nothing else. */
  readonly fragment: Fragment | undefined
}

/** Reads the events of a stream in any segments; those that repeat the one before are not parsed. */
export class StreamReader {
  readonly #scanner = new SseScanner()
  readonly #alike = new AlikeBlocks()
  readonly #judge: BlockJudge

  constructor(judge: BlockJudge) {
    this.#judge = judge
  }

  push({ bytes, atMs }: WireChunk): void {
    const from = this.#alikeAtStart(bytes)
    if (from === bytes.length) return
    const rest = from === 0 ? bytes : bytes.subarray(from)
    const wasIdle = this.#scanner.idle
    const blocks = this.#scanner.feed(rest, atMs)
    for (const block of blocks) this.#judge.block(block)
    if (blocks.length > 0) this.#learn(wasIdle && blocks.length === 1 ? rest : undefined)
  }

  /** Unfinished block at the end of the stream. */
  rest({ atMs }: Ending): Block | undefined {
    return this.#scanner.rest(atMs)
  }

  #alikeAtStart(bytes: Uint8Array): number {
    if (!this.#alike.armed || !this.#scanner.idle) return 0
    let from = 0
    while (from < bytes.length) {
      const end = this.#alike.match(bytes, from)
      if (end < 0) break
      const index = this.#scanner.dispatched
      this.#scanner.skip(end - from)
      this.#judge.again(this.#alike.text, this.#alike.number, index)
      from = end
    }
    return from
  }

  #learn(bytes: Uint8Array | undefined): void {
    const { fragment } = this.#judge
    if (bytes === undefined || fragment === undefined || !this.#scanner.idle) this.#alike.forget()
    else this.#alike.learn(bytes, fragment)
  }
}

const quote = 34
const backslash = 92
const zero = 48
const nine = 57
const colon = 58
const LF = 10

type Hole = 'text' | 'number'

/**
 * Detects events of a stream that differ from the one before only in two places: a fragment of text, and a
 * count. If all other bytes of a block equal those of the last one, its meaning is known without parsing it
 * as JSON: strings without escapes and plain integers stand for themselves. Comments before a block are
 * skipped; clients never see them.
 *
 * A block becomes the pattern of others only after two of them in a row were parsed, so that the first of its
 * kind has had its effect on every judge.
 */
export class AlikeBlocks {
  /** True if the next block may be compared. */
  armed = false
  /** The fragment of the block that matched last. */
  text = ''
  /** Count of the block that matched last; undefined if blocks of this kind have none. */
  number: number | undefined
  /** Bytes outside the holes, concatenated in one piece of memory for cache locality. */
  #fixed: Uint8Array = none
  /** End of each section in it. */
  #lineEnds: readonly number[] = []
  /** Hole after each section but the last. */
  #holes: readonly Hole[] = []

  /** `bytes`: one whole block that contains this fragment. */
  learn(bytes: Uint8Array, { member, text, number }: Fragment): void {
    if (this.#lineEnds.length > 0 && this.match(bytes, 0) === bytes.length) {
      this.armed = true
      return
    }
    this.forget()
    const from = afterComments(bytes, 0)
    const block = latin1(bytes.subarray(from))
    const holes = [
      holeAt(block, `"${member}":"`, encoded(text), 'text'),
      ...(number === undefined ? [] : [holeAt(block, '"sequence_number":', `${number}`, 'number')]),
    ]
    const found = holes.filter((hole) => hole !== undefined).sort((a, b) => a.start - b.start)
    if (found.length < holes.length) return
    this.#keep(bytes.subarray(from), found)
    if (this.match(bytes, 0) !== bytes.length || this.text !== text || this.number !== number) {
      this.forget()
    }
  }

  forget(): void {
    this.armed = false
    this.#lineEnds = []
  }

  /** End of the block that begins at `from`; -1 if it does not match or is incomplete. */
  match(bytes: Uint8Array, from: number): number {
    const fixed = this.#fixed
    const lineEnds = this.#lineEnds
    let at = afterComments(bytes, from)
    let done = 0
    this.number = undefined
    for (let index = 0; index < lineEnds.length; index += 1) {
      const end = lineEnds[index] ?? 0
      if (at + end - done > bytes.length) return -1
      for (; done < end; done += 1, at += 1) if (bytes[at] !== fixed[done]) return -1
      const hole = this.#holes[index]
      if (hole !== undefined) at = hole === 'text' ? this.#text(bytes, at) : this.#number(bytes, at)
      if (at < 0) return -1
    }
    return at
  }

  #keep(block: Uint8Array, holes: readonly FoundHole[]): void {
    const starts = [0, ...holes.map(({ end }) => end)]
    const stretches = starts.map((start, at) => block.subarray(start, holes[at]?.start))
    let total = 0
    this.#lineEnds = stretches.map(({ length }) => {
      total += length
      return total
    })
    this.#fixed = new Uint8Array(total)
    for (const [at, stretch] of stretches.entries()) {
      this.#fixed.set(stretch, (this.#lineEnds[at] ?? 0) - stretch.length)
    }
    this.#holes = holes.map(({ kind }) => kind)
  }

  #text(bytes: Uint8Array, from: number): number {
    let at = from
    let plain = ''
    let isPlain = true
    for (; at < bytes.length; at += 1) {
      const byte = bytes[at] ?? quote
      if (byte === quote) break
      if (byte < 32 || byte === backslash) return -1
      if (byte < 127) plain += String.fromCharCode(byte)
      else isPlain = false
    }
    if (at === from || at === bytes.length) return -1
    const text = isPlain ? plain : decode(bytes.subarray(from, at))
    if (text === undefined) return -1
    this.text = text
    return at
  }

  #number(bytes: Uint8Array, from: number): number {
    let at = from
    let value = 0
    for (; at < bytes.length; at += 1) {
      const byte = bytes[at] ?? colon
      if (byte < zero || byte > nine) break
      value = value * 10 + (byte - zero)
    }
    // JSON has no leading zeros, and 15 digits are exact in a number.
    if (at === from || at - from > 15 || (bytes[from] === zero && at > from + 1)) return -1
    this.number = value
    return at
  }
}

/** Comments of plain characters, such as a proxy or a server under measurement writes. */
function afterComments(bytes: Uint8Array, from: number): number {
  let at = from
  while (bytes[at] === colon) {
    let end = at + 1
    for (let byte = bytes[end] ?? LF; byte >= 32 && byte < 127; byte = bytes[end] ?? LF) end += 1
    if (bytes[end] !== LF) return from
    at = end + 1
  }
  return at
}

interface FoundHole {
  readonly start: number
  readonly end: number
  readonly kind: Hole
}

/** Undefined if the key is missing or occurs more than once: then it is ambiguous. */
function holeAt(block: string, key: string, value: string, kind: Hole): FoundHole | undefined {
  const at = block.indexOf(key)
  if (at < 0 || block.indexOf(key, at + 1) >= 0) return undefined
  const start = at + key.length
  return block.startsWith(value, start) ? { start, end: start + value.length, kind } : undefined
}

const none = new Uint8Array(0)
const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function encoded(text: string): string {
  return Buffer.from(text).toString('latin1')
}

/** One character for each byte. */
function latin1({ buffer, byteOffset, length }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, length).toString('latin1')
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return strict.decode(bytes)
  } catch {
    return undefined
  }
}
