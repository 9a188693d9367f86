/** A plan from measurements, a demand and SLOs. */
import type { PlanReport } from '../../reports/plan/model.ts'
import { InputError } from '../load/options.ts'
import type { Slo } from '../load/slo/slo.ts'
import {
  demandedRate,
  demandRow,
  type Measurement,
  type PlannedDemand,
  type PlanOptions,
  peakRateOf,
} from './demand.ts'
import {
  basisOf,
  caveatOf,
  maxTypicalError,
  methodsOf,
  notesOf,
  serviceRow,
  worstBasis,
} from './describe.ts'
import { type FittedModel, fitServiceModel } from './fit/fit.ts'
import { predictedMetric, type Workload } from './predict.ts'
import { scalabilityOf } from './scalability.ts'
import { saturationRate } from './simulation/replica.ts'
import type { RequestLength } from './simulation/requests.ts'
import { type SustainableFactor, sizeCluster } from './sizing.ts'
import { busiest, hourMs, part } from './trace.ts'

/**
 * Fewest replicas for a demand; no number if a measurement is invalid, a provisional one if it is undecided.
 * @throws UnfittedRunError if no service model can be fitted
 * @throws InputError if an SLO is of a metric that was not measured, or is not predicted
 */
export function makePlan(options: PlanOptions): PlanReport {
  const { measurements, demand, slos, balance, assess, price, seed } = options
  const basis = worstBasis(measurements)
  if (basis === 'invalid') return { ...headOf(options), ...nothingPlanned(demand) }
  const smallestSize =
    measurements.toSorted((a, b) => a.replicas - b.replicas)[0] ?? measurements[0]
  checkSlos(slos, smallestSize)
  const { replicas: measuredReplicas } = smallestSize
  const own = demand.kind === 'trace' ? (demand.trace.lengths?.slice(0, maxLengths) ?? null) : null
  const cluster = { replicas: measuredReplicas, balance }
  const fitted = fitServiceModel(smallestSize.report, cluster, own)
  const lengths = own ?? fitted.lengths
  const { workload, slice } = workloadOf(demand, fitted, lengths)
  const sizing = sizeCluster({ fitted, lengths, workload, slos, balance, seed, assess })
  const { replicas } = sizing
  const scalability = scalabilityOf(options, sizing)
  const isReliable = fitted.typicalError <= maxTypicalError
  const outcome = replicas === null ? 'unattainable' : isReliable ? 'found' : 'unreliable'
  return {
    ...headOf(options),
    outcome: basis === 'undecided' ? 'provisional' : outcome,
    // Replicas of each hour in proportion to its rate, as in the hour of the peak.
    demand: demandRow(
      demand,
      replicas === null || demand.kind !== 'trace'
        ? saturationRate(fitted.model, lengths)
        : peakRateOf(demand.trace) / replicas,
    ),
    service: serviceRow(fitted, lengths, own === null ? 'measurement' : 'trace'),
    replicas,
    safeReplicas: sizing.safeReplicas,
    withSpare: replicas === null ? null : replicas + 1,
    sustainable: sustainableRow(demand, sizing.sustainable),
    assessed:
      assess === null
        ? null
        : { replicas: assess, sustainable: sustainableRow(demand, sizing.assessed) },
    rows: sizing.rows.map((row) => ({
      ...row,
      costPerHour: price === null ? null : row.replicas * price.perHour,
    })),
    scalability,
    methods: methodsOf(options, sizing, slice),
    notes: notesOf(options, fitted, own),
  }
}

/** Fields that follow from the options alone. */
function headOf(options: PlanOptions) {
  const { measurements, slos, balance, price, seed } = options
  return {
    ...({ kind: 'plan-report', schemaVersion: 1 } as const),
    suite: options.suite,
    createdAt: options.createdAt.toISOString(),
    seed,
    slos: slos.map(({ expression }) => expression),
    balance,
    measured: measurements.map((measurement) => {
      const { file, replicas, report } = measurement
      return {
        file,
        baseUrl: report.target.baseUrl,
        startedAt: report.startedAt,
        replicas,
        rate: report.result.rate,
        interval: report.result.interval,
        slos: report.config.slos,
        basis: basisOf(report),
        caveat: caveatOf(measurement),
      }
    }),
    price,
  }
}

function nothingPlanned(demand: PlannedDemand): Omit<PlanReport, keyof ReturnType<typeof headOf>> {
  return {
    outcome: 'invalid',
    demand: demandRow(demand, null),
    service: null,
    replicas: null,
    safeReplicas: null,
    withSpare: null,
    sustainable: null,
    assessed: null,
    rows: [],
    scalability: null,
    methods: [],
    notes: [],
  }
}

/** Maximum number of lengths kept of a trace. */
const maxLengths = 20_000

function checkSlos(slos: readonly Slo[], { file, report }: Measurement): void {
  const measured = new Set(
    report.probes.flatMap(({ latencies }) => latencies.map(({ metric }) => metric)),
  )
  for (const slo of slos) {
    const limits = slo.kind === 'latency' ? [slo] : slo.kind === 'goodput' ? (slo.limits ?? []) : []
    for (const { metric } of limits) {
      if (measured.has(predictedMetric(metric))) continue
      throw new InputError(
        `${slo.expression}: ${file} has no ${metric}: it was measured without streams`,
      )
    }
  }
}

/** Maximum number of simulated requests of one replica's share of the peak. */
const maxPeakRequests = 15_000

/** The load that is simulated, and the part of a trace that it is. */
function workloadOf(
  demand: PlannedDemand,
  fitted: FittedModel,
  lengths: readonly RequestLength[],
): { workload: Workload; slice: { fromMs: number; toMs: number } | null } {
  if (demand.kind === 'concurrency') {
    return { workload: { kind: 'closed', users: demand.users }, slice: null }
  }
  if (demand.kind === 'rate') {
    const pieces = [{ fromMs: 0, perSecond: demand.perSecond }]
    return { workload: { kind: 'open', pieces, untilMs: Number.MAX_VALUE }, slice: null }
  }
  const { trace } = demand
  const hour = busiest(trace, hourMs)
  // A replica never gets more than it can sustain, so its rate bounds the simulation.
  const forMs = (maxPeakRequests / saturationRate(fitted.model, lengths)) * 1000
  const within = {
    pieces: part(trace, hour.fromMs, hour.toMs),
    durationMs: hour.toMs - hour.fromMs,
  }
  const inside = busiest(within, forMs)
  const slice = { fromMs: hour.fromMs + inside.fromMs, toMs: hour.fromMs + inside.toMs }
  return {
    workload: {
      kind: 'open',
      pieces: part(trace, slice.fromMs, slice.toMs),
      untilMs: slice.toMs - slice.fromMs,
    },
    slice,
  }
}

function sustainableRow(
  demand: PlannedDemand,
  sustainable: SustainableFactor | null,
): PlanReport['sustainable'] {
  if (sustainable === null) return null
  const base = demand.kind === 'concurrency' ? demand.users : (demandedRate(demand) ?? 0)
  const [low, high] = sustainable.interval
  return { value: sustainable.factor * base, interval: [low * base, high * base] }
}
