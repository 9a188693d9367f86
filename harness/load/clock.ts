import { performance } from 'node:perf_hooks'

/**
 * Nanoseconds after the start of the run, from CLOCK_MONOTONIC: the same for all threads of the
 * machine. `performance.now` reads that clock without making a BigInt; what it counts from differs
 * from thread to thread, and is taken out once.
 */
export class RunClock {
  readonly #offset: number

  /** `start`: the reading of `process.hrtime.bigint` that is called 0. */
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
