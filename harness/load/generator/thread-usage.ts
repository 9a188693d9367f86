import { monitorEventLoopDelay, performance } from 'node:perf_hooks'

/** Resource usage of a worker during the run. */
export interface ThreadUsage {
  /** Null if the runtime does not report the CPU time of a thread. */
  readonly cpuMs: number | null
  /** CPU time per time that passed. */
  readonly cpuShare: number | null
  /** Busy share of the event loop, 0 to 1. */
  readonly eventLoopUtilization: number
  /** Delay of its timers, p99. */
  readonly eventLoopDelayMs: number
}

const resolutionMs = 10

export class ThreadUsageMeter {
  readonly #loop = performance.eventLoopUtilization()
  readonly #delay = monitorEventLoopDelay({ resolution: resolutionMs })
  readonly #cpuMs = threadCpuMs()
  readonly #startedAt = performance.now()

  constructor() {
    this.#delay.enable()
  }

  end(): ThreadUsage {
    this.#delay.disable()
    const now = threadCpuMs()
    const cpuMs = now === null || this.#cpuMs === null ? null : now - this.#cpuMs
    const late = this.#delay.percentile(99) / 1e6 - resolutionMs
    return {
      cpuMs,
      cpuShare: cpuMs === null ? null : cpuMs / (performance.now() - this.#startedAt),
      eventLoopUtilization: performance.eventLoopUtilization(this.#loop).utilization,
      eventLoopDelayMs: Math.max(0, late),
    }
  }
}

/** `threadCpuUsage` is there from Node 22.19 and 23.9 on. */
function threadCpuMs(): number | null {
  if (typeof process.threadCpuUsage !== 'function') return null
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
