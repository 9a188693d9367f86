import type { CapacityReport } from '../../contract/report/capacity/report.ts'
import type { PlanReport } from '../../contract/report/plan.ts'
import type { Slo } from '../load/slo/slo.ts'
import type { Price } from './demand.ts'
import type { Balance } from './simulation/cluster.ts'
import type { DemandTrace } from './trace.ts'

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
