import type { Ending, Judgement, WireChunk } from '../../contract/index.ts'
import { Ledger } from '../ledger.ts'
import type { StreamContext, StreamJudge } from '../streams.ts'

/** Judges the event stream of a v3 reply (section 6; wire contract 1). */
export class ResponsesJudge implements StreamJudge {
  readonly #ledger = new Ledger()
  readonly #context: StreamContext

  constructor(context: StreamContext) {
    this.#context = context
  }

  push(_chunk: WireChunk): void {}

  end(_ending: Ending): Judgement {
    return this.#ledger.judgement(this.#context.exchanges)
  }
}
