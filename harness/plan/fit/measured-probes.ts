import type {
  CapacityProbe,
  ProbeLatency,
  ProbeSamples,
} from '../../../reports/capacity/model/probe.ts'
import type { CapacityReport } from '../../../reports/capacity/model/report.ts'
import type { PlanMeasurement } from '../../../reports/plan/model.ts'
import { groupEqualLoads } from '../../capacity/report/frontier.ts'
import type { Measurement } from '../demand.ts'
import type { RequestLength } from '../simulation/requests.ts'
import { type PredictedMetric, predictedMetrics, quantile } from '../simulation/simulate.ts'

/** A figure of a probe that a service model must reproduce. */
export interface Statistic {
  /** `completed`: answers a second. */
  readonly metric: PredictedMetric | 'completed'
  /** 0.95 for a p95; null for a rate. */
  readonly quantile: number | null
  /** Requests that found this number in flight, both ends included; null for all. */
  readonly inFlight: readonly [from: number, to: number] | null
  readonly value: number
  /** Relative error due to the number of its requests; 0 if they are many. */
  readonly error: number
}

type ProbeLoad =
  | {
      readonly kind: 'open'
      readonly perSecond: number
      readonly process: 'poisson' | 'constant'
    }
  | { readonly kind: 'closed'; readonly users: number }

/** Probes of about the same load, taken together. */
export interface MeasuredLoad {
  readonly load: ProbeLoad
  readonly durationMs: number
  /** Indexes of the probes in their report. */
  readonly probes: readonly number[]
  readonly statistics: readonly Statistic[]
}

/** Rates within this factor are taken together. */
const sameRate = 1.04
/** Minimum number of answers of a usable probe. */
const minAnswers = 8

/** Loads of a capacity report at which the target was measured, from the lowest to the highest. */
export function measuredLoads({ probes, config }: CapacityReport): readonly MeasuredLoad[] {
  const usable = probes
    .filter(({ valid, latencies }) => valid && latencies.some(({ count }) => count >= minAnswers))
    .toSorted((a, b) => sizeOf(a) - sizeOf(b))
  const isSame = (first: CapacityProbe, probe: CapacityProbe) =>
    (first.clients === null) === (probe.clients === null) &&
    sizeOf(probe) <= sizeOf(first) * sameRate
  return groupEqualLoads(usable, isSame).map((group) => together(group, config.arrival))
}

/** Closed loops, such as the one client of the baseline, come before rates. */
function sizeOf({ clients, rate }: CapacityProbe): number {
  return clients === null ? rate * 1e6 : clients
}

function together(group: readonly CapacityProbe[], process: 'poisson' | 'constant'): MeasuredLoad {
  const first = group[0]
  const users = first?.clients ?? null
  const all = group.flatMap((probe) => statisticsOf(probe))
  const same = Map.groupBy(all, ({ metric, quantile }) => `${metric} ${quantile}`)
  const samples = group.flatMap((probe) => probe.samples ?? [])
  return {
    load:
      users === null
        ? { kind: 'open', perSecond: geometricMean(group.map(({ rate }) => rate)), process }
        : { kind: 'closed', users },
    durationMs: Math.max(...group.map(({ durationMs }) => durationMs)),
    probes: group.map(({ index }) => index),
    statistics: [...[...same.values()].map(combined), ...byInFlight(samples)],
  }
}

/** Mean of logarithms. */
function combined(same: readonly Statistic[]): Statistic {
  const [{ metric, quantile } = { metric: 'completed' as const, quantile: null }] = same
  return {
    metric,
    quantile,
    inFlight: null,
    value: geometricMean(same.map(({ value }) => value)),
    error: 0,
  }
}

function statisticsOf({ latencies, perSecond }: CapacityProbe): readonly Statistic[] {
  const completed: Statistic = {
    metric: 'completed',
    quantile: null,
    inFlight: null,
    value: perSecond.completed,
    error: 0,
  }
  const rows = predictedMetrics.flatMap((metric) => {
    const clocks = latencies.filter((row) => row.metric === metric)
    const row = clocks.find(({ clock }) => clock === 'response') ?? clocks[0]
    return row === undefined ? [] : quantilesOf(metric, row)
  })
  return [...rows, completed].filter(({ value }) => value > 0)
}

function quantilesOf(metric: PredictedMetric, row: ProbeLatency): readonly Statistic[] {
  const quantiles = metric === 'tpot' ? ([0.5] as const) : ([0.5, 0.9, 0.95] as const)
  return quantiles.flatMap((quantile) => {
    const value = row[names[quantile]]
    return value === null ? [] : [{ metric, quantile, inFlight: null, value, error: 0 }]
  })
}

/** Medians of the requests that found about the same number in flight: they show the limit of the batch. */
function byInFlight(samples: readonly ProbeSamples[]): readonly Statistic[] {
  const requests = samples.flatMap(({ inFlight, ttftMs, tpotMs }) =>
    inFlight.map((found, at) => ({
      found,
      ttft: ttftMs[at] ?? null,
      tpot: tpotMs[at] ?? null,
    })),
  )
  const highest = requests.reduce((max, { found }) => Math.max(max, found), 0)
  return rangesUpTo(highest).flatMap(([from, to]) => {
    const own = requests.filter(({ found }) => found >= from && found <= to)
    return (['ttft', 'tpot'] as const).flatMap((metric) => {
      const values = own.flatMap((request) => request[metric] ?? []).filter((value) => value > 0)
      if (values.length < minAnswers) return []
      const value = quantile(Float64Array.from(values).sort(), 0.5)
      const error = spread[metric] / Math.sqrt(values.length)
      return [{ metric, quantile: 0.5, inFlight: [from, to] as const, value, error }]
    })
  })
}

/** Usual deviation of requests that found the same number in flight, relative to their median. */
const spread = { ttft: 0.5, tpot: 0.15 }

/** One by one at first, then ranges of a tenth. */
function rangesUpTo(highest: number): readonly (readonly [from: number, to: number])[] {
  const ranges: [number, number][] = []
  for (let from = 0; from <= highest; ) {
    const to = from + Math.floor(from / 10)
    ranges.push([from, to])
    from = to + 1
  }
  return ranges
}

const names = { 0.5: 'p50', 0.9: 'p90', 0.95: 'p95' } as const

/** Lengths of requests that were measured; without usage, from their times. */
export function measuredLengths({ probes }: CapacityReport): readonly RequestLength[] {
  return probes.flatMap(({ samples }) => {
    if (samples === null) return []
    return samples.sentMs.flatMap((_, at) => {
      const outputTokens = samples.outputTokens[at] ?? null
      if (outputTokens === null) return []
      return [
        {
          promptTokens: samples.promptTokens[at] ?? 0,
          outputTokens: Math.max(1, outputTokens),
        },
      ]
    })
  })
}

function geometricMean(values: readonly number[]): number {
  return Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length)
}

type Basis = NonNullable<PlanMeasurement['basis']>

const bases: Readonly<Record<CapacityReport['outcome'], Basis>> = {
  found: 'decided',
  'above max': 'decided',
  'below min': 'decided',
  undecided: 'undecided',
  violated: 'undecided',
  unreachable: 'undecided',
  invalid: 'invalid',
}

export function basisOf({ outcome, interrupted }: CapacityReport): Basis {
  const basis = bases[outcome]
  return interrupted && basis === 'decided' ? 'undecided' : basis
}

/** The worst basis of several measurements, which is that of the plan. */
export function worstBasis(measurements: readonly Measurement[]): Basis {
  const all = measurements.map(({ report }) => basisOf(report))
  return (['invalid', 'undecided'] as const).find((basis) => all.includes(basis)) ?? 'decided'
}

/** Reason why a measurement was not decided, with the remedy; null if it was. */
export function caveatOf({ file, report }: Measurement): string | null {
  const basis = basisOf(report)
  return basis === 'decided' ? null : `${file} is ${basis}: ${reasonOf(report)}`
}

function reasonOf({ outcome, interrupted, generator, probes }: CapacityReport): string {
  if (outcome === 'invalid') {
    const held =
      generator.holds === null ? '' : ` (it holds ${generator.holds.toPrecision(3)} req/s)`
    return `the load generator was the bottleneck${held}, so the figures do not describe the target; measure again with chatgen capacity on an idle machine, with more --workers or a lower --max`
  }
  if (interrupted) {
    return 'its search was interrupted; let chatgen capacity run to its end'
  }
  switch (outcome) {
    case 'unreachable':
      return 'the target stopped answering during the search; measure again with chatgen capacity'
    case 'violated': {
      const ids = [...new Set(probes.flatMap(({ violated }) => violated))].join(', ')
      return `requirements were violated under load${ids === '' ? '' : ` (${ids})`}; correct the target and measure again with chatgen capacity`
    }
    default:
      return 'its budget ended before the capacity was known; measure again with chatgen capacity and a longer --budget'
  }
}
