import type { CapacityProbe } from '../../../contract/report/capacity/probe.ts'
import type { CapacityReport } from '../../../contract/report/capacity/report.ts'
import type { LoadReport } from '../../../contract/report/load/report.ts'
import type { LoadOptions, LoadProgress } from '../../load/options.ts'
import type { PlanSpec } from '../../load/plan/plan.ts'
import type { LoadTarget } from '../../load/target.ts'

/** Options of a load run that all probes share. */
export type ProbeLoad = Pick<
  LoadOptions,
  | 'slos'
  | 'maxRefusals'
  | 'workers'
  | 'warmUpMs'
  | 'drainMs'
  | 'maxInFlight'
  | 'keepAlive'
  | 'maxConnections'
  | 'suite'
>

export interface CapacityOptions {
  readonly load: ProbeLoad
  /** Runs a probe; by default in this process. Baseline and rests always run there. */
  readonly runProbe?: (options: LoadOptions) => Promise<LoadReport>
  readonly target: LoadTarget
  /** Mix, clients that misbehave and races of every probe; its seed is that of the search. */
  readonly plan: Pick<PlanSpec, 'seed' | 'mix' | 'misbehavior' | 'idempotencyRaces'>
  readonly arrival: 'poisson' | 'constant'
  /** Open: searches transactions a second. Closed: clients. */
  readonly loop: 'open' | 'closed'
  readonly min: number
  readonly max: number
  /** Half width of the interval that ends the search, as a share of the rate. */
  readonly precision: number
  /** True if the search may settle for the interval that its budget allows, if that is wider. */
  readonly mayWiden?: boolean
  readonly budgetMs: number
  /** Length of a probe; by default, it follows from the budget and the length of an answer. */
  readonly probeMs?: number | undefined
  /** Share of the found rate at which the target is to be run. */
  readonly headroom: number
  /** Longest wait for the target to be back at its unloaded latency. */
  readonly maxRestMs: number
  /** Opens a run of the search: a numbered probe, or a rest between two, which has no number. */
  readonly openRun: (index: number | null, spec: PlanSpec) => OpenRun
  readonly signal: AbortSignal
  readonly onProgress: (progress: CapacityProgress) => void
  /** Called with a sentence for the user, such as the precision that the budget allows. */
  readonly onMessage?: (sentence: string) => void
}

/** The target with the journal of one run. */
export interface OpenRun {
  readonly target: LoadTarget
  /** Stores the load report; returns its path, relative to the results of the search, and warnings. */
  readonly close: (report: LoadReport | null) => {
    readonly path: string | null
    readonly notes: readonly string[]
  }
}

export interface CapacityProgress {
  readonly phase: 'baseline' | 'probe' | 'rest'
  readonly elapsedMs: number
  readonly budgetMs: number
  readonly probes: readonly CapacityProbe[]
  /** Rate, or clients, of the probe that is running; null in a rest. */
  readonly rate: number | null
  /** Highest load that met and lowest that missed the SLOs. */
  readonly met: number | null
  readonly missed: number | null
  /** Progress of the load run; null before its start. */
  readonly load: LoadProgress | null
  /** The report of a search that is interrupted now. */
  readonly report: () => CapacityReport
}
