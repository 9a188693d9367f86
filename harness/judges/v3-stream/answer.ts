import { asObject } from '../../../contract/json.ts'
import { finalText } from '../final-response.ts'
import type { FindingCollector } from '../finding-collector.ts'
import { asIndex, show } from '../json.ts'
import { type EventJudge, holdsAll, type ResponseEvent, type StreamOutcome } from './event.ts'
import type { StructureJudge } from './structure.ts'

/** Minimum length: shorter reasoning may be repeated by chance. */
const tellingLength = 24

/** V3-SSE-17 and V3-THINK-02: compares the streamed text of the answer with the final one. */
export class AnswerJudge implements EventJudge {
  readonly #collector: FindingCollector
  readonly #deltas: Delta[] = []
  readonly #sources: { readonly structure: StructureJudge; readonly deltas: DeltaJudge }
  readonly #request: unknown
  readonly #repeat: boolean
  /** The last event was a fragment of the answer. */
  #answers = false

  constructor(
    collector: FindingCollector,
    sources: { readonly structure: StructureJudge; readonly deltas: DeltaJudge },
    { request, repeat }: { readonly request: unknown; readonly repeat: boolean },
  ) {
    this.#collector = collector
    this.#sources = sources
    this.#request = request
    this.#repeat = repeat
  }

  event({ name, json }: ResponseEvent): void {
    const { delta } = json
    this.#answers = name === 'response.output_text.delta' && typeof delta === 'string'
    if (!this.#answers || typeof delta !== 'string') return
    const [item, part] = [asIndex(json['output_index']), asIndex(json['content_index'])]
    this.#deltas.push({ texts: [delta], item: item ?? 0, part: part ?? 0 })
  }

  again(text: string): void {
    if (this.#answers) this.#deltas.at(-1)?.texts.push(text)
  }

  end(outcome: StreamOutcome): void {
    const { final } = outcome
    if (!holdsAll(outcome) || final === undefined || !Array.isArray(final['output'])) return
    const text = finalText(final)
    if (!this.#sources.deltas.spoiled) this.#judgeText(text, outcome.finalEvent)
    this.#judgeReasoning(text, outcome.finalEvent)
  }

  #judgeText(text: string, event: number | undefined): void {
    const streamed = joined(this.#deltas)
    if (streamed === text || this.#inOrderOfIndexes() === text || this.#inOrderOfItems() === text) {
      if (text !== '') this.#collector.held('V3-SSE-17', 'The deltas equal the final text.', event)
      return
    }
    // A replay may consist of its first and its last event.
    if (this.#repeat && this.#deltas.length === 0) return
    this.#collector.broken(
      'V3-SSE-17',
      `The joined deltas differ from the final text: ${difference(streamed, text)}.`,
      event,
    )
  }

  /** Items may be streamed in parallel, but are consecutive in the final response. */
  #inOrderOfIndexes(): string {
    return joined(this.#deltas.toSorted((a, b) => a.item - b.item || a.part - b.part))
  }

  /** The same by the structure of the items, if indexes are omitted. */
  #inOrderOfItems(): string {
    return this.#sources.structure.items
      .flatMap((item) => item.slots.toSorted((a, b) => a.ordinal - b.ordinal))
      .filter((slot) => slot.type === 'output_text')
      .flatMap((slot) => slot.deltas)
      .join('')
  }

  #judgeReasoning(text: string, event: number | undefined): void {
    if (asObject(this.#request)?.['think'] !== true || text === '') return
    const reasoning = normal(this.#sources.deltas.reasoning)
    if (reasoning.length < tellingLength) return
    if (normal(text).includes(reasoning)) {
      this.#collector.broken(
        'V3-THINK-02',
        `The answer repeats its reasoning: ${show(text)}.`,
        event,
      )
    } else this.#collector.held('V3-THINK-02', 'The answer does not repeat its reasoning.', event)
  }
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
export class DeltaJudge implements EventJudge {
  readonly #collector: FindingCollector
  readonly #thinks: boolean
  readonly #reasoning: string[] = []
  /** A delta was not a string, so the text is unknown. */
  spoiled = false
  /** The last event was one of reasoning. */
  #reasons = false

  constructor(collector: FindingCollector, request: unknown) {
    this.#collector = collector
    this.#thinks = asObject(request)?.['think'] === true
  }

  /** All reasoning text, joined. */
  get reasoning(): string {
    return this.#reasoning.join('')
  }

  event({ name, json, index }: ResponseEvent): void {
    const { delta } = json
    this.#reasons = name === 'response.reasoning_text.delta'
    if (this.#reasons) this.#judgeReasoning(delta, index)
    if (stated.has(name)) this.#judgeType(name, delta, index)
    if (!name.endsWith('.delta') || typeof delta !== 'string') return
    if (delta.isWellFormed()) {
      this.#collector.held('V3-SSE-27', 'Deltas hold whole characters.', index)
    } else {
      const why = `The delta ${show(delta)} holds half of a surrogate pair.`
      this.#collector.broken('V3-SSE-27', why, index)
    }
  }

  again(text: string): void {
    if (this.#reasons) this.#reasoning.push(text)
  }

  end({ ended }: StreamOutcome): void {
    if (ended && !this.#thinks) {
      this.#collector.held('V3-SSE-24', 'No reasoning arrived without think.')
    }
  }

  #judgeReasoning(delta: unknown, index: number): void {
    if (typeof delta === 'string') this.#reasoning.push(delta)
    if (this.#thinks) return
    const why = 'response.reasoning_text.delta arrived, and think was not requested.'
    this.#collector.broken('V3-SSE-24', why, index)
  }

  #judgeType(name: string, delta: unknown, index: number): void {
    if (typeof delta === 'string') {
      this.#collector.held('V3-SSE-25', 'delta is a string.', index)
      return
    }
    this.spoiled = true
    this.#collector.broken(
      'V3-SSE-25',
      `The delta of ${name} is ${show(delta)}, not a string.`,
      index,
    )
  }
}

/** The two deltas that the document itself describes. */
const stated: ReadonlySet<string> = new Set([
  'response.output_text.delta',
  'response.reasoning_text.delta',
])
