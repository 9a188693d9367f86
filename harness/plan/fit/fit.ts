/** The service model that reproduces a measured run, with its uncertainty. */
import { medianOf } from '../../../contract/averages.ts'
import type { CapacityReport } from '../../../reports/capacity/model/report.ts'
import { standardNormal } from '../../load/plan/random.ts'
import type { ServiceModel } from '../simulation/replica.ts'
import type { RequestLength } from '../simulation/requests.ts'
import type { ClusterOptions } from '../simulation/simulate.ts'
import { type BatchLimit, batchLimitOf, initialTimes } from './initial-guess.ts'
import {
  type MeasuredLoad,
  measuredLengths,
  measuredLoads,
  type Statistic,
} from './measured-probes.ts'
import { type Minimum, minimizeSquares } from './minimize-squares.ts'
import { type Prediction, simulateLoad } from './simulate-load.ts'

/** A statistic as it was measured and as the model predicts it. */
export interface Reproduced extends Statistic {
  readonly load: MeasuredLoad['load']
  readonly probes: readonly number[]
  readonly predicted: number
  /** Standard deviation of one such measurement by chance, relative to the value. */
  readonly deviation: number
}

export interface FittedModel {
  readonly model: ServiceModel
  readonly lengths: readonly RequestLength[]
  /** False if no request was seen to wait for a place. */
  readonly hasSeenLimit: boolean
  readonly reproduced: readonly Reproduced[]
  /** Median of the relative errors of all statistics. */
  readonly typicalError: number
  /** Draws a model from the uncertainty of the fit. */
  readonly drawModel: (draw: () => number) => ServiceModel
}

/** A measured run to which no service model can be fitted. */
export class UnfittedRunError extends Error {
  override readonly name = 'UnfittedRunError'
}

interface Effort {
  /** Repetitions of each load. */
  readonly runs: number
  readonly iterations: number
}

/** Effort to compare models, and for the last fit. */
const coarse: Effort = { runs: 2, iterations: 2 }
const fine: Effort = { runs: 6, iterations: 6 }
/** Minimum relative error of a model, however many requests were measured. */
const modelError = 0.03

/**
 * Fits the times of the model by least squares of logarithms, for several batch limits, and keeps the best.
 * If a model without a limit explains the run as well, the largest number of requests seen in flight is the
 * largest known batch.
 * @param cluster replicas of the measured run
 * @throws UnfittedRunError if too little was measured
 */
export function fitServiceModel(report: CapacityReport, cluster: ClusterOptions): FittedModel {
  const loads = measuredLoads(report)
  const lengths = measuredLengths(report)
  if (loads.length < 2) {
    throw new UnfittedRunError(
      `${loads.length === 0 ? 'no probe' : 'only one rate'} of it can be used; a service model takes two rates`,
    )
  }
  if (lengths.length === 0) {
    throw new UnfittedRunError(
      'its answers tell no usage, so the lengths of requests in tokens are unknown',
    )
  }
  const samples = report.probes.flatMap((probe) => probe.samples ?? [])
  const waitingLimit = maxInFlight(report)
  const limitsOf = (maxSequences: number) => ({
    maxSequences,
    maxWaiting:
      waitingLimit === null ? Number.POSITIVE_INFINITY : Math.max(0, waitingLimit - maxSequences),
  })
  const guessAt = (maxSequences: number) =>
    logarithms(initialTimes(samples, maxSequences * cluster.replicas))
  const fitAt = (maxSequences: number, from: readonly number[], effort: Effort) => {
    const limits = limitsOf(maxSequences)
    const residuals = (parameters: readonly number[]) => [
      ...loads.flatMap((load, at) => {
        const model = modelOf(parameters, limits)
        const predicted = simulateLoad(model, load, lengths, cluster, effort.runs)
        return residualsOf(load, predicted, errors[at] ?? [])
      }),
      ...parameters.map((value, at) => (value - (from[at] ?? 0)) / priorDeviation),
    ]
    return minimizeSquares(residuals, from, { iterations: effort.iterations, step: 0.05 })
  }
  const batchLimit = cluster.replicas === 1 ? batchLimitOf(samples) : null
  // The random error of a measurement comes from the first guess, so that all models have the same weights.
  const firstLimit = batchLimit?.maxSequences ?? Math.round(maxRunning(report) / cluster.replicas)
  const guess = modelOf(guessAt(firstLimit), limitsOf(firstLimit))
  const errors = loads.map((load) =>
    simulateLoad(guess, load, lengths, cluster, fine.runs).map(({ deviation }, at) => {
      const chance = deviation / Math.sqrt(load.probes.length)
      return Math.hypot(chance, load.statistics[at]?.error ?? 0, modelError)
    }),
  )
  const highest = Math.ceil(Math.max(0, ...inFlightOf(report)) / cluster.replicas) + 1
  const hasSeenLimit = batchLimit === null || batchLimit.waited >= minWaited
  const found = hasSeenLimit
    ? bestLimit(firstLimit, stepOf(batchLimit), (limit) => fitAt(limit, guessAt(limit), coarse))
    : highest
  const limits = limitsOf(found)
  const last = fitAt(found, guessAt(found), fine)
  const model = modelOf(last.parameters, limits)
  const reproduced = loads.flatMap((load) => {
    const predicted = simulateLoad(model, load, lengths, cluster, fine.runs)
    return load.statistics.map((statistic, at) => ({
      ...statistic,
      load: load.load,
      probes: load.probes,
      predicted: Math.exp(predicted[at]?.log ?? Number.NaN),
      deviation: (predicted[at]?.deviation ?? 0) / Math.sqrt(load.probes.length),
    }))
  })
  // Residuals larger than their errors widen the uncertainty of the parameters.
  const degrees = Math.max(1, reproduced.length - last.parameters.length)
  const scale = Math.sqrt(Math.max(1, last.cost / degrees))
  return {
    model,
    lengths,
    hasSeenLimit,
    reproduced,
    typicalError:
      medianOf(reproduced.map(({ value, predicted }) => Math.abs(Math.log(predicted / value)))) ??
      Number.NaN,
    drawModel: (draw) => modelOf(moved(last, scale, draw), limits),
  }
}

const priorDeviation = 1.5

function moved({ parameters, covarianceRoot }: Minimum, scale: number, draw: () => number) {
  const normals = parameters.map(() => standardNormal(draw(), draw()))
  return parameters.map((value, at) => {
    const row = covarianceRoot[at] ?? []
    const change = row.reduce((sum, each, column) => sum + each * (normals[column] ?? 0), 0)
    return value + Math.min(1, Math.max(-1, scale * change))
  })
}

/** Climbs from a limit of the batch to a better neighbor until there is none. */
function bestLimit(first: number, step: number, fitAt: (limit: number) => Minimum): number {
  if (step === 0) return first
  const tried = new Map([[first, fitAt(first).cost]])
  let best = first
  for (let from = Number.NaN; from !== best; ) {
    from = best
    for (const limit of [from + step, from - step]) {
      if (limit < 1 || tried.has(limit) || tried.size >= maxTried) continue
      const { cost } = fitAt(limit)
      tried.set(limit, cost)
      if (cost < (tried.get(best) ?? 0)) best = limit
    }
  }
  return best
}

/** Step of the search for the batch limit; 0 for a small one, which single requests show exactly. */
function stepOf(batchLimit: BatchLimit | null): number {
  if (batchLimit === null) return 1
  return batchLimit.maxSequences <= exactUpTo ? 0 : Math.round(batchLimit.maxSequences / 16)
}

const exactUpTo = 24
const minWaited = 5
const maxTried = 8

/** Sequences that were decoded at the same time on average, at the highest load. */
function maxRunning({ probes }: CapacityReport): number {
  const running = probes
    .filter(({ valid }) => valid)
    .map(({ samples, perSecond }) => {
      const times = (samples?.e2eMs ?? []).flatMap((e2e, at) => {
        const ttft = samples?.ttftMs[at] ?? null
        return e2e === null ? [] : [e2e - (ttft ?? 0)]
      })
      const total = times.reduce((sum, each) => sum + each, 0)
      return times.length === 0 ? 0 : (perSecond.completed * total) / times.length / 1000
    })
  return Math.max(1, ...running)
}

/** Requests in flight that the target never exceeded while it refused others; null if it refused none. */
function maxInFlight(report: CapacityReport): number | null {
  const refuses = report.probes.some(
    ({ valid, perSecond }) =>
      valid && perSecond.shed + perSecond.failed > 0.005 * perSecond.offered,
  )
  if (!refuses || report.policyLimit !== null) return null
  return Math.max(0, ...inFlightOf(report)) + 1
}

function inFlightOf({ probes }: CapacityReport): readonly number[] {
  return probes.flatMap(({ valid, samples }) => (valid ? (samples?.inFlight ?? []) : []))
}

function residualsOf(
  load: MeasuredLoad,
  predicted: readonly Prediction[],
  errors: readonly number[],
): readonly number[] {
  return load.statistics.map(({ value }, at) => {
    const residual = ((predicted[at]?.log ?? Number.NaN) - Math.log(value)) / (errors[at] ?? 1)
    // A gross error counts no more than a large one (Huber).
    return Number.isFinite(residual) ? bounded(residual) : maxResidual
  })
}

const maxResidual = 12

function bounded(residual: number): number {
  const size = Math.abs(residual)
  return size <= 3 ? residual : Math.sign(residual) * Math.min(maxResidual, Math.sqrt(6 * size - 9))
}

function logarithms(times: Omit<ServiceModel, 'maxSequences' | 'maxWaiting'>): readonly number[] {
  const { decodeMs, decodeMsPerSequence, prefillMsPerToken, overheadMs } = times
  return [decodeMs, decodeMsPerSequence, prefillMsPerToken, overheadMs].map(Math.log)
}

function modelOf(
  parameters: readonly number[],
  limits: Pick<ServiceModel, 'maxSequences' | 'maxWaiting'>,
): ServiceModel {
  const [decodeMs = 1, decodeMsPerSequence = 0, prefillMsPerToken = 0, overheadMs = 0] =
    parameters.map(Math.exp)
  return { ...limits, decodeMs, decodeMsPerSequence, prefillMsPerToken, overheadMs }
}
