import { asArray, asObject, isObject, type JsonObject } from '../../../contract/json.ts'
import type { FindingCollector } from '../finding-collector.ts'

/** OPEN-07: what is in a chunk beside the text, and how the stream ends. */
export class ChunkObserver {
  readonly #collector: FindingCollector
  readonly #members = new Map<Place, Set<string>>()

  constructor(collector: FindingCollector) {
    this.#collector = collector
  }

  block(json: JsonObject): void {
    this.#note('', json)
    for (const choice of asArray(json['choices']).filter(isObject)) {
      this.#note('choices[].', choice)
      this.#note('choices[].delta.', asObject(choice['delta']) ?? {})
    }
  }

  end(done: boolean): void {
    const members = Array.from(this.#members).flatMap(([place, names]) =>
      [...names].map((name) => place + name),
    )
    if (members.length === 0) return
    this.#collector.observed(
      'OPEN-07',
      `${members.sort().join(', ')}; ends ${done ? 'with' : 'without'} [DONE]`,
    )
  }

  #note(place: Place, json: JsonObject): void {
    const members = this.#members.get(place) ?? new Set()
    this.#members.set(place, members)
    for (const key of Object.keys(json)) members.add(key)
  }
}

type Place = '' | 'choices[].' | 'choices[].delta.'
