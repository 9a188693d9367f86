/** Service model whose latencies under load are those that were measured. */
import { meanOf } from '../../../contract/averages.ts'
import type { ServiceModel } from '../simulation/replica.ts'
import {
  ascending,
  type ClusterOptions,
  latenciesOf,
  predictedMetrics,
  quantile,
  simulateOpen,
} from '../simulation/simulate.ts'
import type { MeasuredLoad } from './measured-probes.ts'
import { answersOf } from './observed-work.ts'

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
export function calibrate(
  start: ServiceModel,
  loads: readonly MeasuredLoad[],
  cluster: ClusterOptions,
) {
  const tried = (model: ServiceModel) => {
    const reproduced = loads.flatMap((load) => reproduce(load, model, cluster))
    return { model, reproduced, error: errorOf(reproduced) }
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

function errorOf(reproduced: readonly Reproduced[]): number {
  return meanOf(reproduced.map((each) => Math.min(maxError, relativeError(each)))) ?? Number.NaN
}

/** Error of a prediction, symmetric for values that are too high and too low. */
export function relativeError({ measured, predicted }: Reproduced): number {
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
