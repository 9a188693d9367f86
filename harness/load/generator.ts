import { availableParallelism, cpus, loadavg } from 'node:os'
import type { GeneratorRow, Spread } from '../../reports/model/load-generator.ts'
import type { ThreadsOutcome } from './engine/threads.ts'
import type { RequestRecord } from './record.ts'

/** Later than this at p99, and the target was not offered what was planned. */
const latestMs = { degraded: 20, invalid: 100 }
/** A loop that is never idle stamps late. */
const busiest = { degraded: 0.8, invalid: 0.97 }

/** What the run knows of its own error. */
export function generatorOf(
  records: readonly RequestRecord[],
  { done }: ThreadsOutcome,
  durationMs: number,
): GeneratorRow {
  const delays = records
    .filter(({ step }) => step === 0)
    .map(({ stamps }) => (stamps.dispatched - stamps.planned) / 1e6)
  const scheduleDelay = spreadOf(delays)
  const events = records.reduce((sum, { counts }) => sum + counts.events, 0)
  const cpuMs = done.reduce((sum, { usage }) => sum + (usage.cpuMs ?? 0), 0)
  const eventLoopUtilization = Math.max(0, ...done.map(({ usage }) => usage.eventLoopUtilization))
  const undispatched = done.reduce((sum, thread) => sum + thread.undispatched, 0)
  const reasons = [
    ...graded(
      scheduleDelay?.p99 ?? 0,
      latestMs,
      (ms) => `planned arrivals left up to ${ms.toFixed(1)} ms late (p99)`,
    ),
    ...graded(
      eventLoopUtilization,
      busiest,
      (share) => `the busiest event loop was busy ${(share * 100).toFixed(0)} % of the time`,
    ),
    ...(undispatched === 0
      ? []
      : [
          {
            grade: 'invalid',
            text: `${undispatched} due transactions were not sent: too many in flight`,
          } as const,
        ]),
  ]
  return {
    verdict: reasons.some(({ grade }) => grade === 'invalid')
      ? 'invalid'
      : reasons.length > 0
        ? 'degraded'
        : 'valid',
    reasons: reasons.map(({ text }) => text),
    timestampError: null,
    scheduleDelay,
    eventLoopUtilization,
    cpuMs,
    eventsPerSecond: events / (durationMs / 1000),
    eventsPerCpuSecond: cpuMs === 0 ? null : events / (cpuMs / 1000),
    calibration: null,
    workers: done.map(({ usage }, index) => ({
      index,
      requests: 0,
      events: 0,
      ...usage,
      scheduleDelay: null,
      timestampError: null,
    })),
    environment: {
      node: process.version,
      platform: `${process.platform} ${process.arch}`,
      cpus: availableParallelism(),
      cpuModel: cpus()[0]?.model ?? 'unknown',
      loadAverage: loadavg()[0] ?? 0,
    },
  }
}

export function spreadOf(values: readonly number[]): Spread | null {
  if (values.length === 0) return null
  const sorted = values.toSorted((a, b) => a - b)
  const at = (q: number) => sorted[Math.ceil(q * sorted.length) - 1] ?? 0
  return { p50: at(0.5), p99: at(0.99), max: at(1), count: sorted.length }
}

interface Reason {
  readonly grade: 'degraded' | 'invalid'
  readonly text: string
}

function graded(
  value: number,
  limits: { readonly degraded: number; readonly invalid: number },
  say: (value: number) => string,
): Reason[] {
  if (value < limits.degraded) return []
  return [{ grade: value < limits.invalid ? 'degraded' : 'invalid', text: say(value) }]
}
