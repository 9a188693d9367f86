/** The number of replicas for a load, with the uncertainty of the service model. */
import type { PlanRow, PredictedSloRow } from '../../reports/plan/model.ts'
import type { Slo } from '../load/slo/slo.ts'
import { lastWhere } from '../load/statistics/shares.ts'
import {
  keepsAll,
  maxFactorOf,
  type PredictedRun,
  predictRun,
  predictSlo,
  type SizingOptions,
  type Workload,
} from './predict.ts'
import { saturationRate } from './simulation/replica.ts'
import { drawOf, lengthsOf } from './simulation/requests.ts'
import { ascending, quantile } from './simulation/simulate.ts'

/** Load as a multiple of the demand. */
export interface SustainableFactor {
  readonly factor: number
  readonly interval: readonly [number, number]
}

export type Sizing = ReturnType<typeof sizeCluster>

/** Requests in a simulation whose quantiles are shown, in a search for a rate, and in one of a drawn model. */
const exactly = 48_000
const closely = 12_000
const roughly = 4000
/** Models that are drawn from the uncertainty of the fit. */
const draws = 16

/**
 * Rows have no price yet. `replicas` is null if no number of them meets the SLOs, `assessed` also if no number
 * was given to assess.
 */
export function sizeCluster(options: SizingOptions) {
  const meets = (count: number) => keepsAll(options.slos, likelyRun(options, count))
  const [first, last] = rangeOf(options)
  const replicas = smallest(meets, first, last)
  if (replicas === null) {
    const row = rowOf(options, last)
    const rows = [{ ...row, withOneDown: row.verdict }]
    return { replicas: null, safeReplicas: null, rows, sustainable: null, assessed: null }
  }
  const rows = new Map<number, Row>()
  const rowFor = (count: number) => {
    const row = rows.get(count) ?? rowOf(options, count)
    rows.set(count, row)
    return row
  }
  const safeReplicas = smallest((count) => rowFor(count).verdict === 'met', replicas, last, 1.05)
  const { assess } = options
  const sizes = [replicas - 1, replicas, replicas + 1, ...(assess === null ? [] : [assess])]
  if (safeReplicas !== null) sizes.push(safeReplicas, safeReplicas + 1)
  const counts = [...new Set(sizes)].filter((count) => count >= 1).toSorted((a, b) => a - b)
  return {
    replicas,
    safeReplicas,
    rows: counts.map((count) => ({
      ...rowFor(count),
      headroom: count < replicas ? null : headroomOf(options, count),
      withOneDown: count === 1 ? 'missed' : rowFor(count - 1).verdict,
    })),
    sustainable: sustainableOf(options, replicas),
    assessed: assess === null ? null : sustainableOf(options, assess),
  }
}

type Row = Omit<PlanRow, 'costPerHour' | 'withOneDown'>

/** Prediction for a number of replicas, with its uncertainty. */
export function rowOf(options: SizingOptions, replicas: number): Row {
  const { slos, workload } = options
  const run = likelyRun(options, replicas)
  const drawn = drawnModels(options).map(({ model, ...own }) =>
    predictRun(model, workload, { ...options, ...own, replicas, requests: roughly }),
  )
  const slo = slos.map((one) => sloRow(one, run, drawn))
  const { latencies } = run
  const q = (metric: 'ttft' | 'e2e', share: number) => finite(quantile(latencies[metric], share))
  return {
    replicas,
    verdict: worstFirst.find((one) => slo.some(({ verdict }) => verdict === one)) ?? 'met',
    slo,
    ttft: { p50: q('ttft', 0.5), p95: q('ttft', 0.95) },
    e2e: { p50: q('e2e', 0.5), p95: q('e2e', 0.95) },
    refused: latencies.arrived === 0 ? 0 : latencies.refused / latencies.arrived,
    utilization: utilizationOf(options, replicas),
    headroom: null,
  }
}

function sloRow(slo: Slo, run: PredictedRun, drawn: readonly PredictedRun[]): PredictedSloRow {
  const { value, isMet: isLikely, scale, unit, limit } = predictSlo(slo, run)
  const all = drawn.map((each) => predictSlo(slo, each))
  const values = ascending(all.map((each) => each.value))
  const isCertain = all.every((each) => each.isMet === isLikely)
  return {
    expression: slo.expression,
    value: finite(value * scale),
    low: finite(Math.min(value, quantile(values, 0.025)) * scale),
    high: finite(Math.max(value, quantile(values, 0.975)) * scale),
    unit,
    limit,
    verdict: isCertain ? (isLikely ? 'met' : 'missed') : isLikely ? 'likely met' : 'likely missed',
  }
}

const worstFirst = ['missed', 'likely missed', 'likely met'] as const

/** Models and lengths drawn from the uncertainty of the measurement, each with a seed. */
function drawnModels({ fitted, lengths, seed }: SizingOptions) {
  return Array.from({ length: draws }, (_, index) => {
    const nextLength = lengthsOf(lengths, drawOf(seed, 'bootstrap', index))
    return {
      model: fitted.drawModel(drawOf(seed, 'model', index)),
      lengths: lengths.map(nextLength),
      seed: `${seed}/${index}`,
    }
  })
}

/** Multiple of the demand that still meets the SLOs, minus 1; null if the demand itself does not. */
function headroomOf(options: SizingOptions, replicas: number): number | null {
  const factor = likelyFactor(options, replicas)
  return factor === null ? null : Math.max(0, factor - 1)
}

function likelyFactor(options: SizingOptions, replicas: number): number | null {
  return maxFactorOf(options, options.fitted.model, { replicas, requests: closely })
}

function sustainableOf(options: SizingOptions, replicas: number): SustainableFactor | null {
  const factor = likelyFactor(options, replicas)
  if (factor === null) return null
  const factors = drawnModels(options).flatMap(({ model, ...own }) => {
    return maxFactorOf({ ...options, ...own }, model, { replicas, requests: roughly }) ?? []
  })
  const sorted = ascending(factors)
  const [low, high] = [quantile(sorted, 0.025), quantile(sorted, 0.975)]
  return { factor, interval: [Math.min(factor, low), Math.max(factor, high)] }
}

function likelyRun(options: SizingOptions, replicas: number): PredictedRun {
  const size = { ...options, replicas, requests: exactly }
  return predictRun(options.fitted.model, options.workload, size)
}

/** The smallest number from `first` to `last` for which a condition holds; null if it holds for none. */
function smallest(
  holds: (replicas: number) => boolean,
  first: number,
  last: number,
  growth = 1.2,
): number | null {
  let low = first - 1
  let high = first
  while (!holds(high)) {
    if (high >= last) return null
    low = high
    high = Math.min(last, Math.max(high + 1, Math.ceil(high * growth)))
  }
  return lastWhere((replicas) => !holds(replicas), low, high) + 1
}

/** Multiple of the saturated replicas beyond which more gain nothing. */
const maxGrowth = 12

/** Range of replicas that contains the answer, by a fluid approximation. */
function rangeOf(options: SizingOptions): readonly [first: number, last: number] {
  const { workload, fitted } = options
  if (workload.kind === 'closed') {
    const perReplica = 6 * fitted.model.maxSequences
    return [Math.max(1, Math.floor(workload.users / perReplica)), workload.users]
  }
  const first = Math.max(1, Math.ceil(0.9 * (utilizationOf(options, 1) ?? 0)))
  return [first, first * maxGrowth + 20]
}

function utilizationOf(options: SizingOptions, replicas: number): number | null {
  const { workload, fitted, lengths } = options
  if (workload.kind === 'closed') return null
  return meanRate(workload) / (replicas * saturationRate(fitted.model, lengths))
}

function meanRate({ pieces, untilMs }: Extract<Workload, { kind: 'open' }>): number {
  const [first] = pieces
  if (pieces.length === 1 && first !== undefined) return first.perSecond
  const requests = pieces.reduce((sum, { fromMs, perSecond }, at) => {
    return sum + (perSecond * ((pieces[at + 1]?.fromMs ?? untilMs) - fromMs)) / 1000
  }, 0)
  return (requests / untilMs) * 1000
}

function finite(value: number): number | null {
  return Number.isFinite(value) ? value : null
}
