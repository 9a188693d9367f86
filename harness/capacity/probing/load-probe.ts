/** One load run of a search, observed request by request and ended early where the rest says nothing new. */
import type { LoadReport } from '../../../contract/report/load/report.ts'
import type { LoadProgress } from '../../load/options.ts'
import type { PlanSpec } from '../../load/plan/plan.ts'
import { runLoad } from '../../load/run.ts'
import type { CapacityOptions } from './options.ts'
import { maxTimestampErrorOf, probeLimits } from './probe-limits.ts'
import { ProbeObserver } from './probe-observer.ts'

export interface ProbeRunOptions {
  /** Null for a rest between probes, which is not reported. */
  readonly index: number | null
  readonly arrival: PlanSpec['arrival']
  readonly durationMs: number
  /** Ends the run after this number of requests. */
  readonly maxRequests?: number
  /** True for a probe that may be given up once it is hopeless. */
  readonly mayGiveUp?: boolean
  /** True for a probe that shards may send. */
  readonly isDistributed?: boolean
  readonly onProgress?: (progress: LoadProgress) => void
}

export interface ProbeRun {
  readonly report: LoadReport
  readonly observer: ProbeObserver
  /** Reason of an early stop; null for a run of full length. */
  readonly stopped: string | null
  /** Path of the stored load report. */
  readonly path: string | null
  readonly notes: readonly string[]
}

/** @throws PreparationError where the target does not answer while the chats of the run are made */
export async function runLoadProbe(
  options: CapacityOptions,
  {
    index,
    arrival,
    durationMs,
    maxRequests,
    mayGiveUp,
    isDistributed,
    onProgress,
  }: ProbeRunOptions,
): Promise<ProbeRun> {
  const { plan, load, signal } = options
  const spec: PlanSpec = {
    ...plan,
    seed: `${plan.seed}-${index ?? 'rest'}`,
    arrival,
    durationNs: durationMs * 1e6,
  }
  const observer = new ProbeObserver(probeLimits(load.slos, load.maxRefusals))
  const ending = new AbortController()
  let stopped: string | null = null
  const stop = (reason: string) => {
    stopped ??= reason
    ending.abort()
  }
  const run = options.openRun(index, spec)
  const send = isDistributed ? (options.runProbe ?? runLoad) : runLoad
  let report: LoadReport | null = null
  try {
    report = await send({
      ...load,
      target: run.target,
      spec,
      shard: null,
      startAt: null,
      maxTimestampErrorMs: maxTimestampErrorOf(load.slos),
      signal: AbortSignal.any([signal, ending.signal]),
      onRecord: (record) => {
        observer.add(record)
        if (observer.size === maxRequests) ending.abort()
      },
      onProgress: (progress) => {
        onProgress?.(progress)
        const hopeless = mayGiveUp === true && !ending.signal.aborted ? observer.hopeless() : null
        if (hopeless !== null && progress.phase === 'running') {
          stop(`more than half of the requests are over ${hopeless}`)
        }
      },
    })
  } finally {
    if (report === null) run.close(null)
  }
  const { path, notes } = run.close(report)
  return { report, observer, stopped: signal.aborted ? 'interrupted' : stopped, path, notes }
}
