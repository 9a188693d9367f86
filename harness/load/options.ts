import type { LoadReport } from '../../reports/load/model/report.ts'
import type { RunRecorder } from './metrics/run-metrics.ts'
import type { Part, PlanSpec } from './plan/plan.ts'
import type { RequestRecord } from './record.ts'
import type { Slo } from './slo/slo.ts'
import type { LoadTarget } from './target.ts'

/** Input that cannot be used, such as an SLO or a report; the message says why, or what to do. */
export class InputError extends Error {
  override readonly name = 'InputError'
}

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
  /** Time after the end of the plan for requests in flight. */
  readonly drainMs: number
  /** Maximum transactions in flight; further arrivals are dropped, which makes the run invalid. */
  readonly maxInFlight: number
  readonly keepAlive: boolean
  /** Maximum number of connections, for which requests queue; unlimited by default. */
  readonly maxConnections?: number | undefined
  /** Wall-clock time of the start; null starts as soon as the run is ready. */
  readonly startAt: Date | null
  /** Timestamp error of the generator, p99, that makes the run invalid; by default 20. */
  readonly maxTimestampErrorMs?: number
  /** File with a line for each request; none by default. */
  readonly requestsFile?: string
  /** Counts violations of expected requirements like those of required ones. */
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
  /** The report if the run is interrupted now; it lacks what workers report only at their end. */
  readonly report: () => LoadReport
}

/** Default options of a run: one worker, without SLOs. */
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
export function connectionProblem(
  options: Pick<LoadOptions, 'maxConnections' | 'workers' | 'target' | 'keepAlive'> & {
    readonly spec: Pick<PlanSpec, 'idempotencyRaces'>
  },
): string | undefined {
  const { maxConnections, workers, spec, target, keepAlive } = options
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
