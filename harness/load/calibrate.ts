/** `chatgen calibrate`: runs at growing event rates, and the lateness of their timestamps. */
import {
  type Calibration,
  type CalibrationPoint,
  calibrationPoint,
} from '../../reports/load/model/generator.ts'
import type { LoadReport } from '../../reports/load/model/report.ts'
import { generatorEnvironment } from './generator/generator-monitor.ts'
import { generatorLimits } from './generator/verdict.ts'
import { defaultLoadOptions, type LoadOptions } from './options.ts'
import { type Mix, mixEntry } from './plan/mix.ts'
import { runLoad } from './run.ts'

/** Options with a target that is known to keep up, preferably on another machine. */
export interface CalibrateOptions
  extends Pick<LoadOptions, 'target' | 'suite' | 'workers' | 'signal'> {
  /** Events a second, ascending. */
  readonly rates: readonly number[]
  /** Duration of each rate. */
  readonly seconds: number
  readonly onPoint: (point: CalibrationPoint) => void
}

/** Ends early once the generator is overwhelmed: higher rates would show nothing new. */
export async function calibrate(options: CalibrateOptions): Promise<Calibration> {
  const points: CalibrationPoint[] = []
  for (const rate of options.rates) {
    if (options.signal.aborted) break
    const { generator } = await run(options, rate)
    const point = calibrationPoint.parse({ plannedEventsPerSecond: rate, ...generator })
    points.push(point)
    options.onPoint(point)
    if (point.verdict === 'invalid') break
  }
  return {
    kind: 'calibration',
    schemaVersion: 1,
    measuredAt: new Date().toISOString(),
    machine: thisMachine(),
    workers: options.workers,
    points,
    ceilingEventsPerSecond: ceilingOf(points),
  }
}

export function thisMachine(): Calibration['machine'] {
  const { node, cpus, cpuModel } = generatorEnvironment()
  return { node, cpus, cpuModel }
}

/** Share of the calibrated ceiling that a run used; null for a calibration of another machine. */
export function calibrationUse(
  calibration: Calibration | undefined,
  { eventsPerSecond }: { readonly eventsPerSecond: number },
): LoadReport['generator']['calibration'] {
  if (calibration === undefined || calibration.ceilingEventsPerSecond === 0) return null
  if (JSON.stringify(calibration.machine) !== JSON.stringify(thisMachine())) return null
  const { measuredAt, ceilingEventsPerSecond } = calibration
  return { measuredAt, ceilingEventsPerSecond, used: eventsPerSecond / ceilingEventsPerSecond }
}

/** Short answers, so that a rate is reached and left quickly. */
const tokens = 50
/** Events of the tokens, and of the role, the finish reason, the usage and the end mark. */
const eventsOfAnswer = tokens + 4

const constant = (value: number) => ({ kind: 'constant', value }) as const
const mix: Mix = {
  name: 'calibration',
  entries: [
    mixEntry({
      name: 'calibration',
      kind: 'openai-stream',
      prompt: constant(8),
      answer: constant(tokens),
    }),
  ],
}

function run({ target, suite, workers, seconds, signal }: CalibrateOptions, rate: number) {
  return runLoad({
    ...defaultLoadOptions,
    target,
    spec: {
      seed: 'calibration',
      mix,
      arrival: { kind: 'poisson', perSecond: rate / eventsOfAnswer },
      durationNs: seconds * 1e9,
      misbehavior: { slowReader: 0, abort: 0, churn: 0 },
      idempotencyRaces: 0,
    },
    workers,
    maxInFlight: 20_000,
    suite,
    signal,
  })
}

function ceilingOf(points: readonly CalibrationPoint[]): number {
  const { degraded } = generatorLimits.timestampError
  const within = points.filter(
    ({ verdict, timestampError }) =>
      verdict !== 'invalid' && timestampError !== null && timestampError.p99 < degraded,
  )
  return Math.max(0, ...within.map(({ eventsPerSecond }) => eventsPerSecond))
}
