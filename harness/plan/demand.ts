import type { CapacityReport } from '../../reports/capacity/model/report.ts'
import type { PlanDemand, PlanReport } from '../../reports/plan/model.ts'
import { InputError } from '../load/options.ts'
import type { Slo } from '../load/slo/slo.ts'
import type { Balance } from './simulation/simulate.ts'
import { busiest, type DemandTrace, hourMs, part, requestsWithin, timeLabel } from './trace.ts'

/** Demand as it is given on the command line. */
type Demand = SteadyDemand | { readonly kind: 'file'; readonly path: string }
type SteadyDemand = Exclude<PlanDemand, { kind: 'trace' }>

/**
 * Reads `concurrency=600`, `rate=90/s`, `rate=5400/min` or the path of a trace.
 * @throws InputError
 */
export function parseDemand(text: string): Demand {
  const given = text.trim()
  const unreadable = (expected: string) =>
    new InputError(`cannot read "${given}": expected ${expected}`)
  const [, name, value = ''] = /^(concurrency|rate)\s*=\s*(.*)$/.exec(given) ?? []
  if (name === 'concurrency') {
    const users = Number(value)
    if (/^\d{1,9}$/.test(value) && users >= 1) return { kind: 'concurrency', users }
    throw unreadable('a whole number of users, such as concurrency=600')
  }
  if (name === 'rate') {
    const [, digits, unit] = /^(\d{1,9}(?:\.\d+)?)\s*\/\s*(s|min|h)$/.exec(value) ?? []
    const perSecond = Number(digits) / (unit === 'h' ? 3600 : unit === 'min' ? 60 : 1)
    if (perSecond > 0) return { kind: 'rate', perSecond }
    throw unreadable('a rate such as rate=90/s, rate=5400/min or rate=300000/h')
  }
  if (given === '' || (/^\w+\s*=/.test(given) && !given.includes('/'))) {
    throw unreadable('concurrency=600, rate=90/s or the file of a trace')
  }
  return { kind: 'file', path: given }
}

/** A price for each replica; its currency is empty if none was given. */
type Price = NonNullable<PlanReport['price']>

/**
 * Reads `2.40/h`, `$2.40/h`, `2.40 EUR/h` or `1750/month`.
 * @throws InputError
 */
export function parsePrice(text: string): Price {
  const [, before = '', digits, after = '', unit] =
    /^([$€£]|[A-Z]{3}\s)?(\d{1,9}(?:\.\d+)?)\s*([$€£]|[A-Z]{3})?\s*\/\s*(h|month)$/.exec(
      text.trim(),
    ) ?? []
  if (digits === undefined) {
    throw new InputError(`cannot read the price "${text}": expected one such as 2.40/h`)
  }
  const perHour = Number(digits) / (unit === 'month' ? hoursPerMonth : 1)
  return { perHour, currency: (before || after).trim() }
}

/** A year has 8,760 hours. */
const hoursPerMonth = 730

/** A capacity report, and the number of replicas that it measured. */
export interface Measurement {
  readonly file: string
  readonly replicas: number
  readonly report: CapacityReport
}

export type PlannedDemand =
  | SteadyDemand
  | { readonly kind: 'trace'; readonly file: string; readonly trace: DemandTrace }

export interface PlanOptions {
  readonly measurements: readonly [Measurement, ...Measurement[]]
  readonly demand: PlannedDemand
  readonly slos: readonly Slo[]
  readonly balance: Balance
  /** Number of replicas to assess in any case; null for none. */
  readonly assess: number | null
  readonly price: Price | null
  readonly seed: string
  readonly suite: PlanReport['suite']
  readonly createdAt: Date
}

/**
 * The demand of a plan; for a trace, its hours and its peak.
 * @param perReplica requests per second of one replica, for the replicas of each hour; null omits the hours
 */
export function demandRow(demand: PlannedDemand, perReplica: number | null): PlanDemand {
  if (demand.kind !== 'trace') return demand
  const { file, trace } = demand
  const { fromMs, toMs } = busiest(trace, hourMs)
  const minute = busiest({ pieces: part(trace, fromMs, toMs), durationMs: toMs - fromMs }, 60_000)
  const inMinute = requestsWithin(trace, fromMs + minute.fromMs, fromMs + minute.toMs)
  const hourCount = perReplica === null ? 0 : Math.ceil(trace.durationMs / hourMs)
  const hours = Array.from({ length: hourCount }, (_, at) => {
    const [from, to] = [at * hourMs, Math.min(trace.durationMs, (at + 1) * hourMs)]
    const requests = requestsWithin(trace, from, to)
    const perSecond = (requests / (to - from)) * 1000
    return {
      fromMs: from,
      label: timeLabel(trace, from),
      requests,
      perSecond,
      replicas: Math.max(perSecond > 0 ? 1 : 0, Math.ceil(perSecond / (perReplica ?? 1) - 1e-9)),
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
      perSecond: peakRateOf(trace),
      maxPerSecond: (inMinute / (minute.toMs - minute.fromMs)) * 1000,
    },
    hours,
  }
}

/** Requests per second of a demand, at its peak; null for users of a closed loop. */
export function demandedRate(demand: PlannedDemand): number | null {
  if (demand.kind === 'concurrency') return null
  return demand.kind === 'rate' ? demand.perSecond : peakRateOf(demand.trace)
}

/** Requests per second in the hour of the peak. */
export function peakRateOf(trace: DemandTrace): number {
  const { fromMs, toMs } = busiest(trace, hourMs)
  return (requestsWithin(trace, fromMs, toMs) / (toMs - fromMs)) * 1000
}
