import { lowerMedianOf, meanOf } from '../../../contract/averages.ts'
import { inFlightAtStart } from '../../load/statistics/audits.ts'
import type { ServiceModel } from '../simulation/replica.ts'
import {
  drawOf,
  lengthsOf,
  poissonArrivals,
  type RequestLength,
  type Requests,
} from '../simulation/requests.ts'
import {
  type ClusterOptions,
  type Latencies,
  latenciesOf,
  quantile,
  simulateClosed,
  simulateOpen,
  withLengths,
} from '../simulation/simulate.ts'
import type { MeasuredLoad, Statistic } from './measured-probes.ts'

/** Part of a run that is warm-up. */
const warmUp = 0.1
/** Maximum requests: a longer experiment no longer depends on its start. */
const maxRequests = 500

/** A statistic over repetitions of one experiment, in logarithms. */
export interface Prediction {
  readonly log: number
  /** Standard deviation from one experiment to the next. */
  readonly deviation: number
}

/**
 * The statistics that a service model predicts for a measured load: the same experiment, from an empty target
 * and for the same time, is repeated `runs` times. All models share the seed, so that their differences are
 * those of the models.
 */
export function simulateLoad(
  model: ServiceModel,
  { load, durationMs, statistics }: MeasuredLoad,
  lengths: readonly RequestLength[],
  cluster: ClusterOptions,
  runs: number,
): readonly Prediction[] {
  const wholeMs =
    load.kind === 'open' ? Math.min(durationMs, (maxRequests / load.perSecond) * 1000) : durationMs
  const window = { fromMs: warmUp * wholeMs, toMs: wholeMs }
  const logs: number[][] = statistics.map(() => [])
  for (let run = 0; run < runs; run++) {
    const requests = oneRun(model, load, wholeMs, lengths, cluster, run)
    const latencies = latenciesOf(requests, model.overheadMs, window)
    const ended = requests.endMs.filter((ms) => ms >= window.fromMs && ms < window.toMs).length
    const completed = ended / ((window.toMs - window.fromMs) / 1000)
    const medians = mediansByInFlight(requests, statistics, model.overheadMs)
    for (const [at, statistic] of statistics.entries()) {
      const value = medians.get(statistic) ?? statisticIn(statistic, latencies, completed)
      const log = Math.log(value)
      if (Number.isFinite(log)) logs[at]?.push(log)
    }
  }
  const share = Math.sqrt(wholeMs / durationMs)
  return logs.map((values) => {
    const log = meanOf(values) ?? 0
    const squares = values.reduce((sum, value) => sum + (value - log) ** 2, 0)
    return { log, deviation: share * Math.sqrt(squares / Math.max(1, values.length - 1)) }
  })
}

function oneRun(
  model: ServiceModel,
  load: MeasuredLoad['load'],
  untilMs: number,
  lengths: readonly RequestLength[],
  cluster: ClusterOptions,
  run: number,
): Requests {
  const nextLength = lengthsOf(lengths, drawOf('fit', 'lengths', run))
  if (load.kind === 'closed') {
    const { users } = load
    const draw = drawOf('fit', 'ramp', run)
    return simulateClosed(model, cluster, { users, untilMs, nextLength, rampMs: 10, draw })
  }
  const pieces = [{ fromMs: 0, perSecond: load.perSecond }]
  const times =
    load.process === 'poisson'
      ? poissonArrivals(pieces, untilMs, 1, drawOf('fit', 'arrivals', run))
      : evenly(load.perSecond, untilMs)
  return simulateOpen(model, cluster, withLengths(times, nextLength))
}

function* evenly(perSecond: number, untilMs: number): Generator<number> {
  for (let ms = 0; ms < untilMs; ms += 1000 / perSecond) yield ms
}

function statisticIn(
  { metric, quantile: q }: Statistic,
  latencies: Latencies,
  completedPerSecond: number,
): number {
  if (metric === 'completed' || q === null) return completedPerSecond
  return quantile(latencies[metric], q)
}

function mediansByInFlight(
  requests: Requests,
  statistics: readonly Statistic[],
  overheadMs: number,
): ReadonlyMap<Statistic, number> {
  const { arrivalMs, firstTokenMs, endMs, outputTokens } = requests
  const values = new Map<Statistic, number[]>()
  const byInFlight: { statistic: Statistic; own: number[] }[][] = []
  for (const statistic of statistics) {
    if (statistic.inFlight === null) continue
    const own: number[] = []
    values.set(statistic, own)
    const [from, to] = statistic.inFlight
    for (let found = from; found <= to; found++) {
      byInFlight[found] ??= []
      byInFlight[found]?.push({ statistic, own })
    }
  }
  for (const [id, found] of inFlightAtStart(arrivalMs, endMs).entries()) {
    const first = firstTokenMs[id] ?? Number.NaN
    if (Number.isNaN(first)) continue
    for (const { statistic, own } of byInFlight[found] ?? []) {
      if (statistic.metric === 'ttft') own.push(first - (arrivalMs[id] ?? 0) + overheadMs)
      const tokens = (outputTokens[id] ?? 1) - 1
      if (statistic.metric === 'tpot' && tokens > 0) own.push(((endMs[id] ?? 0) - first) / tokens)
    }
  }
  return new Map(
    [...values].map(([statistic, own]) => [statistic, lowerMedianOf(own) ?? Number.NaN]),
  )
}
