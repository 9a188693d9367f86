import { asArray, asObject, asString, type JsonObject } from '../../../contract/json.ts'
import { show, wordOf } from '../json.ts'
import { type Chunk, type ChunkChoice, ChunkJudge, type StreamEnd } from './part.ts'

interface ChoiceTrace {
  /** True once its first delta came. */
  begun: boolean
  /** True if it has text, or a tool call or a refusal in the place of text. */
  answered: boolean
  /** The first text in another place. */
  misplaced: { readonly event: number; readonly member: string } | undefined
  reason: string | undefined
}

/** OAI-STREAM-03, -04, -06 and -07: each choice of a stream, from its role to its end. */
export class ChoiceJudge extends ChunkJudge {
  readonly #choices = new Map<number, ChoiceTrace>()

  override chunk({ choices, event }: Chunk): void {
    for (const choice of choices) {
      const { index, misplaced: member } = choice
      const none = { begun: false, answered: false, misplaced: undefined, reason: undefined }
      const trace: ChoiceTrace = this.#choices.get(index) ?? none
      this.#choices.set(index, trace)
      if (member !== undefined) trace.misplaced ??= { event, member }
      this.#judgeDelta(choice, trace, event)
      this.#judgeFinish(choice, trace, event)
    }
  }

  override end({ clean, done }: StreamEnd): void {
    if (!clean) return
    for (const [index, { reason }] of this.#choices) {
      if (reason !== undefined) {
        this.collector.held('OAI-STREAM-07', `Choice ${index} ends with one finish_reason.`)
      } else if (done) {
        // Without [DONE] the stream has no end at all, which is OAI-STREAM-09.
        this.collector.broken('OAI-STREAM-07', `Choice ${index} has no finish_reason.`)
      }
    }
    const first = this.#choices.get(0)
    if (first !== undefined) this.#judgeText(first, done)
  }

  /** Every choice that began has a finish_reason. */
  get finished(): boolean {
    const traces = [...this.#choices.values()]
    return traces.length > 0 && traces.every(({ reason }) => reason !== undefined)
  }

  #judgeDelta({ index, delta }: ChunkChoice, trace: ChoiceTrace, event: number): void {
    if (delta == null) return
    const object = asObject(delta)
    const { content, tool_calls: calls, refusal, role } = object ?? {}
    if (object === undefined || (content != null && typeof content !== 'string')) {
      const other =
        object === undefined
          ? `delta is ${show(delta)}, not an object.`
          : `delta.content is ${show(content)}, not a string.`
      this.collector.broken('OAI-STREAM-03', other, event)
    } else if (content != null) {
      this.collector.held('OAI-STREAM-03', 'delta.content is a string.', event)
    }
    if (object === undefined) return
    const text = asString(content) ?? ''
    if (text !== '' || calls != null || refusal != null) trace.answered = true
    if (text !== '' && index === 0) {
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

  /** OAI-STREAM-04: a finished answer has its text in another place, or no text, which a model may have. */
  #judgeText({ reason, answered, misplaced }: ChoiceTrace, done: boolean): void {
    if (this.collector.isBroken('OAI-STREAM-03')) return
    // A tool call, a filter, an immediate stop sequence, or tokens spent on reasoning leave no text.
    if (answered || (reason === undefined ? !done : reason !== 'stop')) return
    const why = 'The answer ended without text in any choices[0].delta.content'
    if (misplaced !== undefined) {
      const place = `choices[0].${misplaced.member}`
      this.collector.broken('OAI-STREAM-04', `${why}: it is in ${place}.`, misplaced.event)
    } else if (stopsOf(this.request).length === 0) {
      this.collector.brokenByChance('OAI-STREAM-04', `${why}.`)
    }
  }
}

/**
 * OAI-STOP-04 and -05: nothing follows a stop sequence. The requirements differ in its place: within one
 * chunk, or across several. An omitted sequence leaves no trace in one exchange, so a scenario must check
 * whether it took effect at all.
 */
export class StopJudge extends ChunkJudge {
  readonly #stops = stopsOf(this.request)
  readonly #pieces = new Map<number, string[]>()
  #lastEvent = 0
  #last: string[] = []

  override chunk({ choices, event }: Chunk): void {
    if (this.#stops.length === 0) return
    this.#lastEvent = event
    for (const { index, delta } of choices) {
      this.#last = this.#pieces.get(index) ?? []
      this.#last.push(asString(asObject(delta)?.['content']) ?? '')
      this.#pieces.set(index, this.#last)
    }
  }

  /** The same chunk as the last one, with another text. */
  again(text: string, event: number): void {
    if (this.#stops.length === 0) return
    this.#lastEvent = event
    this.#last.push(text)
  }

  override end(): void {
    for (const pieces of this.#pieces.values()) {
      const text = pieces.join('')
      const found = firstStop(text, this.#stops)
      if (found === undefined) continue
      const requirement = isWhole(found, pieces) ? 'OAI-STOP-05' : 'OAI-STOP-04'
      const after = text.slice(found.end)
      const stop = show(text.slice(found.start, found.end))
      const why = `After the stop sequence ${stop} the answer continues: ${show(after)}.`
      if (after !== '') this.collector.broken(requirement, why, this.#lastEvent)
      else this.collector.held(requirement, `The answer ends with the stop sequence ${stop}.`)
    }
  }
}

/** The stop sequences of a request, without empty ones. */
function stopsOf({ stop }: JsonObject): readonly string[] {
  const listed = typeof stop === 'string' ? [stop] : asArray(stop)
  return listed.filter((value) => typeof value === 'string').filter((value) => value !== '')
}

interface Span {
  readonly start: number
  readonly end: number
}

function firstStop(text: string, stops: readonly string[]): Span | undefined {
  const spans = stops.flatMap((stop): Span[] => {
    const start = text.indexOf(stop)
    return start < 0 ? [] : [{ start, end: start + stop.length }]
  })
  return spans.sort((a, b) => a.end - b.end)[0]
}

function isWhole({ start, end }: Span, pieces: readonly string[]): boolean {
  let at = 0
  for (const piece of pieces) {
    if (at <= start && end <= at + piece.length) return true
    at += piece.length
  }
  return false
}
