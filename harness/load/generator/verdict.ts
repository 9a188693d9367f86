/** Verdict on the generator: figures of a run are the target's only if the generator kept up. */
import {
  boundedSamples,
  type GeneratorRow,
  type Spread,
} from '../../../reports/load/model/generator.ts'

export interface GeneratorMeasurements {
  /** Milliseconds, of the worst worker; null without a clock probe. */
  readonly timestampError: Spread | null
  /** Milliseconds by which planned arrivals were late. */
  readonly scheduleDelay: Spread | null
  /** Busy share of the busiest event loop. */
  readonly eventLoopUtilization: number
  /** CPU of the busiest worker's thread per elapsed time; null if the runtime does not report it. */
  readonly cpuShare: number | null
  /** Due arrivals that were dropped because too many transactions were in flight. */
  readonly dropped: number
  /** Timestamp error, p99 in milliseconds, that makes a run invalid; by default 20. */
  readonly maxTimestampErrorMs?: number | undefined
}

export interface Limits {
  readonly degraded: number
  readonly invalid: number
}

/**
 * Limits: from `degraded` on, figures have the error that the report prints; from `invalid` on, they are
 * unusable.
 */
export const generatorLimits = {
  /**
   * Milliseconds at p99. Every stamp of the run carries this error: 2 ms is the precision of quantiles that
   * the kit promises; 20 ms is the gap between tokens of a model with 50 tokens a second.
   */
  timestampError: { degraded: 2, invalid: 20 },
  /**
   * Lateness of arrivals, milliseconds at p99. Response times include the delay, so nothing is hidden; but a
   * target that gets its arrivals late and in bursts receives another load.
   */
  scheduleDelay: { degraded: 20, invalid: 100 },
  /** Waiting time at utilization ρ grows like ρ / (1 − ρ): 4 turns of the loop, then 32. */
  eventLoopUtilization: { degraded: 0.8, invalid: 0.97 },
  /** A thread cannot use more than one CPU; beyond this, it lacked CPU for seconds at a time. */
  cpuShare: { degraded: 0.9, invalid: 0.99 },
} as const satisfies Record<string, Limits>

export function generatorVerdict(
  signs: GeneratorMeasurements,
): Pick<GeneratorRow, 'verdict' | 'reasons'> {
  const reasons = reasonsOf(signs)
  const grades = ['invalid', 'degraded'] as const
  return {
    verdict: grades.find((worst) => reasons.some(({ grade }) => grade === worst)) ?? 'valid',
    reasons: reasons.map(({ text }) => text),
  }
}

interface Reason {
  readonly grade: 'degraded' | 'invalid'
  readonly text: string
}

function reasonsOf(signs: GeneratorMeasurements): readonly Reason[] {
  const limits = generatorLimits
  const error = tailOf(signs.timestampError)
  const late = tailOf(signs.scheduleDelay)
  const { eventLoopUtilization, cpuShare, dropped } = signs
  const { timestampError, scheduleDelay } = limits
  const invalid = signs.maxTimestampErrorMs ?? timestampError.invalid
  const lateness = (what: string, ms: number | null, own: Limits, name: string) =>
    reasonOver(ms, own, `${what} up to ${ms?.toFixed(1)} ms late (${name})`)
  const busyLoop = `the busiest event loop was busy ${percent(eventLoopUtilization)} of the time`
  const busyThread = `the busiest thread used ${percent(cpuShare ?? 0)} of a CPU`
  return [
    ...lateness('its timestamps were', error.ms, { ...timestampError, invalid }, error.name),
    ...lateness('planned requests were sent', late.ms, scheduleDelay, late.name),
    ...reasonOver(eventLoopUtilization, limits.eventLoopUtilization, busyLoop),
    ...reasonOver(cpuShare, limits.cpuShare, busyThread),
    ...reasonOver(
      dropped,
      { degraded: 1, invalid: 1 },
      `${dropped} due transactions were not sent: too many were in flight`,
    ),
  ]
}

/** A sample too small to bound its p99 is judged by its largest value. */
function tailOf(spread: Spread | null): { readonly ms: number | null; readonly name: string } {
  if (spread === null) return { ms: null, name: '' }
  const { p99, max, count } = spread
  return count < boundedSamples
    ? { ms: max, name: `maximum of ${count}` }
    : { ms: p99, name: 'p99' }
}

function reasonOver(value: number | null, limits: Limits, text: string): readonly Reason[] {
  if (value === null || value < limits.degraded) return []
  return [{ grade: value < limits.invalid ? 'degraded' : 'invalid', text }]
}

function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`
}
