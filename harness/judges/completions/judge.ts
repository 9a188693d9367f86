import type { Ending } from '../../../contract/index.ts'
import { asArray, asObject, isObject, type JsonObject, parseJson } from '../../../contract/json.ts'
import { show } from '../json.ts'
import type { Block } from '../sse/scanner.ts'
import { StreamJudge } from '../streams.ts'
import { ChoiceJudge } from './choices.ts'
import { type ChunkFragment, chunkOf, loneFragment, readChunk } from './chunk.ts'
import { DoneJudge, EnvelopeJudge, usageJudge } from './envelope.ts'

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
