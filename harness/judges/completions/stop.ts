import { asArray, type JsonObject } from '../../../contract/json.ts'
import type { FindingCollector } from '../finding-collector.ts'
import { show } from '../json.ts'
import { type Chunk, type ChunkJudge, contentOf } from './part.ts'

/**
 * OAI-STOP-04 and -05: nothing follows a stop sequence. The rows differ in where it lies: whole in
 * one chunk, or across several. A sequence that was left out leaves no trace in one exchange, so
 * whether it took effect at all is for a scenario to compare.
 */
export class StopJudge implements ChunkJudge {
  readonly #collector: FindingCollector
  readonly #stops: readonly string[]
  readonly #pieces = new Map<number, string[]>()
  #lastEvent = 0
  #lastChoice = 0

  constructor(collector: FindingCollector, request: JsonObject) {
    this.#collector = collector
    this.#stops = stopsOf(request)
  }

  chunk({ choices, event }: Chunk): void {
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

  end(): void {
    for (const pieces of this.#pieces.values()) {
      const text = pieces.join('')
      const found = firstStop(text, this.#stops)
      if (found === undefined) continue
      const row = isWhole(found, pieces) ? 'OAI-STOP-05' : 'OAI-STOP-04'
      const after = text.slice(found.end)
      const stop = show(text.slice(found.start, found.end))
      if (after === '') this.#collector.held(row, `The answer ends with the stop sequence ${stop}.`)
      else {
        const why = `After the stop sequence ${stop} the answer continues: ${show(after)}.`
        this.#collector.broken(row, why, this.#lastEvent)
      }
    }
  }
}

/** The stop sequences of a request; an empty one stops nothing. */
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
