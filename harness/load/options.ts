import type { LoadReport } from '../../contract/report/load/report.ts'
import type { RunRecorder } from './metrics/run-metrics.ts'
import type { Part, PlanSpec } from './plan/plan.ts'
import type { RequestRecord } from './record.ts'
import type { Slo } from './slo/slo.ts'
import type { LoadTarget } from './target.ts'

export interface LoadOptions {
  readonly target: LoadTarget
  readonly spec: PlanSpec
  /** Null sends the whole plan. */
  readonly shard: Part | null
  readonly workers: number
  readonly slos: readonly Slo[]
  /** Share of the requests that may be refused; without it, what `impliedSlos` allows. */
  readonly maxRefusals?: number | undefined
  /** Left out of the measured window; `auto` finds where it ends. */
  readonly warmUpMs: number | 'auto'
  /** Time after the end of the plan, for what is in flight. */
  readonly drainMs: number
  /** Maximum transactions in flight; further arrivals are dropped, which makes the run invalid. */
  readonly maxInFlight: number
  readonly keepAlive: boolean
  /** Maximum number of connections, for which requests queue; unlimited by default. */
  readonly maxConnections?: number | undefined
  /** Wall clock at which the run begins; null begins as soon as it is ready. */
  readonly startAt: Date | null
  /** Error of the generator's timestamps, p99, from which on the run is invalid; by default 20. */
  readonly maxTimestampErrorMs?: number
  /** File for a line for each request; none is written without. */
  readonly requestsFile?: string
  /** Counts violations of expected requirements as those of required ones. */
  readonly strict?: boolean
  readonly suite: LoadReport['suite']
  /** Ends the run early; what was found is reported. */
  readonly signal: AbortSignal
  readonly onProgress: (progress: LoadProgress) => void
  /** Called with the record of each settled request, in the order in which workers report them. */
  readonly onRecord?: (record: RequestRecord) => void
}

export interface LoadProgress {
  readonly phase: 'preparing' | 'waiting' | 'running' | 'draining'
  readonly elapsedMs: number
  readonly durationMs: number
  /** Results so far. */
  readonly stats: RunRecorder
  /** The report of a run that is interrupted now; what only workers know at their end is missing in it. */
  readonly report: () => LoadReport
}

/** Options of a run that says nothing of them: one worker, without SLOs and without end. */
export const defaultLoadOptions = {
  shard: null,
  workers: 1,
  slos: [],
  warmUpMs: 'auto',
  drainMs: 10_000,
  maxInFlight: 10_000,
  keepAlive: true,
  startAt: null,
  onProgress: () => {},
} as const satisfies Partial<LoadOptions>

/**
 * The reason why a connection limit cannot be kept, as a sentence; undefined if it can. Every worker
 * needs a connection to each endpoint, and two for a race, whose requests must overlap.
 */
export function connectionProblem({
  maxConnections,
  workers,
  spec,
  target,
  keepAlive,
}: Pick<LoadOptions, 'maxConnections' | 'workers' | 'target' | 'keepAlive'> & {
  readonly spec: Pick<PlanSpec, 'idempotencyRaces'>
}): string | undefined {
  if (maxConnections === undefined) return undefined
  const endpoints = target.endpoints?.list.length ?? 1
  const sharesConnections = target.network?.httpVersion === 'http2' && keepAlive
  const each = spec.idempotencyRaces > 0 && !sharesConnections ? 2 : 1
  const needed = workers * endpoints * each
  if (maxConnections >= needed) return undefined
  const users = [
    `${workers} ${workers === 1 ? 'worker' : 'workers'}`,
    ...(endpoints === 1 ? [] : [`${endpoints} endpoints`]),
    ...(each === 1 ? [] : ['2 requests of a race']),
  ].join(' x ')
  const advice = [
    `pass --connections ${needed}`,
    ...(workers > 1 && maxConnections >= endpoints * each ? ['fewer --workers'] : []),
    ...(each === 2 && maxConnections >= workers * endpoints ? ['no --races'] : []),
  ].join(' or ')
  return `--connections ${maxConnections} is too few for ${users}: ${advice}`
}
