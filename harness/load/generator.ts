import { availableParallelism, cpus, loadavg } from 'node:os'
import type { GeneratorRow, Spread, WorkerRow } from '../../reports/model/load-generator.ts'
import type { Done } from './engine/threads.ts'
import { Buckets } from './metrics/buckets.ts'
import type { RequestRecord } from './record.ts'
import { rankOf } from './statistics/ordered-sample.ts'

/** Later than this at p99, and the target was not offered what was planned. */
const latestMs = { degraded: 20, invalid: 100 }
/** A loop that is never idle stamps late. */
const busiest = { degraded: 0.8, invalid: 0.97 }

/** What the run knows of its own error, one record at a time. */
export class GeneratorWatch {
  readonly #delays = new Buckets()
  readonly #events: number[]
  readonly #requests: number[]

  constructor(workers: number) {
    this.#events = Array.from({ length: workers }, () => 0)
    this.#requests = Array.from({ length: workers }, () => 0)
  }

  add(worker: number, { step, stamps, counts }: RequestRecord): void {
    if (step === 0) this.#delays.add(stamps.dispatched - stamps.planned)
    this.#events[worker] = (this.#events[worker] ?? 0) + counts.events
    this.#requests[worker] = (this.#requests[worker] ?? 0) + 1
  }

  row(done: readonly Done[], undispatched: number, durationMs: number): GeneratorRow {
    const events = this.#events.reduce((sum, count) => sum + count, 0)
    const cpuMs = done.reduce((sum, { usage }) => sum + (usage.cpuMs ?? 0), 0)
    const eventLoopUtilization = Math.max(0, ...done.map(({ usage }) => usage.eventLoopUtilization))
    const scheduleDelay = spreadOf(this.#delays)
    const reasons = reasonsOf({ scheduleDelay, eventLoopUtilization, undispatched })
    return {
      verdict: verdictOf(reasons),
      reasons: reasons.map(({ text }) => text),
      timestampError: null,
      scheduleDelay,
      eventLoopUtilization,
      cpuMs,
      eventsPerSecond: durationMs === 0 ? 0 : events / (durationMs / 1000),
      eventsPerCpuSecond: cpuMs === 0 ? null : events / (cpuMs / 1000),
      calibration: null,
      workers: done.map(
        ({ usage }, index): WorkerRow => ({
          index,
          requests: this.#requests[index] ?? 0,
          events: this.#events[index] ?? 0,
          ...usage,
          scheduleDelay: null,
          timestampError: null,
        }),
      ),
      environment: {
        node: process.version,
        platform: `${process.platform} ${process.arch}`,
        cpus: availableParallelism(),
        cpuModel: cpus()[0]?.model ?? 'unknown',
        loadAverage: loadavg()[0] ?? 0,
      },
    }
  }
}

interface Reason {
  readonly grade: 'degraded' | 'invalid'
  readonly text: string
}

function reasonsOf(seen: {
  readonly scheduleDelay: Spread | null
  readonly eventLoopUtilization: number
  readonly undispatched: number
}): Reason[] {
  const late = seen.scheduleDelay?.p99 ?? 0
  const busy = seen.eventLoopUtilization
  return [
    ...graded(late, latestMs, `planned arrivals left up to ${late.toFixed(1)} ms late (p99)`),
    ...graded(
      busy,
      busiest,
      `the busiest event loop was busy ${(busy * 100).toFixed(0)} % of the time`,
    ),
    ...(seen.undispatched === 0
      ? []
      : [
          {
            grade: 'invalid',
            text: `${seen.undispatched} due transactions were not sent: too many were in flight`,
          } as const,
        ]),
  ]
}

function verdictOf(reasons: readonly Reason[]): GeneratorRow['verdict'] {
  if (reasons.some(({ grade }) => grade === 'invalid')) return 'invalid'
  return reasons.length > 0 ? 'degraded' : 'valid'
}

function spreadOf(delays: Buckets): Spread | null {
  if (delays.count === 0) return null
  const at = (q: number) => delays.highestAt(rankOf(q, delays.count)) / 1e6
  return { p50: at(0.5), p99: at(0.99), max: (delays.maxNs ?? 0) / 1e6, count: delays.count }
}

function graded(
  value: number,
  limits: { readonly degraded: number; readonly invalid: number },
  text: string,
): Reason[] {
  if (value < limits.degraded) return []
  return [{ grade: value < limits.invalid ? 'degraded' : 'invalid', text }]
}
