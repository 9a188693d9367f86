import { asArray, asObject, isObject, type JsonObject } from '../json.ts'
import type { Ledger } from '../ledger.ts'

/** OPEN-07: what is in a chunk beside the text, and how the stream ends. */
export class ChunkObserver {
  readonly #ledger: Ledger
  readonly #members = new Set<string>()

  constructor(ledger: Ledger) {
    this.#ledger = ledger
  }

  block(json: JsonObject): void {
    this.#note('', json)
    for (const choice of asArray(json['choices']).filter(isObject)) {
      this.#note('choices[].', choice)
      this.#note('choices[].delta.', asObject(choice['delta']) ?? {})
    }
  }

  end(done: boolean): void {
    if (this.#members.size === 0) return
    const members = [...this.#members].sort().join(', ')
    this.#ledger.observed('OPEN-07', `${members}; ends ${done ? 'with' : 'without'} [DONE]`)
  }

  #note(prefix: string, json: JsonObject): void {
    for (const key of Object.keys(json)) this.#members.add(prefix + key)
  }
}
