import type { Ending } from '../../../contract/index.ts'
import { asObject, type JsonObject } from '../../../contract/json.ts'
import { judgeMaxTokens, judgeSum } from '../final-response.ts'
import { type FindingCollector, PartialJudge } from '../finding-collector.ts'
import { show, wordOf } from '../json.ts'
import type { Block } from '../sse/scanner.ts'
import type { StreamEnd } from './choices.ts'
import type { Chunk } from './chunk.ts'

const members = ['id', 'created', 'model'] as const

/** OAI-STREAM-05 (C1): all chunks belong to one completion and have the right `object`. */
export class EnvelopeJudge extends PartialJudge {
  #first: JsonObject | undefined

  chunk({ json, event }: Chunk): void {
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
export function usageJudge(collector: FindingCollector, request: JsonObject) {
  const isRequested = asObject(request['stream_options'])?.['include_usage'] === true
  const reasons: string[] = []
  let first: JsonObject | undefined

  function faultOf(usage: JsonObject | undefined, choices: Chunk['choices']): string | undefined {
    const isLate = first !== undefined && choices.length > 0
    if (usage === undefined) return isLate ? 'A choice comes after the usage chunk.' : undefined
    if (!isRequested) return 'A chunk has usage, which was not requested.'
    if (first !== undefined) return 'A second chunk has usage.'
    return choices.length === 0 ? undefined : 'The chunk with usage has choices.'
  }

  return {
    chunk({ json, choices, event }: Chunk): void {
      const usage = asObject(json['usage'])
      const fault = faultOf(usage, choices)
      if (fault !== undefined) collector.broken('OAI-STREAM-08', fault, event)
      for (const { finishReason } of choices) {
        if (finishReason !== undefined) reasons.push(wordOf(finishReason))
      }
      first ??= usage
    },
    end({ clean, done }: StreamEnd): void {
      if (first !== undefined) {
        judgeMaxTokens(collector, request, first, reasons)
        judgeSum(collector, first)
        if (isRequested) collector.held('OAI-STREAM-08', 'One usage chunk arrived, as requested.')
      } else if (isRequested && clean && done) {
        collector.broken('OAI-STREAM-08', 'A usage chunk was requested, and none arrived.')
      }
    },
  }
}
