import { asArray, asObject, asString, type JsonObject } from '../../../contract/json.ts'
import { judgeCallIds, judgeToolCall } from '../bodies/openai.ts'
import { type FindingCollector, PartialJudge } from '../finding-collector.ts'
import { asIndex, show, wordOf } from '../json.ts'
import type { Chunk, ChunkChoice } from './chunk.ts'

/** State of a stream at its end, for findings that only its end allows. */
export interface StreamEnd {
  /** The body ended regularly, with nothing left over and no error before. */
  readonly clean: boolean
  /** The server sent `[DONE]`. */
  readonly done: boolean
}

/** One choice of a stream. */
interface ChoiceTrace {
  /** True once its first delta came. */
  begun: boolean
  /** True if it has text, or a tool call or a refusal in the place of text. */
  answered: boolean
  /** The first text in another place. */
  misplaced: { readonly event: number; readonly member: string } | undefined
  reason: string | undefined
  /** Texts of its chunks, if the request has stop sequences. */
  readonly pieces: string[]
  /** Tool calls by index. */
  readonly calls: Map<number, PartialCall>
}

interface PartialCall {
  readonly id: unknown
  readonly type: unknown
  readonly name: unknown
  input: string
}

/** Longer arguments are not stored: a stream may have any length. */
const maxArguments = 1_000_000

/**
 * OAI-STREAM-03, -04, -06 and -07, OAI-STOP-04 and -05, OAI-TOOL-03: each choice of a stream, from its role to
 * its end.
 */
export class ChoiceJudge extends PartialJudge {
  readonly #request: JsonObject
  readonly #stops: readonly string[]
  readonly #choices = new Map<number, ChoiceTrace>()
  #last: ChoiceTrace | undefined
  #lastEvent = 0
  /** A choice ended at the token limit, perhaps within the arguments of a call. */
  #isCut = false

  constructor(collector: FindingCollector, request: JsonObject) {
    super(collector)
    this.#request = request
    const { stop } = request
    const listed = typeof stop === 'string' ? [stop] : asArray(stop)
    this.#stops = listed.filter((value) => typeof value === 'string').filter((one) => one !== '')
  }

  chunk({ choices, event }: Chunk): void {
    this.#lastEvent = event
    for (const choice of choices) {
      const { index, misplaced: member, delta, calls, finishReason } = choice
      const none = { begun: false, answered: false, misplaced: undefined, reason: undefined }
      const trace = this.#choices.get(index) ?? { ...none, pieces: [], calls: new Map() }
      this.#choices.set(index, trace)
      this.#last = trace
      if (member !== undefined) trace.misplaced ??= { event, member }
      this.#judgeDelta(choice, trace, event)
      this.#judgeFinish(choice, trace, event)
      if (finishReason === 'length') this.#isCut = true
      this.#keep(trace, asString(asObject(delta)?.['content']) ?? '')
      for (const call of calls) this.#takeCall(trace, asObject(call) ?? {}, event)
    }
  }

  /** The same chunk as the last one, with another text. */
  again(text: string, event: number): void {
    this.#lastEvent = event
    if (this.#last !== undefined) this.#keep(this.#last, text)
  }

  end({ clean, done }: StreamEnd): void {
    for (const [index, { pieces, reason }] of this.#choices) {
      this.#judgeStop(pieces)
      if (!clean) continue
      if (reason !== undefined) {
        this.collector.held('OAI-STREAM-07', `Choice ${index} ends with one finish_reason.`)
      } else if (done) {
        // Without [DONE] the stream has no end at all, which is OAI-STREAM-09.
        this.collector.broken('OAI-STREAM-07', `Choice ${index} has no finish_reason.`)
      }
    }
    if (!clean) return
    const first = this.#choices.get(0) ?? [...this.#choices.values()][0]
    if (first !== undefined) this.#judgeText(first, done)
    this.#judgeCalls()
  }

  /** Every choice that began has a finish_reason. */
  get finished(): boolean {
    const traces = [...this.#choices.values()]
    return traces.length > 0 && traces.every(({ reason }) => reason !== undefined)
  }

  #judgeDelta({ index, delta }: ChunkChoice, trace: ChoiceTrace, event: number): void {
    if (delta == null) return
    const object = asObject(delta)
    if (object === undefined) {
      this.collector.broken('OAI-STREAM-03', `delta is ${show(delta)}, not an object.`, event)
      return
    }
    const { content, tool_calls: calls, refusal, role } = object
    const text = asString(content) ?? ''
    if (content != null) {
      const isText = typeof content === 'string'
      const other = !isText && `delta.content is ${show(content)}, not a string.`
      this.collector.decide('OAI-STREAM-03', other, 'delta.content is a string.', event)
    }
    if (text !== '' || calls != null || refusal != null) trace.answered = true
    // Which index the first choice has is another requirement.
    if (text !== '' && (index === 0 || !this.#choices.has(0))) {
      this.collector.held('OAI-STREAM-04', 'Text in choices[0].delta.content.', event)
    }
    if (text !== '' && trace.reason !== undefined) {
      const why = `Choice ${index} continues after its finish_reason: ${show(text)}.`
      this.collector.broken('OAI-STREAM-07', why, event)
    }
    if (role != null || !trace.begun) {
      const value = role ?? undefined
      const other =
        value !== 'assistant' && `The role of choice ${index} is ${show(value)}, not assistant.`
      this.collector.decide('OAI-STREAM-06', other, 'The role is assistant.', event)
    }
    trace.begun = true
  }

  #judgeFinish({ index, finishReason }: ChunkChoice, trace: ChoiceTrace, event: number): void {
    if (finishReason === undefined) return
    if (typeof finishReason !== 'string') {
      const why = `The finish_reason of choice ${index} is ${show(finishReason)}, not a string.`
      this.collector.broken('OAI-STREAM-07', why, event)
    } else if (trace.reason !== undefined) {
      const why = `Choice ${index} ends twice: ${trace.reason}, then ${finishReason}.`
      this.collector.broken('OAI-STREAM-07', why, event)
    }
    trace.reason ??= wordOf(finishReason)
  }

  #keep({ pieces }: ChoiceTrace, text: string): void {
    if (this.#stops.length > 0) pieces.push(text)
  }

  /** The fragments of `delta.tool_calls` are joined by the index of choice and call. */
  #takeCall({ calls }: ChoiceTrace, fragment: JsonObject, event: number): void {
    const { id, type, index: given } = fragment
    const index = asIndex(given)
    if (index === undefined) {
      const why = `The index of a tool_calls fragment is ${show(given)}, not an integer.`
      this.collector.broken('OAI-TOOL-03', why, event)
      return
    }
    const { name, arguments: more } = asObject(fragment['function']) ?? {}
    const call = calls.get(index) ?? { id, type, name, input: '' }
    // Later fragments may omit it, repeat it, or leave it empty.
    if (asString(id) && asString(call.id) && id !== call.id) {
      const why = `The id of a tool call changes from ${show(call.id)} to ${show(id)}.`
      this.collector.broken('OAI-TOOL-03', why, event)
    }
    if (call.input.length <= maxArguments) call.input += asString(more) ?? ''
    calls.set(index, call)
  }

  /** OAI-STREAM-04: a finished answer has its text in another place, or no text, which a model may have. */
  #judgeText({ reason, answered, misplaced }: ChoiceTrace, done: boolean): void {
    if (this.collector.isBroken('OAI-STREAM-03')) return
    // A tool call, a filter, an immediate stop sequence, or tokens spent on reasoning leave no text.
    if (answered || (reason === undefined ? !done : reason !== 'stop')) return
    const why = 'The answer ended without text in any choices[0].delta.content'
    if (misplaced !== undefined) {
      const place = `choices[0].${misplaced.member}`
      this.collector.broken('OAI-STREAM-04', `${why}: it is in ${place}.`, misplaced.event)
    } else if (this.#stops.length === 0) {
      this.collector.broken('OAI-STREAM-04', `${why}.`, undefined, { mayBeChance: true })
    }
  }

  /**
   * Nothing follows a stop sequence. The requirements differ in its place: within one chunk, or across several.
   * An omitted sequence leaves no trace in one exchange, so a scenario must check whether it took effect at all.
   */
  #judgeStop(pieces: readonly string[]): void {
    const text = pieces.join('')
    const spans = this.#stops.flatMap((stop) => {
      const start = text.indexOf(stop)
      return start < 0 ? [] : [{ stop, start, end: start + stop.length }]
    })
    const [found] = spans.sort((a, b) => a.end - b.end)
    if (found === undefined) return
    let at = 0
    const isWhole = pieces.some(({ length }) => {
      at += length
      return at - length <= found.start && found.end <= at
    })
    const requirement = isWhole ? 'OAI-STOP-05' : 'OAI-STOP-04'
    const [stop, after] = [show(found.stop), text.slice(found.end)]
    const why = `After the stop sequence ${stop} the answer continues: ${show(after)}.`
    if (after !== '') this.collector.broken(requirement, why, this.#lastEvent)
    else this.collector.held(requirement, `The answer ends with the stop sequence ${stop}.`)
  }

  #judgeCalls(): void {
    const { collector } = this
    const choices = Array.from(this.#choices.values(), ({ calls }) => [...calls.values()])
    for (const calls of choices) {
      const ids = calls.map(({ id }) => id)
      judgeCallIds(collector, 'OAI-TOOL-03', ids, this.#request)
    }
    for (const { id, type, name, input } of choices.flat()) {
      const cut = this.#isCut || input.length > maxArguments
      const call = { id, type, function: { name, arguments: input } }
      judgeToolCall(collector, 'OAI-TOOL-03', call, { request: this.#request, cut })
    }
  }
}
