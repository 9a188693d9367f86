import type { Ending, Judgement, WireChunk } from '../../contract/index.ts'
import { asObject, isObject, type JsonObject, parseJson, show } from '../json.ts'
import { Ledger } from '../ledger.ts'
import { type Block, SseScanner } from '../sse/scanner.ts'
import type { StreamContext, StreamJudge, StreamWatcher } from '../streams.ts'
import { ChoiceJudge } from './choices.ts'
import { DoneJudge } from './done.ts'
import { EnvelopeJudge } from './envelope.ts'
import { ChunkObserver } from './observe.ts'
import { type ChunkJudge, chunkOf } from './part.ts'
import { StopJudge } from './stop.ts'
import { UsageJudge } from './usage.ts'
import { watchChunk } from './watch.ts'

/** Judges the stream of the compatible surface (section 4.1; wire contract 2.2 and 2.3). */
export class CompletionsJudge implements StreamJudge {
  readonly #ledger = new Ledger()
  readonly #scanner = new SseScanner()
  readonly #context: StreamContext
  readonly #done = new DoneJudge(this.#ledger)
  readonly #observer = new ChunkObserver(this.#ledger)
  readonly #judges: readonly ChunkJudge[]
  readonly #watcher: StreamWatcher | undefined
  #chunks = 0
  /** An error or unreadable bytes: what follows proves nothing. */
  #spoiled = false

  constructor(context: StreamContext, watcher?: StreamWatcher) {
    this.#context = context
    this.#watcher = watcher
    const request = asObject(context.request) ?? {}
    this.#judges = [
      new EnvelopeJudge(this.#ledger),
      new ChoiceJudge(this.#ledger, request),
      new UsageJudge(this.#ledger, request),
      new StopJudge(this.#ledger, request),
    ]
  }

  push({ bytes, atMs }: WireChunk): void {
    for (const block of this.#scanner.feed(bytes, atMs)) this.#block(block)
  }

  end(ending: Ending): Judgement {
    const rest = this.#scanner.rest(ending.atMs)
    if (this.#chunks === 0 && !this.#spoiled && ending.kind === 'complete') {
      this.#ledger.broken('OAI-STREAM-01', 'The stream ended without a chunk that has choices.')
    }
    // Without chunks, a missing [DONE] is the same fault once more.
    if (this.#chunks > 0 || ending.kind === 'cut') this.#done.end(ending, rest, this.#spoiled)
    const clean = ending.kind === 'complete' && rest === undefined && !this.#spoiled
    for (const judge of this.#judges) judge.end({ clean, done: this.#done.seen })
    this.#observer.end(this.#done.seen)
    return this.#ledger.judgement(this.#context.exchanges)
  }

  #block(block: Block): void {
    if (block.invalidAt !== null) this.#notUtf8(block)
    if (block.data === null) return
    this.#watcher?.event()
    if (block.data.trim() === '[DONE]') {
      this.#watcher?.terminal()
      this.#done.marker(block.index)
    } else {
      this.#done.block(block.index, this.#spoiled)
      if (!this.#spoiled) this.#read(block.data, block)
    }
  }

  #read(data: string, block: Block): void {
    const json = parseJson(data)
    if (!isObject(json)) {
      this.#spoil(`The data of a block is ${show(data)}, no JSON object.`, block.index)
    } else if (json['error'] || block.name === 'error') {
      this.#watcher?.serverFailed(show(json['error'] ?? json))
      this.#spoiled = true
    } else this.#json(json, block)
  }

  #json(json: JsonObject, { index, atMs }: Block): void {
    const { choices } = json
    this.#observer.block(json)
    // A block of another kind between the chunks is only observed.
    if (choices == null) return
    if (!Array.isArray(choices)) {
      this.#spoil(`choices is ${show(choices)}, no array.`, index)
      return
    }
    this.#chunks += 1
    if (this.#watcher !== undefined) watchChunk(this.#watcher, json, choices)
    this.#ledger.held('OAI-STREAM-01', 'Blocks of JSON with choices.', index)
    for (const judge of this.#judges) judge.chunk(chunkOf(json, index, atMs))
  }

  #notUtf8({ invalidAt, index }: Block): void {
    this.#spoil(`Byte ${invalidAt} of the stream is not UTF-8.`, index)
  }

  #spoil(why: string, event: number): void {
    if (!this.#spoiled) this.#ledger.broken('OAI-STREAM-01', why, event)
    this.#spoiled = true
  }
}
