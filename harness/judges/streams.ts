import type { Ending, Judgement, WireChunk } from '../contract/index.ts'

/** What a judge of a stream is told beside its bytes. */
export interface StreamContext {
  /** Body of the request as JSON. */
  readonly request: unknown
  /** The request repeats another with the same idempotency key, so the answer may be a short replay. */
  readonly repeat: boolean
  /** Ids of the exchanges that the findings are about. */
  readonly exchanges: readonly string[]
}

/** Judges a stream while it arrives. The segments may be cut anywhere. */
export interface StreamJudge {
  push(chunk: WireChunk): void
  /** Called once, after the last chunk. */
  end(ending: Ending): Judgement
}
