import type { Ending, Judgement, WireChunk } from '../../contract/index.ts'
import { FindingCollector } from './finding-collector.ts'
import { type BlockJudge, type Fragment, StreamReader } from './sse/alike.ts'
import type { Block } from './sse/scanner.ts'

/** Context of a stream for its judge, in addition to the bytes. */
export interface StreamContext {
  /** Body of the request as JSON. */
  readonly request: unknown
  /** The request repeats another with the same idempotency key, so the response may be a short replay. */
  readonly repeat: boolean
  /** Ids of the exchanges that the findings are about. */
  readonly exchanges: readonly string[]
  /** Filled by the judge. */
  readonly contents?: StreamContents | undefined
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

/** Judges a stream while it arrives. The segments may be cut anywhere. */
export abstract class StreamJudge implements BlockJudge {
  fragment: Fragment | undefined
  protected readonly collector = new FindingCollector()
  protected readonly context: StreamContext
  readonly #reader = new StreamReader(this)

  constructor(context: StreamContext) {
    this.context = context
  }

  push(chunk: WireChunk): void {
    this.#reader.push(chunk)
  }

  /** Called once, after the last chunk. */
  end(ending: Ending): Judgement {
    this.conclude(ending, this.#reader.rest(ending))
    return this.collector.judgement(this.context.exchanges)
  }

  abstract block(block: Block): void
  abstract again(text: string, number: number | undefined, index: number): void
  protected abstract conclude(ending: Ending, rest: Block | undefined): void

  protected countEvent(): void {
    if (this.context.contents !== undefined) this.context.contents.events += 1
  }
}
