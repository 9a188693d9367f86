/** Latencies of measured requests, and those of the same requests in a service model. */
import type { ServiceModel } from '../simulation/replica.ts'
import {
  type ClusterOptions,
  latenciesOf,
  type PredictedMetric,
  predictedMetrics,
  quantile,
  simulateOpen,
} from '../simulation/simulate.ts'
import type { MeasuredLoad } from './measured-probes.ts'
import { answersOf } from './observed-work.ts'

/** A latency quantile, milliseconds, as it was measured and as the model predicts it. */
export interface Reproduced {
  readonly load: MeasuredLoad
  readonly metric: PredictedMetric
  /** 0.95 for a p95. */
  readonly quantile: number
  readonly measured: number
  readonly predicted: number
}

const quantiles = { ttft: [0.5, 0.9, 0.95], tpot: [0.5], e2e: [0.5, 0.9, 0.95] } as const
/** Minimum answers beyond a quantile. */
const minBeyond = 3
const everything = { fromMs: 0, toMs: Number.POSITIVE_INFINITY }

/** Quantiles of one load: its requests are sent to the model at the times at which they were sent. */
export function reproduce(
  load: MeasuredLoad,
  model: ServiceModel,
  cluster: ClusterOptions,
): readonly Reproduced[] {
  const samples = load.probes.flatMap((probe) => probe.samples ?? [])
  const replayed = samples.map((own) => {
    const arrivals = answersOf(own).map((answer) => ({ atMs: answer.sentMs, ...answer }))
    return latenciesOf(simulateOpen(model, cluster, arrivals), model.overheadMs, everything)
  })
  return predictedMetrics.flatMap((metric) => {
    const measured = ascending(samples.flatMap((own) => own[`${metric}Ms`].filter(isNumber)))
    const predicted = ascending(replayed.flatMap((latencies) => [...latencies[metric]]))
    return quantiles[metric]
      .filter((q) => measured.length * (1 - q) >= minBeyond && predicted.length > 0)
      .map((q) => ({
        ...{ load, metric, quantile: q },
        ...{ measured: quantile(measured, q), predicted: quantile(predicted, q) },
      }))
  })
}

function ascending(values: readonly number[]): Float64Array {
  return Float64Array.from(values).sort()
}

function isNumber(value: number | null): value is number {
  return value !== null
}
