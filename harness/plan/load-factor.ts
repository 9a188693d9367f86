/** The load that a cluster carries, as a multiple of the demand. */
import type { Slo } from '../load/slo/slo.ts'
import type { PlanOptions } from './demand.ts'
import type { FittedModel } from './fit/fit.ts'
import {
  type PredictedRun,
  type PredictionOptions,
  predictRun,
  predictSlo,
  type Workload,
} from './predict.ts'
import type { RequestLength, ServiceModel } from './service-model.ts'

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
  lengths: readonly RequestLength[],
  replicas: number,
  requests: number,
): number | null {
  const meets = (factor: number) => {
    const workload = scaled(options.workload, factor)
    const run = predict({ ...options, workload }, model, lengths, replicas, requests)
    return keepsAll(options.slos, run)
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
  const pieces = workload.pieces.map((piece) => ({ ...piece, perSecond: piece.perSecond * factor }))
  return { ...workload, pieces }
}

/** Refused requests miss the SLO that every load run has, unless one of errors or goodput is given. */
const maxRefused = 0.01

export function keepsAll(slos: readonly Slo[], run: PredictedRun): boolean {
  const { arrived, refused } = run.latencies
  const speaksOfErrors = slos.some(({ kind }) => kind === 'errors' || kind === 'goodput')
  if (!speaksOfErrors && refused > maxRefused * arrived) return false
  return slos.every((slo) => predictSlo(slo, run).isMet)
}

export function predict(
  { workload, balance, seed }: SizingOptions,
  model: ServiceModel,
  lengths: PredictionOptions['lengths'],
  replicas: number,
  requests: number,
): PredictedRun {
  return predictRun(model, workload, { replicas, balance, lengths, requests, seed })
}
