import { asArray, asObject, type JsonObject } from '../../../contract/json.ts'
import { show, wordOf } from '../json.ts'
import { type Chunk, type ChunkChoice, ChunkJudge, contentOf, type StreamEnd } from './part.ts'

/** OAI-STREAM-03, -04, -06 and -07: each choice of a stream, from its role to its end. */
export class ChoiceJudge extends ChunkJudge {
  readonly #choices = new Map<number, ChoiceTrace>()

  override chunk({ choices, event }: Chunk): void {
    for (const choice of choices) {
      const trace = this.#trace(choice.index)
      if (choice.misplaced !== undefined) trace.misplaced ??= { event, member: choice.misplaced }
      this.#delta(choice, trace, event)
      this.#finish(choice, trace, event)
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
    this.#text(done)
  }

  /** Every choice that began has a finish_reason. */
  get finished(): boolean {
    const traces = [...this.#choices.values()]
    return traces.length > 0 && traces.every(({ reason }) => reason !== undefined)
  }

  #delta({ index, delta }: ChunkChoice, trace: ChoiceTrace, event: number): void {
    const content = asObject(delta)?.['content']
    if (delta != null && asObject(delta) === undefined) {
      this.collector.broken('OAI-STREAM-03', `delta is ${show(delta)}, not an object.`, event)
    } else if (typeof content === 'string') {
      this.collector.held('OAI-STREAM-03', 'delta.content is a string.', event)
      this.#content(index, content, trace, event)
    } else if (content != null) {
      const why = `delta.content is ${show(content)}, not a string.`
      this.collector.broken('OAI-STREAM-03', why, event)
    }
    const { tool_calls: calls, refusal } = asObject(delta) ?? {}
    if (calls != null || refusal != null) trace.answered = true
    this.#role(index, asObject(delta), trace, event)
  }

  #content(index: number, content: string, trace: ChoiceTrace, event: number): void {
    if (content === '') return
    trace.answered = true
    if (index === 0) {
      this.collector.held('OAI-STREAM-04', 'Text in choices[0].delta.content.', event)
    }
    if (trace.reason !== undefined) {
      const why = `Choice ${index} continues after its finish_reason: ${show(content)}.`
      this.collector.broken('OAI-STREAM-07', why, event)
    }
  }

  #role(index: number, delta: JsonObject | undefined, trace: ChoiceTrace, event: number): void {
    if (delta === undefined) return
    const role = delta['role'] ?? undefined
    const first = !trace.begun
    trace.begun = true
    if (role === undefined && !first) return
    const other =
      role !== 'assistant' && `The role of choice ${index} is ${show(role)}, not assistant.`
    this.collector.decide('OAI-STREAM-06', other, 'The role is assistant.', event)
  }

  #finish({ index, finishReason }: ChunkChoice, trace: ChoiceTrace, event: number): void {
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
  #text(done: boolean): void {
    const first = this.#choices.get(0)
    if (first === undefined || this.collector.isBroken('OAI-STREAM-03')) return
    // A tool call, a filter, an immediate stop sequence, or tokens spent on reasoning leave no text.
    if (first.reason === undefined ? !done : first.reason !== 'stop') return
    if (first.answered) return
    const why = 'The answer ended without text in any choices[0].delta.content'
    const { misplaced } = first
    if (misplaced !== undefined) {
      const place = `choices[0].${misplaced.member}`
      this.collector.broken('OAI-STREAM-04', `${why}: it is in ${place}.`, misplaced.event)
    } else if (stopsOf(this.request).length === 0) {
      this.collector.brokenByChance('OAI-STREAM-04', `${why}.`)
    }
  }

  #trace(index: number): ChoiceTrace {
    const trace = this.#choices.get(index) ?? new ChoiceTrace()
    this.#choices.set(index, trace)
    return trace
  }
}

class ChoiceTrace {
  /** True once its first delta came. */
  begun = false
  /** True if it has text, or a tool call or a refusal in the place of text. */
  answered = false
  /** The first text in another place. */
  misplaced: { readonly event: number; readonly member: string } | undefined
  reason: string | undefined
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
  #lastChoice = 0

  override chunk({ choices, event }: Chunk): void {
    if (this.#stops.length === 0) return
    this.#lastEvent = event
    for (const choice of choices) {
      const pieces = this.#pieces.get(choice.index) ?? []
      pieces.push(contentOf(choice) ?? '')
      this.#pieces.set(choice.index, pieces)
      this.#lastChoice = choice.index
    }
  }

  /** The same chunk as the last one, with another text. */
  again(text: string, event: number): void {
    if (this.#stops.length === 0) return
    this.#lastEvent = event
    this.#pieces.get(this.#lastChoice)?.push(text)
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
export function stopsOf(request: JsonObject): readonly string[] {
  const { stop } = request
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
