/** Verdict on the generator: figures of a run are the target's only if the generator kept up. */
import {
  boundedSamples,
  type GeneratorRow,
  type Spread,
} from '../../../contract/report/load/generator.ts'

export interface GeneratorMeasurements {
  /** Milliseconds, of the worst worker; null without a clock probe. */
  readonly timestampError: Spread | null
  /** Milliseconds that planned arrivals left late. */
  readonly scheduleDelay: Spread | null
  /** Milliseconds that a timer of the busiest worker came late, p99; null if it is not known. */
  readonly eventLoopDelayMs: number | null
  /** Busy share of the busiest event loop. */
  readonly eventLoopUtilization: number
  /** CPU of the busiest worker's thread per time that passed; null if the runtime does not tell. */
  readonly cpuShare: number | null
  /** Due arrivals that were dropped because too many transactions were in flight. */
  readonly dropped: number
  /** Milliseconds of timestamp error, p99, from which on nothing is to be read; by default 20. */
  readonly maxTimestampErrorMs?: number | undefined
}

export interface Limits {
  readonly degraded: number
  readonly invalid: number
}

/** Limits: from `degraded` on figures are to be read with the error that the report prints; from `invalid` on, not at all. */
export const generatorLimits = {
  /**
   * Milliseconds at p99. Every stamp of the run carries this error: up to 2 ms it is what the kit
   * promises of its quantiles; 20 ms is a whole gap between tokens of a model that speaks 50 a second.
   */
  timestampError: { degraded: 2, invalid: 20 },
  /**
   * Milliseconds at p99 that arrivals left after their time. Response times hold the delay, so nothing
   * is hidden; but a target that gets its arrivals late and in bunches was offered another load.
   */
  scheduleDelay: { degraded: 20, invalid: 100 },
  /** Milliseconds at p99. As coarse as its 10 ms resolution, and blind to what happens within a turn. */
  eventLoopDelay: { degraded: 20, invalid: 100 },
  /** Waiting time at utilization ρ grows like ρ / (1 − ρ): 4 turns of the loop, then 32. */
  eventLoopUtilization: { degraded: 0.8, invalid: 0.97 },
  /** A thread cannot use more than one CPU; beyond this it was out of it for seconds together. */
  cpuShare: { degraded: 0.9, invalid: 0.99 },
} as const satisfies Record<string, Limits>

export function generatorVerdict(
  signs: GeneratorMeasurements,
): Pick<GeneratorRow, 'verdict' | 'reasons'> {
  const reasons = reasonsOf(signs)
  return {
    verdict: reasons.some(({ grade }) => grade === 'invalid')
      ? 'invalid'
      : reasons.length > 0
        ? 'degraded'
        : 'valid',
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
  const { eventLoopDelayMs, eventLoopUtilization, cpuShare, dropped } = signs
  const { timestampError } = limits
  const invalid = signs.maxTimestampErrorMs ?? timestampError.invalid
  const timestampLimits = { ...timestampError, invalid }
  return [
    ...reasonOver(error.ms, timestampLimits, (ms) => {
      return `its timestamps were up to ${ms.toFixed(1)} ms late (${error.name})`
    }),
    ...reasonOver(late.ms, limits.scheduleDelay, (ms) => {
      return `planned requests were sent up to ${ms.toFixed(1)} ms late (${late.name})`
    }),
    ...reasonOver(eventLoopDelayMs, limits.eventLoopDelay, (ms) => {
      return `timers of the busiest event loop fired up to ${ms.toFixed(1)} ms late (p99)`
    }),
    ...reasonOver(eventLoopUtilization, limits.eventLoopUtilization, (share) => {
      return `the busiest event loop was busy ${percent(share)} of the time`
    }),
    ...reasonOver(cpuShare, limits.cpuShare, (share) => {
      return `the busiest thread used ${percent(share)} of a CPU`
    }),
    ...(dropped === 0
      ? []
      : [
          {
            grade: 'invalid',
            text: `${dropped} due transactions were not sent: too many were in flight`,
          } as const,
        ]),
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

function reasonOver(
  value: number | null,
  limits: Limits,
  text: (value: number) => string,
): readonly Reason[] {
  if (value === null || value < limits.degraded) return []
  return [{ grade: value < limits.invalid ? 'degraded' : 'invalid', text: text(value) }]
}

function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`
}
