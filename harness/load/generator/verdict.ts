/** Verdict on the generator: figures of a run are the target's only if the generator kept up. */
import {
  boundedSamples,
  type GeneratorRow,
  type Spread,
} from '../../../reports/load/model/generator.ts'

/** Measurements of a generator, those of its worst worker. */
export interface GeneratorMeasurements
  extends Pick<GeneratorRow, 'timestampError' | 'scheduleDelay' | 'eventLoopUtilization'> {
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
   * Milliseconds at p99. Every timestamp of the run carries this error: 2 ms is the precision of quantiles that
   * the kit promises; 20 ms is the gap between tokens of a model with 50 tokens per second.
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
  const over = rowsOf(signs).filter(([value, limits]) => reaches(value, limits.degraded))
  const isInvalid = over.some(([value, limits]) => reaches(value, limits.invalid))
  return {
    verdict: isInvalid ? 'invalid' : over.length > 0 ? 'degraded' : 'valid',
    reasons: over.map(([, , reason]) => reason),
  }
}

/** False for an unknown value; a share of nothing reaches every limit. */
function reaches(value: number | null, limit: number): boolean {
  return value !== null && !(value < limit)
}

/** Each sign with its limits, and the reason that it is once it reaches them. */
function rowsOf(signs: GeneratorMeasurements): [value: number | null, Limits, reason: string][] {
  const limits = generatorLimits
  const error = tailOf(signs.timestampError)
  const late = tailOf(signs.scheduleDelay)
  const { eventLoopUtilization, cpuShare, dropped } = signs
  const invalid = signs.maxTimestampErrorMs ?? limits.timestampError.invalid
  return [
    [error.ms, { ...limits.timestampError, invalid }, `its timestamps were ${error.text}`],
    [late.ms, limits.scheduleDelay, `planned requests were sent ${late.text}`],
    [
      eventLoopUtilization,
      limits.eventLoopUtilization,
      `the busiest event loop was busy ${percent(eventLoopUtilization)} of the time`,
    ],
    [cpuShare, limits.cpuShare, `the busiest thread used ${percent(cpuShare ?? 0)} of a CPU`],
    [
      dropped,
      { degraded: 1, invalid: 1 },
      `${dropped} due transactions were not sent: too many were in flight`,
    ],
  ]
}

/** A sample too small to bound its p99 is judged by its largest value. */
function tailOf(spread: Spread | null): { readonly ms: number | null; readonly text: string } {
  if (spread === null) return { ms: null, text: '' }
  const { p99, max, count } = spread
  const [ms, name] = count < boundedSamples ? [max, `maximum of ${count}`] : [p99, 'p99']
  return { ms, text: `up to ${ms.toFixed(1)} ms late (${name})` }
}

function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`
}
