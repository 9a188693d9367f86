import type { Ending } from '../../../contract/index.ts'
import { asObject, type JsonObject } from '../../../contract/json.ts'
import { judgeMaxTokens, judgeSum } from '../final-response.ts'
import { PartialJudge } from '../finding-collector.ts'
import { show, wordOf } from '../json.ts'
import type { Block } from '../sse/scanner.ts'
import { type Chunk, ChunkJudge, type StreamEnd } from './part.ts'

const members = ['id', 'created', 'model'] as const

/** OAI-STREAM-05 (C1): all chunks belong to one completion and have the right `object`. */
export class EnvelopeJudge extends ChunkJudge {
  #first: JsonObject | undefined

  override chunk({ json, event }: Chunk): void {
    const kind = json['object']
    if (kind !== 'chat.completion.chunk') {
      const why = `object is ${show(kind)}, not chat.completion.chunk.`
      this.collector.broken('OAI-STREAM-05', why, event)
    }
    const before = this.#first
    this.#first ??= json
    if (before === undefined) return
    const changed = members.find((member) => json[member] !== before[member])
    const why =
      changed &&
      `${changed} is ${show(json[changed])}; in the first chunk it is ${show(before[changed])}.`
    if (why) this.collector.broken('OAI-STREAM-05', why, event)
    else this.collector.held('OAI-STREAM-05', 'id, created and model stay the same.')
  }
}

/**
 * OAI-STREAM-09: the end of a stream is `data: [DONE]`, once and last, and then a clean close. OAI-STREAM-12:
 * a connection that is cut before `[DONE]` is never a valid end.
 */
export class DoneJudge extends PartialJudge {
  isSeen = false

  marker(event: number): void {
    if (this.isSeen) this.collector.broken('OAI-STREAM-09', 'data: [DONE] is sent twice.', event)
    this.isSeen = true
  }

  block(event: number, spoiled: boolean): void {
    if (!this.isSeen || spoiled) return
    this.collector.broken('OAI-STREAM-09', 'A block follows data: [DONE].', event)
  }

  end(ending: Ending, rest: Block | undefined, spoiled: boolean): void {
    if (ending.kind === 'cut' && !this.isSeen) {
      // The server has reported an error, after which nothing more comes.
      if (spoiled) return
      const why = `The peer cut the connection inside the stream: ${ending.error}.`
      this.collector.broken('OAI-STREAM-12', why)
      return
    }
    if (ending.kind === 'complete') {
      this.collector.held('OAI-STREAM-12', 'The body of the stream came to its end.')
    }
    const fault = this.#faultAt(ending, rest, spoiled)
    if (fault !== undefined) this.collector.broken('OAI-STREAM-09', fault)
    else if (ending.kind === 'complete' && this.isSeen) {
      this.collector.held('OAI-STREAM-09', 'data: [DONE] is single and last.')
    }
  }

  #faultAt(ending: Ending, rest: Block | undefined, spoiled: boolean): string | undefined {
    if (ending.kind === 'cut') return `The peer cut the connection after [DONE]: ${ending.error}.`
    // The contract requires no [DONE] after an error.
    if (ending.kind !== 'complete' || spoiled) return undefined
    if (rest !== undefined) return 'The stream ends inside a block, which no empty line closes.'
    return this.isSeen ? undefined : 'The stream ended without data: [DONE].'
  }
}

/**
 * OAI-STREAM-08 (C5): a chunk with usage comes only on request, once, with empty choices, after all of them.
 * `usage: null` in other chunks is legal: it means that there is no usage yet.
 */
export class UsageJudge extends ChunkJudge {
  readonly #isRequested = asObject(this.request['stream_options'])?.['include_usage'] === true
  readonly #reasons: string[] = []
  #usage: JsonObject | undefined

  override chunk(chunk: Chunk): void {
    const usage = asObject(chunk.json['usage'])
    const fault = usage === undefined ? this.#late(chunk) : this.#faultOf(chunk)
    if (fault !== undefined) this.collector.broken('OAI-STREAM-08', fault, chunk.event)
    for (const { finishReason } of chunk.choices) {
      if (finishReason !== undefined) this.#reasons.push(wordOf(finishReason))
    }
    this.#usage ??= usage
  }

  override end({ clean, done }: StreamEnd): void {
    if (this.#usage !== undefined) {
      judgeMaxTokens(this.collector, this.request, this.#usage, this.#reasons)
      judgeSum(this.collector, this.#usage)
      if (this.#isRequested)
        this.collector.held('OAI-STREAM-08', 'One usage chunk arrived, as requested.')
    } else if (this.#isRequested && clean && done) {
      this.collector.broken('OAI-STREAM-08', 'A usage chunk was requested, and none arrived.')
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
