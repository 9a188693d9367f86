import { meanOf } from '../../contract/averages.ts'
import { InputError } from '../load/options.ts'
import type { Slo } from '../load/slo/slo.ts'
import type { PlanOptions } from './demand.ts'
import type { FittedModel } from './fit/fit.ts'
import { iterationMs, type ServiceModel } from './simulation/replica.ts'
import {
  drawOf,
  lengthsOf,
  poissonArrivals,
  type RatePiece,
  type RequestLength,
} from './simulation/requests.ts'
import {
  type ClusterOptions,
  latenciesOf,
  type PredictedMetric,
  predictedMetrics,
  quantile,
  simulateClosed,
  simulateOpen,
  withLengths,
} from './simulation/simulate.ts'

/** Load that all replicas carry together. */
export type Workload =
  | { readonly kind: 'open'; readonly pieces: readonly RatePiece[]; readonly untilMs: number }
  | { readonly kind: 'closed'; readonly users: number }

export interface PredictionOptions extends ClusterOptions {
  readonly lengths: readonly RequestLength[]
  /** Approximate number of simulated requests. */
  readonly requests: number
  readonly seed: string
}

/** Latencies of a part of the cluster, and the share of all requests that it represents. */
export type PredictedRun = ReturnType<typeof predictOpen>

/** Maximum number of simulated replicas; more of them behave alike. */
export const maxSimulated = 12
/** Part of a simulation that fills the queues. */
const warmUp = 0.2

/**
 * Latencies of replicas under a load. Round robin in an open loop: one replica with its share of the
 * arrivals, which is exact. Otherwise all replicas, or a cluster of `maxSimulated` with its share of the
 * load, which is slightly worse than the whole: with more replicas, requests wait less.
 */
export function predictRun(
  model: ServiceModel,
  workload: Workload,
  options: PredictionOptions,
): PredictedRun {
  return workload.kind === 'open'
    ? predictOpen(model, workload, options)
    : predictClosed(model, workload.users, options)
}

function predictOpen(
  model: ServiceModel,
  { pieces, untilMs }: Extract<Workload, { kind: 'open' }>,
  { replicas, balance, lengths, requests, seed }: PredictionOptions,
) {
  const isOne = balance === 'round-robin'
  const simulated = isOne ? 1 : Math.min(replicas, maxSimulated)
  const share = simulated / replicas
  const nextLength = lengthsOf(lengths, drawOf(seed, 'lengths'))
  const draw = drawOf(seed, 'arrivals')
  const rows = multiplied(pieces, isOne ? 1 : share)
  const first = pieces[0]
  const isSteady = pieces.length === 1 && first !== undefined
  // A steady load ends after enough requests; a trace is simulated to its end.
  const endMs = isSteady
    ? Math.min(untilMs, (requests / (first.perSecond * share)) * 1000)
    : untilMs
  const times = poissonArrivals(rows, endMs, isOne ? replicas : 1, draw)
  const arrivals = withLengths(times, nextLength)
  const simulation = simulateOpen(model, { replicas: simulated, balance }, arrivals)
  const window = { fromMs: isSteady ? warmUp * endMs : 0, toMs: endMs }
  return { latencies: latenciesOf(simulation, model.overheadMs, window), share }
}

function predictClosed(
  model: ServiceModel,
  users: number,
  { replicas, balance, lengths, requests, seed }: PredictionOptions,
): PredictedRun {
  const simulated = Math.min(replicas, maxSimulated)
  const own = Math.max(1, Math.round((users * simulated) / replicas))
  const alone = soleLatencyMs(model, lengths)
  const perReplica = own / simulated
  const running = Math.min(perReplica, model.maxSequences)
  const slower = iterationMs(model, running) / iterationMs(model, 1)
  const residenceMs = alone * slower * Math.max(1, perReplica / running)
  const untilMs = Math.max(8, requests / own) * residenceMs
  const simulation = simulateClosed(
    model,
    { replicas: simulated, balance },
    {
      users: own,
      untilMs,
      nextLength: lengthsOf(lengths, drawOf(seed, 'lengths')),
      // Users that start all at once would stay in step for long.
      rampMs: residenceMs,
      draw: drawOf(seed, 'ramp'),
    },
  )
  const window = { fromMs: Math.max(warmUp * untilMs, 2 * residenceMs), toMs: untilMs }
  return { latencies: latenciesOf(simulation, model.overheadMs, window), share: own / users }
}

/** Mean latency of a request without others. */
function soleLatencyMs(model: ServiceModel, lengths: readonly RequestLength[]): number {
  const times = lengths.map(
    ({ promptTokens, outputTokens }) =>
      model.prefillMs +
      promptTokens * model.prefillMsPerToken +
      outputTokens * iterationMs(model, 1),
  )
  return model.overheadMs + (meanOf(times) ?? 0)
}

/**
 * Value of an SLO in a simulation (milliseconds, a share from 0 to 1 or a number a second), and whether it is met; the
 * unit of its row, the factor to it, and the limit in it.
 * @throws InputError for a metric that the service model does not have
 */
export function predictSlo(slo: Slo, { latencies, share }: PredictedRun) {
  const { arrived, refused, outputTokens, windowMs } = latencies
  switch (slo.kind) {
    case 'latency': {
      const values = latencies[predictedMetric(slo.metric)]
      const value =
        slo.statistic === 'mean'
          ? (meanOf(values) ?? Number.NaN)
          : quantile(values, slo.statistic.quantile)
      const limitMs = slo.limitNs / 1e6
      const isMet = slo.inclusive ? value <= limitMs : value < limitMs
      return { value, isMet, scale: 1, unit: 'ms', limit: limitMs }
    }
    case 'errors': {
      const value = arrived === 0 ? 0 : refused / arrived
      const limit = 100 * slo.maxShare
      return { value, isMet: value <= slo.maxShare, scale: 100, unit: '%', limit }
    }
    case 'goodput': {
      const limits = (slo.limits ?? []).map(({ metric, limitNs }) => {
        return { metric: predictedMetric(metric), limitMs: limitNs / 1e6 }
      })
      const good = latencies.answers.filter((answer) =>
        limits.every(({ metric, limitMs }) => !(answer[metric] > limitMs)),
      )
      const value = arrived === 0 ? 1 : good.length / arrived
      const limit = 100 * slo.minShare
      return { value, isMet: value >= slo.minShare, scale: 100, unit: '%', limit }
    }
    case 'rate': {
      const count = slo.of === 'requests' ? arrived - refused : outputTokens
      const value = count / share / (windowMs / 1000)
      const isMet = slo.inclusive ? value >= slo.perSecond : value > slo.perSecond
      return { value, isMet, scale: 1, unit: '/s', limit: slo.perSecond }
    }
  }
}

export function predictedMetric(metric: string): PredictedMetric {
  const found = predictedMetrics.find((name) => name === metric)
  if (found !== undefined) return found
  throw new InputError(
    `${metric} is not predicted: the service model has ${predictedMetrics.join(', ')}`,
  )
}

/** A demand on a cluster, and the model of its replicas. */
export interface SizingOptions extends Pick<PlanOptions, 'slos' | 'balance' | 'assess' | 'seed'> {
  readonly fitted: FittedModel
  /** Request lengths of the demand, which may differ from those of the measurement. */
  readonly lengths: readonly RequestLength[]
  readonly workload: Workload
}

const factorSteps = 8
const factorLimit = 40

/** The largest multiple of the demand that meets the SLOs; null if not even a fiftieth does. */
export function maxFactorOf(
  options: SizingOptions,
  model: ServiceModel,
  size: Pick<PredictionOptions, 'replicas' | 'requests'>,
): number | null {
  // A small load does not reach a minimum rate, and a larger one does.
  const slos = options.slos.filter(({ kind }) => kind !== 'rate')
  const meets = (factor: number) => {
    const run = predictRun(model, scaled(options.workload, factor), { ...options, ...size })
    return keepsAll(slos, run)
  }
  let [low, high] = [0.02, 1.3]
  if (!meets(low)) return null
  while (meets(high) && high < factorLimit) [low, high] = [high, high * 2]
  for (let step = 0; step < factorSteps; step++) {
    const middle = low < high / 3 ? Math.sqrt(low * high) : (low + high) / 2
    if (meets(middle)) low = middle
    else high = middle
  }
  return (low + high) / 2
}

function scaled(workload: Workload, factor: number): Workload {
  if (workload.kind === 'closed') {
    return { kind: 'closed', users: Math.max(1, Math.round(workload.users * factor)) }
  }
  return { ...workload, pieces: multiplied(workload.pieces, factor) }
}

function multiplied(pieces: readonly RatePiece[], factor: number): readonly RatePiece[] {
  return pieces.map(({ fromMs, perSecond }) => ({ fromMs, perSecond: perSecond * factor }))
}

/** Refused requests miss the SLO that every load run has, unless one of errors or goodput is given. */
const maxRefused = 0.01

export function keepsAll(slos: readonly Slo[], run: PredictedRun): boolean {
  const { arrived, refused } = run.latencies
  const speaksOfErrors = slos.some(({ kind }) => kind === 'errors' || kind === 'goodput')
  if (!speaksOfErrors && refused > maxRefused * arrived) return false
  return slos.every((slo) => predictSlo(slo, run).isMet)
}
