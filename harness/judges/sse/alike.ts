import { decode } from './scanner.ts'

/** The part in which an event differs from those that repeat it. */
export interface Fragment {
  /** Key of the text in the JSON of the event. */
  readonly member: string
  readonly text: string
  /** The sequence_number; undefined for events without one. */
  readonly number?: number | undefined
}

/** One character for each byte. */
export function latin1({ buffer, byteOffset, length }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, length).toString('latin1')
}

/**
 * Values that stand for themselves in JSON: a text without escapes, a number without leading zeros of at most
 * 15 digits, which are exact.
 */
const holes = { text: /[ !#-[\]-\xff]+/y, number: /(?:0|[1-9]\d{0,14})(?!\d)/y } as const

const foreign = /[^ -~]/

/** Bytes that are the same in each block, and the hole after them. */
interface Stretch {
  readonly fixed: string
  readonly hole: keyof typeof holes | undefined
}

/**
 * Detects events of a stream that differ from the one before only in two places: a fragment of text, and a
 * count. If all other bytes of a block equal those of the last one, its meaning is known without parsing it
 * as JSON. Comments before a block are skipped; clients never see them. All texts have one character for each
 * byte.
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
  #stretches: readonly Stretch[] = []

  /** `whole`: one block that contains this fragment. */
  learn(whole: string, { member, text, number }: Fragment): void {
    if (this.#stretches.length > 0 && this.match(whole, 0) === whole.length) {
      this.armed = true
      return
    }
    this.forget()
    const block = whole.slice(afterComments(whole, 0))
    const sought = [holeAt(block, `"${member}":"`, latin1(Buffer.from(text)), 'text')]
    if (number !== undefined)
      sought.push(holeAt(block, '"sequence_number":', `${number}`, 'number'))
    const found = sought.filter((one) => one !== undefined).sort((a, b) => a.start - b.start)
    if (found.length < sought.length) return
    this.#stretches = [...found, undefined].map((next, at) => ({
      fixed: block.slice(found[at - 1]?.end ?? 0, next?.start),
      hole: next?.hole,
    }))
    if (this.match(whole, 0) !== whole.length || this.text !== text || this.number !== number) {
      this.forget()
    }
  }

  forget(): void {
    this.armed = false
    this.#stretches = []
  }

  /** End of the block that begins at `from`; -1 if it does not match or is incomplete. */
  match(bytes: string, from: number): number {
    let at = afterComments(bytes, from)
    this.number = undefined
    for (const { fixed, hole } of this.#stretches) {
      if (bytes.slice(at, at + fixed.length) !== fixed) return -1
      at += fixed.length
      if (hole === undefined) continue
      const end = endOf(holes[hole], bytes, at)
      if (end === 0) return -1
      const value = bytes.slice(at, end)
      at = end
      if (hole === 'number') {
        this.number = Number(value)
        continue
      }
      const text = foreign.test(value) ? decode(Buffer.from(value, 'latin1')) : value
      if (text === undefined) return -1
      this.text = text
    }
    return at
  }
}

/** End of the match of a sticky pattern at a place; 0 without one. */
function endOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at
  pattern.test(text)
  return pattern.lastIndex
}

const comments = /(?::[ -~]*\n)+/y

/** Comments of plain characters, such as a proxy or a server under measurement writes. */
function afterComments(text: string, from: number): number {
  return text[from] === ':' ? endOf(comments, text, from) || from : from
}

/** Undefined if the key is missing or occurs more than once: then it is ambiguous. */
function holeAt(block: string, key: string, value: string, hole: keyof typeof holes) {
  const at = block.indexOf(key)
  if (at < 0 || block.indexOf(key, at + 1) >= 0) return undefined
  const start = at + key.length
  return block.startsWith(value, start) ? { start, end: start + value.length, hole } : undefined
}
