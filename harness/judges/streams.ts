import type { Ending, Judgement, WireChunk } from '../../contract/index.ts'

/** Context of a stream for its judge, beside the bytes. */
export interface StreamContext {
  /** Body of the request as JSON. */
  readonly request: unknown
  /** The request repeats another with the same idempotency key, so the answer may be a short replay. */
  readonly repeat: boolean
  /** Ids of the exchanges that the findings are about. */
  readonly exchanges: readonly string[]
}

/**
 * Looks over the shoulder of a judge, so that who measures a stream need not read it a second time.
 * Called while `push` runs, in the order of the stream.
 */
export interface StreamListener {
  /** An event of any kind was dispatched. */
  event(): void
  /** Generated content that is not empty. */
  content(kind: ContentKind, text: string): void
  /** The event that ends the stream; of the compatible surface, `[DONE]`. */
  terminal(): void
  /** The server said inside the stream that it failed. */
  serverFailed(why: string): void
  /** Token usage that the stream reports; the last one counts. */
  usage(usage: Readonly<Record<string, unknown>>): void
  /** Id of the response or the completion. */
  id(id: string): void
}

export type ContentKind = 'text' | 'reasoning' | 'refusal' | 'tool'

/** Judges a stream while it arrives. The segments may be cut anywhere. */
export interface StreamJudge {
  push(chunk: WireChunk): void
  /** Called once, after the last chunk. */
  end(ending: Ending): Judgement
}
