import { performance } from 'node:perf_hooks'

/**
 * Nanoseconds since the start of the run, from CLOCK_MONOTONIC: the same for all threads of the machine.
 * `performance.now` reads that clock without a BigInt; its origin differs between threads and is subtracted
 * once.
 */
export class RunClock {
  readonly #offset: number

  /** `start`: the reading of `process.hrtime.bigint` at time 0. */
  constructor(start: bigint) {
    const before = performance.now()
    const at = Number(process.hrtime.bigint() - start)
    const after = performance.now()
    this.#offset = at - ((before + after) / 2) * 1e6
  }

  now(): number {
    return Math.round(performance.now() * 1e6 + this.#offset)
  }
}
