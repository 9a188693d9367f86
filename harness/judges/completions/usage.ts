import { asObject, type JsonObject } from '../../../contract/json.ts'
import type { FindingCollector } from '../finding-collector.ts'
import { judgeMaxTokens, judgeSum } from '../max-tokens.ts'
import type { Chunk, ChunkJudge, StreamEnd } from './part.ts'

/**
 * OAI-STREAM-08 (C5): a chunk with usage comes only when asked for, once, with empty choices, after
 * all of them. `usage: null` in other chunks is the contract's own way to say that there is none yet.
 */
export class UsageJudge implements ChunkJudge {
  readonly #collector: FindingCollector
  readonly #request: JsonObject
  readonly #isRequested: boolean
  readonly #reasons: string[] = []
  #usage: JsonObject | undefined

  constructor(collector: FindingCollector, request: JsonObject) {
    this.#collector = collector
    this.#request = request
    this.#isRequested = asObject(request['stream_options'])?.['include_usage'] === true
  }

  chunk(chunk: Chunk): void {
    const usage = asObject(chunk.json['usage'])
    const fault = usage === undefined ? this.#late(chunk) : this.#faultOf(chunk)
    if (fault !== undefined) this.#collector.broken('OAI-STREAM-08', fault, chunk.event)
    for (const { finishReason } of chunk.choices) {
      if (finishReason !== undefined) this.#reasons.push(String(finishReason))
    }
    this.#usage ??= usage
  }

  end({ clean, done }: StreamEnd): void {
    if (this.#usage !== undefined) {
      judgeMaxTokens(this.#collector, this.#request, this.#usage, this.#reasons)
      judgeSum(this.#collector, this.#usage)
      if (this.#isRequested)
        this.#collector.held('OAI-STREAM-08', 'One usage chunk arrived, as requested.')
    } else if (this.#isRequested && clean && done) {
      this.#collector.broken('OAI-STREAM-08', 'A usage chunk was requested, and none arrived.')
    }
  }

  #faultOf({ choices }: Chunk): string | undefined {
    if (!this.#isRequested) return 'A chunk has usage, which was not requested.'
    if (this.#usage !== undefined) return 'A second chunk has usage.'
    return choices.length === 0 ? undefined : 'The chunk with usage has choices.'
  }

  #late({ choices }: Chunk): string | undefined {
    if (this.#usage === undefined || choices.length === 0) return undefined
    return 'A choice comes after the usage chunk.'
  }
}
