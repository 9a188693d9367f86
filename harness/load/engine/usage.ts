import { performance } from 'node:perf_hooks'

/** What a thread used while the run lasted. */
export interface SpentUsage {
  /** Null where the runtime does not tell the CPU time of a thread. */
  readonly cpuMs: number | null
  /** Busy share of the event loop, 0 to 1. */
  readonly eventLoopUtilization: number
}

export class Usage {
  readonly #loop = performance.eventLoopUtilization()
  readonly #cpuMs = threadCpuMs()

  end(): SpentUsage {
    const cpuMs = threadCpuMs()
    return {
      cpuMs: cpuMs === null || this.#cpuMs === null ? null : cpuMs - this.#cpuMs,
      eventLoopUtilization: performance.eventLoopUtilization(this.#loop).utilization,
    }
  }
}

/** `threadCpuUsage` is there from Node 22.19 and 23.9 on. */
function threadCpuMs(): number | null {
  if (typeof process.threadCpuUsage !== 'function') return null
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
