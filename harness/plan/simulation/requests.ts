import type { RequestLength } from '../service-model.ts'

/** Requests of one simulation by id, in columns. Times in milliseconds; NaN for what never came. */
export class Requests {
  readonly arrivalMs: number[] = []
  readonly promptTokens: number[] = []
  readonly outputTokens: number[] = []
  readonly firstTokenMs: number[] = []
  readonly endMs: number[] = []
  readonly #onEnd: ((ms: number) => void) | undefined

  /** @param onEnd is called with the time at which a request ends */
  constructor(onEnd?: (ms: number) => void) {
    this.#onEnd = onEnd
  }

  get count(): number {
    return this.arrivalMs.length
  }

  add(arrivalMs: number, { promptTokens, outputTokens }: RequestLength): number {
    this.arrivalMs.push(arrivalMs)
    this.promptTokens.push(promptTokens)
    this.outputTokens.push(outputTokens)
    this.firstTokenMs.push(Number.NaN)
    this.endMs.push(Number.NaN)
    return this.count - 1
  }

  end(id: number, ms: number): void {
    this.endMs[id] = ms
    this.#onEnd?.(ms)
  }
}
