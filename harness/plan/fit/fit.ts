/** The service model that reproduces a measured run, with its uncertainty. */
import { medianOf } from '../../../contract/averages.ts'
import type { CapacityReport } from '../../../reports/capacity/model/report.ts'
import type { Draw } from '../../load/plan/random.ts'
import type { ServiceModel } from '../simulation/replica.ts'
import type { RequestLength } from '../simulation/requests.ts'
import type { ClusterOptions } from '../simulation/simulate.ts'
import { calibrate, relativeError } from './calibrate.ts'
import { measuredLoads } from './measured-probes.ts'
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
      `${loads.length === 0 ? 'no probe' : 'only one rate'} of it can be used; a service model takes two rates`,
    )
  }
  const samples = report.probes.flatMap(({ valid, samples: own }) =>
    valid && own !== null ? [own] : [],
  )
  const lengths = samples.flatMap(answersOf)
  if (lengths.length === 0) {
    throw new UnfittedRunError(
      'its answers tell no usage, so the lengths of requests in tokens are unknown',
    )
  }
  const work = samples.map((own) => new ObservedWork(own, cluster.replicas))
  const estimate = estimateTimes(work.map((own) => own.rows()))
  const full = work.flatMap((own) => own.fullBatches(estimate.times))
  const hasSeenLimit = full.length >= minFull
  const seenBatch = Math.ceil(maxInFlight(report) / cluster.replicas) + 1
  const maxSequences = hasSeenLimit ? fullBatchOf(full, cluster.replicas) : seenBatch
  checkWorkError(workError(estimate, demanded ?? lengths, maxSequences))
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

function checkWorkError(error: number): void {
  if (error <= maxWorkError) return
  throw new UnfittedRunError(
    `it does not tell the times of an iteration, a sequence and a prompt apart (the work of a request is known ${error < 1 ? `within ${(196 * error).toFixed(0)} %` : 'not at all'}), so no number of replicas follows; measure again with chatgen capacity, streams of different lengths and a longer --budget`,
  )
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
