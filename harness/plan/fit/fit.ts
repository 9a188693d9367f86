/** The service model that reproduces a measured run, with its uncertainty. */
import { meanOf, medianOf } from '../../../contract/averages.ts'
import type { CapacityProbe } from '../../../reports/capacity/model/probe.ts'
import type { CapacityReport } from '../../../reports/capacity/model/report.ts'
import { groupEqualLoads } from '../../capacity/report/frontier.ts'
import type { Draw } from '../../load/plan/random.ts'
import type { ServiceModel } from '../simulation/replica.ts'
import type { RequestLength } from '../simulation/requests.ts'
import {
  ascending,
  type ClusterOptions,
  latenciesOf,
  predictedMetrics,
  quantile,
  simulateOpen,
} from '../simulation/simulate.ts'
import { answersOf, ObservedWork } from './observed-work.ts'
import { drawTimes, estimateTimes, workError } from './service-times.ts'

export type FittedModel = ReturnType<typeof fitServiceModel>

/** A measured run to which no service model can be fitted. */
export class UnfittedRunError extends Error {
  override readonly name = 'UnfittedRunError'
}

/** Minimum batches that are known to be full. */
const minFull = 5
/** Maximum standard error of the work of a request, as a share of it. */
const maxWorkError = 0.2

/**
 * Fits the times of the model to the work beside single requests, and takes the batches while others waited
 * for its limit. Without any, the largest number of requests seen in flight is the largest known batch. The
 * limit of several replicas is a lower bound.
 * @param cluster replicas of the measured run
 * @param demanded lengths of the requests to plan for; null for those of the measurement
 * @throws UnfittedRunError if too little was measured
 */
export function fitServiceModel(
  report: CapacityReport,
  cluster: ClusterOptions,
  demanded: readonly RequestLength[] | null = null,
) {
  const loads = measuredLoads(report)
  if (loads.length < 2) {
    throw new UnfittedRunError(
      `${loads.length === 0 ? 'no probe' : 'only one rate'} of it can be used; a service model needs two rates`,
    )
  }
  const samples = report.probes.flatMap(({ valid, samples: own }) =>
    valid && own !== null ? [own] : [],
  )
  const lengths = samples.flatMap(answersOf)
  if (lengths.length === 0) {
    throw new UnfittedRunError(
      'its responses report no usage, so the lengths of requests in tokens are unknown',
    )
  }
  const work = samples.map((own) => new ObservedWork(own, cluster.replicas))
  const estimate = estimateTimes(work.map((own) => own.rows()))
  const full = work.flatMap((own) => own.fullBatches(estimate.times))
  const hasSeenLimit = full.length >= minFull
  const seenBatch = Math.ceil(maxInFlight(report) / cluster.replicas) + 1
  const maxSequences = hasSeenLimit ? fullBatchOf(full, cluster.replicas) : seenBatch
  const error = workError(estimate, demanded ?? lengths, maxSequences)
  // Also if it is not a number.
  if (!(error <= maxWorkError)) {
    throw new UnfittedRunError(
      `it does not separate the times of an iteration, a sequence and a prompt (the work of a request is ${error < 1 ? `known within ${(196 * error).toFixed(0)} %` : 'not known at all'}), so no number of replicas can be computed; measure again with chatgen capacity, streams of different lengths and a longer --budget`,
    )
  }
  const limits = { maxSequences, maxWaiting: maxWaitingOf(report, maxSequences) }
  const { model, reproduced } = calibrate(
    { ...limits, ...estimate.times, prefillMs: 0, spread: 0 },
    loads,
    cluster,
  )
  return {
    ...{ model, lengths, reproduced },
    /** False if no request was seen to wait for a place. */
    hasSeenLimit,
    /** Median of the relative errors of all statistics. */
    typicalError: medianOf(reproduced.map(relativeError)) ?? Number.NaN,
    /** Draws a model from the uncertainty of the fit. */
    drawModel: (draw: Draw): ServiceModel => ({
      ...model,
      ...drawTimes({ ...estimate, times: model }, draw),
    }),
  }
}

/**
 * Batch size of a full replica. Of several, the mean batch is seen, and a request waits for one of them while others
 * have free places or prefill: all are full at the most, which several batches must confirm.
 */
function fullBatchOf(sizes: readonly number[], replicas: number): number {
  const size = replicas === 1 ? medianOf(sizes) : sizes.toSorted((a, b) => b - a)[minFull - 1]
  return Math.round(size ?? 1)
}

/** Requests that may wait beside a full batch; infinite if none was refused for its load. */
function maxWaitingOf(report: CapacityReport, maxSequences: number): number {
  const refuses = report.probes.some(
    ({ valid, perSecond }) =>
      valid && perSecond.shed + perSecond.failed > 0.005 * perSecond.offered,
  )
  if (!refuses || report.policyLimit !== null) return Number.POSITIVE_INFINITY
  return Math.max(maxInFlight(report) + 1, maxSequences) - maxSequences
}

function maxInFlight({ probes }: CapacityReport): number {
  const all = probes.flatMap(({ valid, samples }) => (valid ? (samples?.inFlight ?? []) : []))
  return all.reduce((max, found) => Math.max(max, found), 0)
}

/** Mean error below which the model is left as it is. */
const smallError = 0.08
/** Larger errors count as much: a target that was overloaded for a moment says nothing about the times. */
const maxError = 1
const steps = { first: 1.5, last: 1.08 }
/** Share of the error that a further round must save. */
const minGain = 0.01
/** Start values of what the work beside single requests does not show. */
const usualSpread = 0.3
const minMs = 0.05

const adjusted = [
  'prefillMsPerToken',
  'prefillMs',
  'decodeMs',
  'decodeMsPerSequence',
  'overheadMs',
  'spread',
] as const

/**
 * Adjusts the times of a model until it reproduces the measured latencies: a coordinate search (Hooke & Jeeves, JACM 8,
 * 1961) in which each time is multiplied by smaller and smaller factors. A model that is close already is kept.
 * `reproduced`: the latencies of the measurement as the model predicts them.
 */
function calibrate(start: ServiceModel, loads: readonly MeasuredLoad[], cluster: ClusterOptions) {
  const tried = (model: ServiceModel) => {
    const reproduced = loads.flatMap((load) => reproduce(load, model, cluster))
    const errors = reproduced.map((each) => Math.min(maxError, relativeError(each)))
    return { model, reproduced, error: meanOf(errors) ?? Number.NaN }
  }
  const first = tried(start)
  if (first.error <= smallError) return first
  let best = tried({
    ...start,
    ...{ decodeMs: start.decodeMs + minMs, overheadMs: start.overheadMs + minMs },
    ...{ prefillMs: start.prefillMs + minMs, spread: usualSpread },
  })
  for (let step = steps.first; step > steps.last; step = Math.sqrt(step)) {
    for (let before = Number.POSITIVE_INFINITY; best.error < (1 - minGain) * before; ) {
      before = best.error
      for (const name of adjusted) {
        const [longer, shorter] = [step, 1 / step].map((factor) =>
          tried({ ...best.model, [name]: best.model[name] * factor }),
        )
        for (const other of [longer, shorter]) {
          if (other !== undefined && other.error < best.error) best = other
        }
      }
    }
  }
  return best.error < first.error ? best : first
}

/** Error of a prediction, symmetric for values that are too high and too low. */
function relativeError({ measured, predicted }: Reproduced): number {
  return Math.abs(Math.log(predicted / measured))
}

/** A latency quantile, milliseconds, as it was measured and as the model predicts it. */
type Reproduced = ReturnType<typeof reproduce>[number]

const quantiles = { ttft: [0.5, 0.9, 0.95], tpot: [0.5], e2e: [0.5, 0.9, 0.95] } as const
/** Minimum answers beyond a quantile. */
const minBeyond = 3
const everything = { fromMs: 0, toMs: Number.POSITIVE_INFINITY }

/** Quantiles of one load: its requests are sent to the model at the times at which they were sent. */
function reproduce(load: MeasuredLoad, model: ServiceModel, cluster: ClusterOptions) {
  const samples = load.probes.flatMap((probe) => probe.samples ?? [])
  const replayed = samples.map((own) => {
    const arrivals = answersOf(own).map((answer) => ({ atMs: answer.sentMs, ...answer }))
    return latenciesOf(simulateOpen(model, cluster, arrivals), model.overheadMs, everything)
  })
  return predictedMetrics.flatMap((metric) => {
    const measured = ascending(
      samples.flatMap((own) => own[`${metric}Ms`].filter((ms) => ms !== null)),
    )
    const predicted = ascending(replayed.flatMap((latencies) => [...latencies[metric]]))
    return quantiles[metric]
      .filter((q) => measured.length * (1 - q) >= minBeyond && predicted.length > 0)
      .map((q) => ({
        ...{ load, metric, quantile: q },
        ...{ measured: quantile(measured, q), predicted: quantile(predicted, q) },
      }))
  })
}

/** Probes of about the same load, taken together: requests per second, or clients of a closed loop. */
type MeasuredLoad = ReturnType<typeof together>

/** Rates within this factor are taken together. */
const sameRate = 1.04
/** Minimum number of answers of a usable probe. */
const minAnswers = 8

/** Loads of a capacity report at which the target was measured, from the lowest to the highest. */
function measuredLoads({ probes }: CapacityReport): readonly MeasuredLoad[] {
  const usable = probes
    .filter(({ valid, latencies }) => valid && latencies.some(({ count }) => count >= minAnswers))
    .toSorted((a, b) => sizeOf(a) - sizeOf(b))
  const isSame = (first: CapacityProbe, probe: CapacityProbe) =>
    (first.clients === null) === (probe.clients === null) &&
    sizeOf(probe) <= sizeOf(first) * sameRate
  return groupEqualLoads(usable, isSame).map(together)
}

/** Closed loops, such as the one client of the baseline, come before rates. */
function sizeOf({ clients, rate }: CapacityProbe): number {
  return clients === null ? rate * 1e6 : clients
}

function together(probes: readonly CapacityProbe[]) {
  const users = probes[0]?.clients ?? null
  const kind = users === null ? ('open' as const) : ('closed' as const)
  const logarithms = probes.map(({ rate }) => Math.log(rate))
  return { kind, value: users ?? Math.exp(meanOf(logarithms) ?? Number.NaN), probes }
}
