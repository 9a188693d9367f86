/** A plan from measurements, a demand and SLOs. */
import type { CapacityReport } from '../../contract/report/capacity.ts'
import type {
  PlanDemand,
  PlanReport,
  PlanScalability,
  PlanService,
} from '../../contract/report/plan.ts'
import type { Slo } from '../load/slo/slo.ts'
import type { Price } from './demand.ts'
import { type FittedModel, fitServiceModel } from './fit/fit.ts'
import { maxSimulated, predictedMetric, UnpredictedMetricError, type Workload } from './predict.ts'
import { fitScalability, rateOf } from './scalability.ts'
import { mean, type RequestLength, saturationRate } from './service-model.ts'
import type { Balance } from './simulation/cluster.ts'
import { type Sizing, type SustainableFactor, sizeCluster } from './sizing.ts'
import { busiest, type DemandTrace, part, requestsWithin, timeLabel } from './trace.ts'

/** A capacity report, and the number of replicas that it measured. */
export interface Measurement {
  readonly file: string
  readonly replicas: number
  readonly report: CapacityReport
}

export type PlannedDemand =
  | { readonly kind: 'rate'; readonly perSecond: number }
  | { readonly kind: 'concurrency'; readonly users: number }
  | { readonly kind: 'trace'; readonly file: string; readonly trace: DemandTrace }

export interface PlanOptions {
  readonly measurements: readonly [Measurement, ...Measurement[]]
  readonly demand: PlannedDemand
  readonly slos: readonly Slo[]
  readonly balance: Balance
  /** A number of replicas that is assessed whatever the answer; null for none. */
  readonly assess: number | null
  readonly price: Price | null
  readonly seed: string
  readonly suite: PlanReport['suite']
  readonly createdAt: Date
}

/** A model that is off by more than this says nothing. */
const maxTypicalError = 0.25

/**
 * @throws UnfittedRunError where no service model can be fitted
 * @throws UnpredictedMetricError where an SLO is of a metric that was not measured, or is not predicted
 */
export function makePlan(options: PlanOptions): PlanReport {
  const { measurements, demand, slos, balance, assess, price, seed } = options
  const smallestSize =
    measurements.toSorted((a, b) => a.replicas - b.replicas)[0] ?? measurements[0]
  checkSlos(slos, smallestSize)
  const { replicas: measuredReplicas } = smallestSize
  const fitted = fitServiceModel(smallestSize.report, { replicas: measuredReplicas, balance })
  const own = demand.kind === 'trace' ? demand.trace.lengths : null
  const lengths = own === null ? fitted.lengths : own.slice(0, maxLengths)
  const { workload, slice } = workloadOf(demand, fitted, lengths)
  const sizing = sizeCluster({ fitted, lengths, workload, slos, balance, seed, assess })
  const { replicas } = sizing
  const scalability = scalabilityOf(options, sizing)
  const isReliable = fitted.typicalError <= maxTypicalError
  return {
    kind: 'plan-report',
    schemaVersion: 1,
    outcome: replicas === null ? 'unattainable' : isReliable ? 'found' : 'unreliable',
    suite: options.suite,
    createdAt: options.createdAt.toISOString(),
    seed,
    slos: slos.map(({ expression }) => expression),
    balance,
    demand: demandRow(demand, sizing, fitted, lengths),
    measured: measurements.map(({ file, replicas: size, report }) => ({
      file,
      baseUrl: report.target.baseUrl,
      startedAt: report.startedAt,
      replicas: size,
      rate: report.result.rate,
      interval: report.result.interval,
      slos: report.config.slos,
    })),
    service: serviceRow(fitted, lengths, own === null ? 'measurement' : 'trace'),
    replicas,
    safeReplicas: sizing.safeReplicas,
    withSpare: replicas === null ? null : replicas + 1,
    sustainable: sustainableRow(demand, sizing.sustainable),
    assessed: assessedRow(options, sizing),
    rows: sizing.rows.map((row) => ({
      ...row,
      costPerHour: price === null ? null : row.replicas * price.perHour,
    })),
    scalability,
    price,
    methods: methodsOf(options, sizing, slice),
    notes: notesOf(options, fitted, own !== null),
  }
}

/** Lengths of a trace that are kept. */
const maxLengths = 20_000

function checkSlos(slos: readonly Slo[], { file, report }: Measurement): void {
  const measured = new Set(
    report.probes.flatMap(({ latencies }) => latencies.map(({ metric }) => metric)),
  )
  for (const slo of slos) {
    const limits = slo.kind === 'latency' ? [slo] : slo.kind === 'goodput' ? (slo.limits ?? []) : []
    for (const { metric } of limits) {
      if (measured.has(predictedMetric(metric))) continue
      throw new UnpredictedMetricError(
        `${slo.expression}: ${file} has no ${metric}: it was measured without streams`,
      )
    }
  }
}

const hourMs = 3_600_000
/** Requests of one replica's share of the peak that are simulated at most. */
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
  // A replica is never given more than it can do for long, so its rate bounds what is simulated.
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

function demandRow(
  demand: PlannedDemand,
  sizing: Sizing,
  fitted: FittedModel,
  lengths: readonly RequestLength[],
): PlanDemand {
  if (demand.kind !== 'trace') return demand
  const { file, trace } = demand
  const { fromMs, toMs } = busiest(trace, hourMs)
  const peakRate = (requestsWithin(trace, fromMs, toMs) / (toMs - fromMs)) * 1000
  const minute = busiest({ pieces: part(trace, fromMs, toMs), durationMs: toMs - fromMs }, 60_000)
  const inMinute = requestsWithin(trace, fromMs + minute.fromMs, fromMs + minute.toMs)
  // Replicas in proportion to the rate, as in the hour of the peak.
  const perReplica =
    sizing.replicas === null ? saturationRate(fitted.model, lengths) : peakRate / sizing.replicas
  const hours = Array.from({ length: Math.ceil(trace.durationMs / hourMs) }, (_, at) => {
    const [from, to] = [at * hourMs, Math.min(trace.durationMs, (at + 1) * hourMs)]
    const requests = requestsWithin(trace, from, to)
    const perSecond = (requests / (to - from)) * 1000
    return {
      fromMs: from,
      label: timeLabel(trace, from),
      requests,
      perSecond,
      replicas: Math.max(perSecond > 0 ? 1 : 0, Math.ceil(perSecond / perReplica - 1e-9)),
    }
  })
  return {
    kind: 'trace',
    file,
    durationMs: trace.durationMs,
    requests: trace.requests,
    peak: {
      fromMs,
      toMs,
      label: `${timeLabel(trace, fromMs)} to ${timeLabel(trace, toMs)}`,
      perSecond: peakRate,
      maxPerSecond: (inMinute / (minute.toMs - minute.fromMs)) * 1000,
    },
    hours,
  }
}

function sustainableRow(
  demand: PlannedDemand,
  sustainable: SustainableFactor | null,
): PlanReport['sustainable'] {
  if (sustainable === null) return null
  const base =
    demand.kind === 'rate'
      ? demand.perSecond
      : demand.kind === 'concurrency'
        ? demand.users
        : peakRateOf(demand.trace)
  const [low, high] = sustainable.interval
  return { value: sustainable.factor * base, interval: [low * base, high * base] }
}

function assessedRow(
  { assess, demand }: PlanOptions,
  { assessed }: Sizing,
): PlanReport['assessed'] {
  if (assess === null) return null
  return { replicas: assess, sustainable: sustainableRow(demand, assessed) }
}

function peakRateOf(trace: DemandTrace): number {
  const { fromMs, toMs } = busiest(trace, hourMs)
  return (requestsWithin(trace, fromMs, toMs) / (toMs - fromMs)) * 1000
}

function serviceRow(
  { model, hasSeenLimit, typicalError, reproduced }: FittedModel,
  lengths: readonly RequestLength[],
  from: 'measurement' | 'trace',
): PlanService {
  const { maxWaiting, ...times } = model
  return {
    ...times,
    maxWaiting: Number.isFinite(maxWaiting) ? maxWaiting : null,
    hasSeenLimit,
    lengths: {
      requests: lengths.length,
      meanPromptTokens: mean(lengths.map(({ promptTokens }) => promptTokens)),
      meanOutputTokens: mean(lengths.map(({ outputTokens }) => outputTokens)),
      from,
    },
    typicalError,
    reproduced: reproduced
      .filter(({ inFlight, predicted }) => inFlight === null && Number.isFinite(predicted))
      .map(({ probes, load, metric, quantile, value, predicted }) => ({
        probes: [...probes],
        load:
          load.kind === 'open'
            ? { kind: 'open' as const, value: load.perSecond }
            : { kind: 'closed' as const, value: load.users },
        statistic: quantile === null ? metric : `${metric}.p${quantile * 100}`,
        measured: value,
        predicted,
      })),
  }
}

function scalabilityOf(
  { measurements, demand, seed }: PlanOptions,
  { replicas }: Sizing,
): PlanScalability | null {
  const sizes = measurements.flatMap(({ replicas: size, report: { result } }) =>
    result.rate === null
      ? []
      : [
          {
            replicas: size,
            rate: result.rate,
            interval: result.interval ?? ([result.rate * 0.9, result.rate * 1.1] as const),
          },
        ],
  )
  if (new Set(sizes.map(({ replicas: size }) => size)).size < 2) return null
  const { status, message, law, predict } = fitScalability(sizes, seed)
  const largest = Math.max(...sizes.map(({ replicas: size }) => size))
  const isExtrapolated = (count: number) => count > 1.5 * largest
  const none = { lambda: null, sigma: null, kappa: null, replicas: null }
  if (law === null || predict === null) {
    return { status, message, ...none, isExtrapolated: false, predictions: [] }
  }
  const wanted =
    demand.kind === 'concurrency'
      ? null
      : demand.kind === 'rate'
        ? demand.perSecond
        : peakRateOf(demand.trace)
  const needed = wanted === null ? null : fewestFor(wanted, (count) => rateOf(law, count))
  const counts = [...sizes.map(({ replicas: size }) => size), replicas ?? 1, needed ?? 1]
  return {
    status,
    message,
    ...law,
    replicas: needed,
    isExtrapolated: needed !== null && isExtrapolated(needed),
    predictions: [...new Set(counts)]
      .toSorted((a, b) => a - b)
      .map((count) => ({
        replicas: count,
        ...predict(count),
        isExtrapolated: isExtrapolated(count),
      })),
  }
}

/** Null where the rate falls again before it is reached. */
function fewestFor(wanted: number, rate: (replicas: number) => number): number | null {
  for (let count = 1; count < 1_000_000; count++) {
    if (rate(count) >= wanted) return count
    if (count > 1 && rate(count) <= rate(count - 1)) return null
  }
  return null
}

function methodsOf(
  { balance, demand }: PlanOptions,
  { replicas }: Sizing,
  slice: { readonly fromMs: number; readonly toMs: number } | null,
): string[] {
  const isOpen = demand.kind !== 'concurrency'
  const cluster =
    balance === 'round-robin' && isOpen
      ? 'discrete-event simulation of one replica with its share of the arrivals, which stands for all behind round robin (exact)'
      : (replicas ?? maxSimulated + 1) <= maxSimulated
        ? 'discrete-event simulation of every replica'
        : `discrete-event simulation of ${maxSimulated} replicas with their share of the load, for all (approximation; the whole waits a little less)`
  return [
    cluster,
    ...(isOpen
      ? ['arrivals: Poisson process']
      : ['closed loop: each user sends the next request at once']),
    ...(demand.kind === 'trace' && slice !== null
      ? [
          `trace: only ${timeLabel(demand.trace, slice.fromMs)} to ${timeLabel(demand.trace, slice.toMs)}, the busiest part of the hour of the peak, is simulated; the other hours are a fluid approximation, in proportion to their rate`,
        ]
      : []),
    'intervals: service models and lengths drawn from the uncertainty of the measurement',
  ]
}

function notesOf(
  { measurements, slos }: PlanOptions,
  { hasSeenLimit, typicalError, model }: FittedModel,
  hasOwnLengths: boolean,
): string[] {
  const notes: string[] = []
  if (typicalError > maxTypicalError) {
    notes.push(
      `the service model misses what was measured by ${(typicalError * 100).toFixed(0)} % (median): the plan is not reliable`,
    )
  }
  if (!hasSeenLimit) {
    notes.push(
      `the measurement never reached the limit of the batch; ${model.maxSequences} sequences, the most that were seen, are taken for it`,
    )
  }
  if (hasOwnLengths) notes.push('lengths of the trace are taken as tokens')
  if (slos.some((slo) => slo.kind === 'goodput' && slo.limits === null)) {
    notes.push('goodput without limits counts every answered request as good')
  }
  for (const { file, report } of measurements) {
    if (report.result.limit === 'policy') {
      notes.push(`${file}: limited by a rate limit, which more replicas may not lift`)
    }
    if (report.outcome !== 'found') notes.push(`${file}: the search ended with "${report.outcome}"`)
    if (report.interrupted) notes.push(`${file}: the search was interrupted`)
  }
  return notes
}
