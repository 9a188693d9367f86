import { LineReader } from './lines.ts'

/** A line of a block, comments aside, as the rules of event streams split it. */
interface Field {
  readonly name: string
  readonly value: string
}

/**
 * Lines between two empty lines. Blocks without `data:` are shown too, although a client never
 * sees them: that they are there may be the fault.
 */
export interface Block {
  /** Number of events dispatched before it: its own index where `data` is not null. */
  readonly index: number
  /** Time at which its last byte arrived. */
  readonly atMs: number
  readonly fields: readonly Field[]
  /** Value of the last `event:` line; null without one, or where it is empty. */
  readonly name: string | null
  /** Number of its `event:` lines. */
  readonly names: number
  /** The `data:` lines joined by line feeds; null where there is none. */
  readonly data: string | null
  /** Offset in the stream of its first byte that is not UTF-8. */
  readonly invalidAt: number | null
}

/**
 * Reads an event stream by the WHATWG rules, in whatever segments it arrives. Comments are
 * skipped, one leading byte order mark is dropped, any of LF, CR and CRLF ends a line.
 */
export class SseScanner {
  readonly #lines = new LineReader()
  #block = new BlockBuilder()
  #dispatched = 0

  /** The blocks that these bytes complete. */
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
   * Unfinished block at the end of the stream: no empty line closed it, so every client
   * discards. Undefined where nothing, or only comments, were left.
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

  /** True between two blocks: nothing is left over of an earlier segment. */
  get idle(): boolean {
    return this.#lines.idle && this.#block.isEmpty
  }

  /** One event of so many bytes was read elsewhere; only between two blocks. */
  skip(bytes: number): void {
    this.#lines.skip(bytes)
    this.#dispatched += 1
  }

  /** True where the stream began with a byte order mark. */
  get hadByteOrderMark(): boolean {
    return this.#lines.hadByteOrderMark
  }
}

class BlockBuilder {
  readonly #fields: Field[] = []
  #name: string | null = null
  #names = 0
  #data: string[] | undefined
  #invalidAt: number | null = null

  get isEmpty(): boolean {
    return this.#fields.length === 0 && this.#invalidAt === null
  }

  line(text: string, invalidAt: number | null): void {
    this.#invalidAt ??= invalidAt
    const colon = text.indexOf(':')
    if (colon === 0) return
    const name = colon < 0 ? text : text.slice(0, colon)
    const value =
      colon < 0 ? '' : text.slice(text.charCodeAt(colon + 1) === 32 ? colon + 2 : colon + 1)
    this.#fields.push({ name, value })
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
      fields: this.#fields,
      name: this.#name,
      names: this.#names,
      data: this.#data === undefined ? null : this.#data.join('\n'),
      invalidAt: this.#invalidAt,
    }
  }
}
