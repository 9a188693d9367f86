import type { Ending } from '../../../contract/index.ts'
import { asArray, asObject, isObject, type JsonObject, parseJson } from '../../../contract/json.ts'
import { judgeMaxTokens, judgeSum } from '../final-response.ts'
import { type FindingCollector, PartialJudge } from '../finding-collector.ts'
import { show, wordOf } from '../json.ts'
import type { Block } from '../sse/scanner.ts'
import { StreamJudge } from '../streams.ts'
import { ChoiceJudge, type StreamEnd } from './choices.ts'
import { type Chunk, type ChunkFragment, chunkOf, loneFragment, readChunk } from './chunk.ts'

/** Judges the stream of the compatible surface (section 4.1; docs/internals/wire-contract.md, rules for chunks). */
export class CompletionsJudge extends StreamJudge {
  declare protected fragment: ChunkFragment | undefined
  readonly #request = asObject(this.context.request) ?? {}
  readonly #done = new DoneJudge(this.collector)
  readonly #envelope = new EnvelopeJudge(this.collector)
  readonly #choices = new ChoiceJudge(this.collector, this.#request)
  readonly #usage = usageJudge(this.collector, this.#request)
  /** OPEN-07: names of what chunks hold in addition to the text, by their place. */
  readonly #members = {
    '': new Set<string>(),
    'choices[].': new Set<string>(),
    'choices[].delta.': new Set<string>(),
  }
  #chunks = 0
  /** True after an error or unreadable bytes: the rest proves nothing. */
  #spoiled = false

  protected override conclude(ending: Ending, rest: Block | undefined): void {
    if (this.#chunks === 0 && !this.#spoiled && ending.kind === 'complete') {
      this.collector.broken('OAI-STREAM-01', 'The stream ended without a chunk that has choices.')
    }
    // Without chunks, a missing [DONE] is part of the same fault.
    if (this.#chunks > 0 || ending.kind === 'cut') this.#done.end(ending, rest, this.#spoiled)
    const clean = ending.kind === 'complete' && rest === undefined && !this.#spoiled
    const end = { clean, done: this.#done.isSeen }
    this.#choices.end(end)
    this.#usage.end(end)
    this.#observeMembers()
    // [DONE] is not documented: a stream that closes after every finish_reason is complete.
    if (clean && !this.#done.isSeen && this.#choices.finished) this.#countTerminal()
  }

  /** The last chunk with another text, which the other judges have seen. */
  protected override again(text: string, _number: number | undefined, index: number): void {
    const kind = this.fragment?.kind
    if (kind === undefined) return
    this.#chunks += 1
    if (kind === 'text') this.#choices.again(text, index)
    this.countEvent()
    this.context.contents?.add(kind, text)
  }

  protected override block(block: Block): void {
    this.fragment = undefined
    if (block.invalidAt !== null) {
      this.#spoil(`Byte ${block.invalidAt} of the stream is not UTF-8.`, block.index)
    }
    if (block.data === null) return
    this.countEvent()
    if (block.data.trim() === '[DONE]') {
      this.#countTerminal()
      this.#done.marker(block.index)
    } else {
      this.#done.block(block.index, this.#spoiled)
      if (!this.#spoiled) this.#read(block.data, block)
    }
  }

  #read(data: string, block: Block): void {
    const json = parseJson(data)
    if (!isObject(json)) {
      this.#spoil(`The data of a block is ${show(data)}, not a JSON object.`, block.index)
    } else if (json['error'] || block.name === 'error') {
      const { contents } = this.context
      if (contents !== undefined) contents.failure ??= show(json['error'] ?? json)
      this.#spoiled = true
    } else this.#json(json, block)
  }

  #json(json: JsonObject, { index }: Block): void {
    const { choices } = json
    this.#note('', json)
    for (const choice of asArray(choices).filter(isObject)) {
      this.#note('choices[].', choice)
      this.#note('choices[].delta.', asObject(choice['delta']) ?? {})
    }
    // Other blocks between the chunks are only observed.
    if (choices == null) return
    if (!Array.isArray(choices)) {
      this.#spoil(`choices is ${show(choices)}, not an array.`, index)
      return
    }
    this.#chunks += 1
    this.collector.held('OAI-STREAM-01', 'Blocks of JSON with choices.', index)
    const chunk = chunkOf(json, choices, index)
    if (this.context.contents !== undefined) readChunk(this.context.contents, chunk)
    this.#envelope.chunk(chunk)
    this.#choices.chunk(chunk)
    this.#usage.chunk(chunk)
    this.fragment = loneFragment(chunk)
  }

  #countTerminal(): void {
    if (this.context.contents !== undefined) this.context.contents.isTerminal = true
  }

  #spoil(why: string, event: number): void {
    if (!this.#spoiled) this.collector.broken('OAI-STREAM-01', why, event)
    this.#spoiled = true
  }

  #note(place: '' | 'choices[].' | 'choices[].delta.', json: JsonObject): void {
    for (const key of Object.keys(json)) this.#members[place].add(key)
  }

  #observeMembers(): void {
    const members = Object.entries(this.#members).flatMap(([place, names]) =>
      [...names].map((name) => place + name),
    )
    if (members.length === 0) return
    const end = `ends ${this.#done.isSeen ? 'with' : 'without'} [DONE]`
    this.collector.observed('OPEN-07', `${members.sort().join(', ')}; ${end}`)
  }
}

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
      this.collector.held('OAI-STREAM-12', 'The body of the stream ended regularly.')
    }
    const fault = this.#faultAt(ending, rest, spoiled)
    if (fault !== undefined) this.collector.broken('OAI-STREAM-09', fault)
    else if (ending.kind === 'complete' && this.isSeen) {
      this.collector.held('OAI-STREAM-09', 'data: [DONE] occurs once, at the end.')
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
        collector.broken('OAI-STREAM-08', 'A usage chunk was requested, but none arrived.')
      }
    },
  }
}
