import type { Ending } from '../../../contract/index.ts'
import type { FindingCollector } from '../finding-collector.ts'
import type { Block } from '../sse/scanner.ts'

/**
 * OAI-STREAM-09: the end of a stream is `data: [DONE]`, once and last, and then a clean close.
 * OAI-STREAM-12: whatever its end is, a connection that is cut before `[DONE]` is none.
 */
export class DoneJudge {
  readonly #collector: FindingCollector
  isSeen = false

  constructor(collector: FindingCollector) {
    this.#collector = collector
  }

  marker(event: number): void {
    if (this.isSeen) this.#collector.broken('OAI-STREAM-09', 'data: [DONE] is sent twice.', event)
    this.isSeen = true
  }

  block(event: number, spoiled: boolean): void {
    if (!this.isSeen || spoiled) return
    this.#collector.broken('OAI-STREAM-09', 'A block follows data: [DONE].', event)
  }

  end(ending: Ending, rest: Block | undefined, spoiled: boolean): void {
    if (ending.kind === 'cut' && !this.isSeen) {
      // After an error of its own the server has said that no more will come.
      if (spoiled) return
      const why = `The peer cut the connection inside the stream: ${ending.error}.`
      this.#collector.broken('OAI-STREAM-12', why)
      return
    }
    if (ending.kind === 'complete') {
      this.#collector.held('OAI-STREAM-12', 'The body of the stream came to its end.')
    }
    const fault = this.#faultAt(ending, rest, spoiled)
    if (fault !== undefined) this.#collector.broken('OAI-STREAM-09', fault)
    else if (ending.kind === 'complete' && this.isSeen) {
      this.#collector.held('OAI-STREAM-09', 'data: [DONE] is single and last.')
    }
  }

  #faultAt(ending: Ending, rest: Block | undefined, spoiled: boolean): string | undefined {
    if (ending.kind === 'cut') return `The peer cut the connection after [DONE]: ${ending.error}.`
    // After an error the contract promises no [DONE].
    if (ending.kind !== 'complete' || spoiled) return undefined
    if (rest !== undefined) return 'The stream ends inside a block, which no empty line closes.'
    return this.isSeen ? undefined : 'The stream ended without data: [DONE].'
  }
}
