/**
 * One load run of a search, observed request by request and stopped early if the rest would show nothing new;
 * also the latency of the target without load, before the search and between probes.
 */
import type { CapacityProbe } from '../../../reports/capacity/model/probe.ts'
import type { CapacityReport } from '../../../reports/capacity/model/report.ts'
import type { LoadReport } from '../../../reports/load/model/report.ts'
import { sleep } from '../../load/clock.ts'
import type { LoadOptions, LoadProgress } from '../../load/options.ts'
import type { PlanSpec } from '../../load/plan/plan.ts'
import { PreparationError, runLoad } from '../../load/run.ts'
import type { LoadTarget } from '../../load/target.ts'
import { maxTimestampErrorOf, probeLimits } from './probe-limits.ts'
import { medianLatencyMs, ProbeObserver } from './probe-observer.ts'

interface ProbeRunOptions {
  /** Null for a rest between probes, which is not reported. */
  readonly index: number | null
  readonly arrival: PlanSpec['arrival']
  readonly durationMs: number
  /** Ends the run after this number of requests. */
  readonly maxRequests?: number
  /** Progress of a probe of the search, which shards may send and which ends once it is hopeless. */
  readonly onProgress?: (progress: LoadProgress) => void
}

export type ProbeRun = Awaited<ReturnType<typeof runLoadProbe>>

/** @throws PreparationError if the target does not answer while the chats of the run are made */
export async function runLoadProbe(
  options: CapacityOptions,
  { index, arrival, durationMs, maxRequests, onProgress }: ProbeRunOptions,
) {
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
  const run = options.openRun(index, spec)
  const { runProbe = runLoad } = options
  const send = onProgress === undefined ? runLoad : runProbe
  const report = await send({
    ...load,
    target: run.target,
    spec,
    shard: null,
    startAt: null,
    maxTimestampErrorMs: maxTimestampErrorOf(load.slos),
    signal: AbortSignal.any([signal, ending.signal]),
    onRecord: (record) => {
      observer.add(record)
      if (observer.requests.length === maxRequests) ending.abort()
    },
    onProgress: (progress) => {
      if (onProgress === undefined) return
      onProgress(progress)
      if (progress.phase !== 'running' || ending.signal.aborted) return
      const hopeless = observer.hopeless()
      if (hopeless === null) return
      stopped = `more than half of the requests are over ${hopeless}`
      ending.abort()
    },
  }).catch((error: unknown) => {
    run.close(null)
    throw error
  })
  return {
    report,
    observer,
    /** Reason of an early stop; null for a run of full length. */
    stopped: signal.aborted ? 'interrupted' : stopped,
    ...run.close(report),
  }
}

/**
 * `recovered`: the target is back at its unloaded latency. `isUnreachable`: no request was answered by the end of
 * the rest.
 */
export type Rest = Awaited<ReturnType<typeof rest>>

const baselineRequests = 20
const baselineMs = 10_000
const restRequests = 3
/** Latency of a recovered target: at most this multiple of the unloaded one plus the slack. */
const maxSlowdown = 1.5
const slackMs = 5
const firstPauseMs = 500
const maxPauseMs = 4000

/** Runs one client, request by request, for ten seconds or twenty requests. */
export function runBaseline(options: CapacityOptions): Promise<ProbeRun> {
  return runOneClient(options, { index: 0, durationMs: baselineMs, maxRequests: baselineRequests })
}

function runOneClient(
  options: CapacityOptions,
  run: Pick<ProbeRunOptions, 'index' | 'durationMs'> & { readonly maxRequests: number },
): Promise<ProbeRun> {
  const arrival = { kind: 'closed', concurrency: 1, maxTransactions: run.maxRequests } as const
  return runLoadProbe(options, { ...run, arrival })
}

/** Sends a few requests, with growing pauses, until they take as long as those of an idle target. */
export async function rest(options: CapacityOptions, unloadedMs: number | null) {
  const startedAt = performance.now()
  const elapsed = () => performance.now() - startedAt
  const notes: string[] = []
  let isUnreachable = true
  let pauseMs = firstPauseMs
  while (!options.signal.aborted) {
    const latencyMs = await answerTime(options, notes)
    if (latencyMs !== null) isUnreachable = false
    const recovered =
      latencyMs !== null && (unloadedMs === null || latencyMs <= maxSlowdown * unloadedMs + slackMs)
    if (recovered || elapsed() + pauseMs > options.maxRestMs) {
      return { ms: elapsed(), recovered, isUnreachable, notes }
    }
    await sleep(pauseMs, options.signal)
    pauseMs = Math.min(maxPauseMs, 2 * pauseMs)
  }
  return { ms: elapsed(), recovered: false, isUnreachable: false, notes }
}

/** Median latency of a few requests, one after the other; null if none was answered. */
async function answerTime(options: CapacityOptions, notes: string[]): Promise<number | null> {
  try {
    const run = { index: null, durationMs: options.maxRestMs, maxRequests: restRequests }
    const { observer, notes: own } = await runOneClient(options, run)
    notes.push(...own)
    const { requests } = observer
    const isSilent =
      requests.length > 0 && requests.every(({ outcome }) => unanswered.includes(outcome))
    return medianLatencyMs(requests) ?? (isSilent ? null : Number.POSITIVE_INFINITY)
  } catch (error) {
    if (error instanceof PreparationError) return null
    throw error
  }
}

/** Outcomes of requests without a connection or an answer. */
const unanswered: readonly string[] = ['connect', 'timeout', 'unreadable']

export interface CapacityOptions {
  /** Options of a load run that all probes share. */
  readonly load: Omit<LoadOptions, 'target' | 'spec' | 'signal' | 'onProgress'>
  /** Runs a probe; by default in this process. Baseline and rests always run there. */
  readonly runProbe?: (options: LoadOptions) => Promise<LoadReport>
  readonly target: LoadTarget
  /** Mix, clients that misbehave and races of every probe; its seed is that of the search. */
  readonly plan: Pick<PlanSpec, 'seed' | 'mix' | 'misbehavior' | 'idempotencyRaces'>
  readonly arrival: 'poisson' | 'constant'
  /** Open: searches transactions per second. Closed: clients. */
  readonly loop: 'open' | 'closed'
  readonly min: number
  readonly max: number
  /** Half-width of the interval that ends the search, as a share of the rate. */
  readonly precision: number
  /** True if the search may settle for the interval that its budget allows, if that is wider. */
  readonly mayWiden?: boolean
  readonly budgetMs: number
  /** Length of a probe; by default, it follows from the budget and the length of an answer. */
  readonly probeMs?: number | undefined
  /** Share of the found rate at which the target is to be run. */
  readonly headroom: number
  /** Maximum wait for the target to be back at its unloaded latency. */
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
