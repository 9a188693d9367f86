import type { Ending, Judgement, WireChunk } from '../../contract/index.ts'
import { FindingCollector } from './finding-collector.ts'
import { AlikeBlocks, type Fragment, latin1 } from './sse/alike.ts'
import { type Block, SseScanner } from './sse/scanner.ts'

/** Context of a stream for its judge, in addition to the bytes. */
export interface StreamContext {
  /** Body of the request as JSON. */
  readonly request: unknown
  /** The request repeats another with the same idempotency key, so the response may be a short replay. */
  readonly repeat?: boolean
  /** Id of the exchange; without it, the findings name none. */
  readonly exchangeId?: string
  /** Filled by the judge. */
  readonly contents?: StreamContents
}

export type ContentKind = 'text' | 'reasoning' | 'refusal' | 'tool'

/** Contents that a judge found in a stream, for a caller that measures it: events and fragments since `clear`. */
export class StreamContents {
  /** Events of any kind. */
  events = 0
  /** The event that ends the stream came; on the compatible surface, `[DONE]`. */
  isTerminal = false
  /** Nonempty fragments of generated content; only the first `fragments` entries of the arrays count. */
  fragments = 0
  readonly kinds: ContentKind[] = []
  readonly texts: string[] = []
  /** Id of the response or the completion. */
  id: string | undefined
  /** The first failure that the server reported inside the stream. */
  failure: string | undefined
  /** The last token usage. */
  usage: Readonly<Record<string, unknown>> | undefined

  add(kind: ContentKind, text: string): void {
    // Reuses the arrays, as this runs for every event.
    this.kinds[this.fragments] = kind
    this.texts[this.fragments] = text
    this.fragments += 1
  }

  clear(): void {
    this.events = 0
    this.fragments = 0
    this.isTerminal = false
  }
}

/**
 * Judges a stream while it arrives. The segments may be cut anywhere; events that repeat the one before are
 * not parsed.
 */
export abstract class StreamJudge {
  /** The fragment of the last block, if it contains nothing else. */
  protected fragment: Fragment | undefined
  protected readonly collector = new FindingCollector()
  protected readonly context: StreamContext
  readonly #scanner = new SseScanner()
  readonly #alike = new AlikeBlocks()

  constructor(context: StreamContext) {
    this.context = context
  }

  push({ bytes, atMs }: WireChunk): void {
    const from = this.#alikeAtStart(bytes)
    if (from === bytes.length) return
    const rest = from === 0 ? bytes : bytes.subarray(from)
    const wasIdle = this.#scanner.idle
    const blocks = this.#scanner.feed(rest, atMs)
    if (blocks.length === 0) return
    for (const block of blocks) this.block(block)
    const isOne = wasIdle && blocks.length === 1 && this.#scanner.idle
    if (isOne && this.fragment !== undefined) this.#alike.learn(latin1(rest), this.fragment)
    else this.#alike.forget()
  }

  /** Called once, after the last chunk. */
  end(ending: Ending): Judgement {
    this.conclude(ending, this.#scanner.rest(ending.atMs))
    const { exchangeId } = this.context
    return this.collector.judgement(exchangeId === undefined ? [] : [exchangeId])
  }

  protected abstract block(block: Block): void
  /** The last event again, with another text and number. `index` counts events from 0. */
  protected abstract again(text: string, number: number | undefined, index: number): void
  /** `rest`: unfinished block at the end of the stream. */
  protected abstract conclude(ending: Ending, rest: Block | undefined): void

  protected countEvent(): void {
    if (this.context.contents !== undefined) this.context.contents.events += 1
  }

  /** Number of bytes of the events at the beginning that repeat the one before. */
  #alikeAtStart(bytes: Uint8Array): number {
    if (!this.#alike.armed || !this.#scanner.idle) return 0
    const text = latin1(bytes)
    let from = 0
    while (from < text.length) {
      const end = this.#alike.match(text, from)
      if (end < 0) break
      const index = this.#scanner.dispatched
      this.#scanner.skip(end - from)
      this.again(this.#alike.text, this.#alike.number, index)
      from = end
    }
    return from
  }
}
