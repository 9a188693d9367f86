import { asObject } from '../../../contract/json.ts'
import { finalText } from '../final-response.ts'
import type { FindingCollector } from '../finding-collector.ts'
import { asIndex, show } from '../json.ts'
import {
  EventJudge,
  holdsAll,
  type ItemTrace,
  type ResponseEvent,
  type StreamOutcome,
} from './event.ts'

/** Minimum length: shorter reasoning may be repeated by chance. */
const tellingLength = 24

/** V3-SSE-17 and V3-THINK-02: compares the streamed text of the answer with the final one. */
export class AnswerJudge extends EventJudge {
  readonly #deltas: Delta[] = []
  /** The last event was a fragment of the answer. */
  #answers = false

  override event({ name, json }: ResponseEvent): void {
    const { delta } = json
    this.#answers = name === 'response.output_text.delta' && typeof delta === 'string'
    if (!this.#answers || typeof delta !== 'string') return
    const [item, part] = [asIndex(json['output_index']), asIndex(json['content_index'])]
    this.#deltas.push({ texts: [delta], item: item ?? 0, part: part ?? 0 })
  }

  override again(text: string): void {
    if (this.#answers) this.#deltas.at(-1)?.texts.push(text)
  }

  override end(outcome: StreamOutcome): void {
    const { final } = outcome
    if (!holdsAll(outcome) || final === undefined || !Array.isArray(final['output'])) return
    const text = finalText(final)
    if (!outcome.spoiled) this.#judgeText(text, outcome)
    this.#judgeReasoning(text, outcome)
  }

  #judgeText(text: string, { items, finalEvent: event, context }: StreamOutcome): void {
    const streamed = joined(this.#deltas)
    const isSame = streamed === text || this.#inOrderOfIndexes() === text
    if (isSame || inOrderOfItems(items) === text) {
      if (text !== '') this.collector.held('V3-SSE-17', 'The deltas equal the final text.', event)
      return
    }
    // A replay may consist of its first and its last event.
    if (context.repeat && this.#deltas.length === 0) return
    const why = `The joined deltas differ from the final text: ${difference(streamed, text)}.`
    this.collector.broken('V3-SSE-17', why, event)
  }

  /** Items may be streamed in parallel, but are consecutive in the final response. */
  #inOrderOfIndexes(): string {
    return joined(this.#deltas.toSorted((a, b) => a.item - b.item || a.part - b.part))
  }

  #judgeReasoning(text: string, outcome: StreamOutcome): void {
    if (asObject(outcome.context.request)?.['think'] !== true || text === '') return
    const reasoning = normal(outcome.reasoning)
    if (reasoning.length < tellingLength) return
    const fault =
      normal(text).includes(reasoning) && `The answer repeats its reasoning: ${show(text)}.`
    const held = 'The answer does not repeat its reasoning.'
    this.collector.decide('V3-THINK-02', fault, held, outcome.finalEvent)
  }
}

/** The streamed text by the structure of the items, if indexes are omitted. */
function inOrderOfItems(items: readonly ItemTrace[]): string {
  return items
    .flatMap((item) => item.slots.toSorted((a, b) => a.ordinal - b.ordinal))
    .filter((slot) => slot.type === 'output_text')
    .flatMap((slot) => slot.deltas)
    .join('')
}

interface Delta {
  /** Text of the delta, and of those that repeat it. */
  readonly texts: string[]
  readonly item: number
  readonly part: number
}

function joined(deltas: readonly Delta[]): string {
  return deltas.flatMap(({ texts }) => texts).join('')
}

function normal(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

/** Both texts from shortly before their first difference. */
function difference(streamed: string, text: string): string {
  let at = 0
  while (at < streamed.length && streamed[at] === text[at]) at += 1
  const from = Math.max(0, at - 10)
  const there = `from character ${from} on, the deltas have ${show(streamed.slice(from))}`
  return `${there} and the final response has ${show(text.slice(from))}`
}

/** V3-SSE-24, -25 and -27: the fields of a delta, and that reasoning comes only on request. */
export class DeltaJudge extends EventJudge {
  readonly #thinks: boolean
  readonly #reasoning: string[] = []
  /** A delta was not a string, so the text is unknown. */
  spoiled = false
  /** The last event was one of reasoning. */
  #reasons = false

  constructor(collector: FindingCollector, request: unknown) {
    super(collector)
    this.#thinks = asObject(request)?.['think'] === true
  }

  /** All reasoning text, joined. */
  get reasoning(): string {
    return this.#reasoning.join('')
  }

  override event({ name, json, index }: ResponseEvent): void {
    const { delta } = json
    this.#reasons = name === 'response.reasoning_text.delta'
    if (this.#reasons) this.#judgeReasoning(delta, index)
    if (stated.has(name)) this.#judgeType(name, delta, index)
    if (!name.endsWith('.delta') || typeof delta !== 'string') return
    const fault =
      !delta.isWellFormed() && `The delta ${show(delta)} holds half of a surrogate pair.`
    this.collector.decide('V3-SSE-27', fault, 'Deltas hold whole characters.', index)
  }

  override again(text: string): void {
    if (this.#reasons) this.#reasoning.push(text)
  }

  override end({ ended }: StreamOutcome): void {
    if (ended && !this.#thinks) {
      this.collector.held('V3-SSE-24', 'No reasoning arrived without think.')
    }
  }

  #judgeReasoning(delta: unknown, index: number): void {
    if (typeof delta === 'string') this.#reasoning.push(delta)
    if (this.#thinks) return
    const why = 'response.reasoning_text.delta arrived, and think was not requested.'
    this.collector.broken('V3-SSE-24', why, index)
  }

  #judgeType(name: string, delta: unknown, index: number): void {
    const isText = typeof delta === 'string'
    this.spoiled ||= !isText
    const fault = !isText && `The delta of ${name} is ${show(delta)}, not a string.`
    this.collector.decide('V3-SSE-25', fault, 'delta is a string.', index)
  }
}

/** The two deltas that the document itself describes. */
const stated: ReadonlySet<string> = new Set([
  'response.output_text.delta',
  'response.reasoning_text.delta',
])
