import { asObject } from '../../../contract/json.ts'
import type { FindingCollector } from '../finding-collector.ts'
import { show } from '../json.ts'
import type { EventJudge, ResponseEvent, StreamOutcome } from './event.ts'

/** V3-SSE-24, -25 and -27: what a delta is made of, and that reasoning comes only when asked for. */
export class DeltaJudge implements EventJudge {
  readonly #collector: FindingCollector
  readonly #thinks: boolean
  readonly #reasoning: string[] = []
  /** A delta was no string, so the text is not known. */
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
