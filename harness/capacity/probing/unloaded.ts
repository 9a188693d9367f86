/** The target without load: its latency before the search, and whether it is back there between probes. */
import { sleep } from '../../load/concurrency.ts'
import { PreparationError } from '../../load/run.ts'
import { type ProbeRun, runLoadProbe } from './load-probe.ts'
import type { CapacityOptions } from './options.ts'

export interface Rest {
  readonly ms: number
  /** True if the target is back at its unloaded latency. */
  readonly recovered: boolean
  /** No request got an answer until the end of the rest. */
  readonly isUnreachable: boolean
  readonly notes: readonly string[]
}

const baselineRequests = 20
const baselineMs = 10_000
const restRequests = 3
/** Target is back where its latency is at most this many times the unloaded one, and so much more. */
const maxSlowdown = 1.5
const slackMs = 5
const firstPauseMs = 500
const maxPauseMs = 4000

/** One client, request by request, for ten seconds or twenty requests. */
export function runBaseline(options: CapacityOptions): Promise<ProbeRun> {
  return runLoadProbe(options, {
    index: 0,
    arrival: { kind: 'closed', concurrency: 1, maxTransactions: baselineRequests },
    durationMs: baselineMs,
    maxRequests: baselineRequests,
  })
}

/** Sends a few requests, with growing pauses, until they take as long as those of an idle target. */
export async function rest(options: CapacityOptions, unloadedMs: number | null): Promise<Rest> {
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
    const { observer, notes: own } = await runLoadProbe(options, {
      index: null,
      arrival: { kind: 'closed', concurrency: 1, maxTransactions: restRequests },
      durationMs: options.maxRestMs,
      maxRequests: restRequests,
    })
    notes.push(...own)
    return (
      observer.medianLatencyMs() ?? (observer.unansweredShare < 1 ? Number.POSITIVE_INFINITY : null)
    )
  } catch (error) {
    if (error instanceof PreparationError) return null
    throw error
  }
}
