import { setMaxListeners } from 'node:events'
import type { LoadReport } from '../../reports/model/load.ts'
import { assemble } from './assemble.ts'
import { startCanaryServer } from './calibration/canary-server.ts'
import type { WorkerSetup } from './engine/messages.ts'
import { sleep } from './engine/sleep.ts'
import type { LoadTarget } from './engine/target.ts'
import { leadMs, runThreads } from './engine/threads.ts'
import { sizeOf } from './plan/needs.ts'
import { type Part, type PlanSpec, partOfWorker, wholePlan } from './plan/plan.ts'
import { RunBook } from './run-book.ts'
import type { Slo } from './slo/slo.ts'

export interface LoadOptions {
  readonly target: LoadTarget
  readonly spec: PlanSpec
  /** Null sends the whole plan. */
  readonly shard: Part | null
  readonly workers: number
  readonly slos: readonly Slo[]
  /** Left out of the measured window; `auto` finds where it ends. */
  readonly warmUpMs: number | 'auto'
  /** After the end of the plan, for what is in flight. */
  readonly drainMs: number
  /** More transactions at once are not sent, which makes the run invalid. */
  readonly mostInFlight: number
  readonly keepAlive: boolean
  /** What is due waits for a free one; without it, as many as there are requests at once. */
  readonly mostConnections?: number | undefined
  /** Wall clock at which the run begins; null begins as soon as it is ready. */
  readonly startAt: Date | null
  readonly suite: LoadReport['suite']
  /** Ends the run early; what was found is reported. */
  readonly signal: AbortSignal
  readonly onProgress: (progress: LoadProgress) => void
}

export interface LoadProgress {
  readonly phase: 'preparing' | 'waiting' | 'running' | 'draining'
  readonly elapsedMs: number
  readonly durationMs: number
  /** Everything that was recorded so far, for who shows more than numbers. */
  readonly book: RunBook
}

/** One load run, from its plan to its report. */
export async function runLoad(options: LoadOptions): Promise<LoadReport> {
  const { spec, workers, slos, signal, onProgress } = options
  const durationMs = spec.durationNs / 1e6
  const book = new RunBook(spec.durationNs, slos, workers)
  let startNs: bigint | undefined
  let startedAt = new Date()
  let lateMs = 0
  setMaxListeners(0, signal)

  const elapsedMs = () =>
    startNs === undefined ? 0 : Number(process.hrtime.bigint() - startNs) / 1e6
  const tell = (phase: LoadProgress['phase']) =>
    onProgress({ phase, elapsedMs: elapsedMs(), durationMs, book })
  tell('preparing')
  const canary = await startCanaryServer()
  const outcome = await runThreads(setupsOf(options, canary.port), {
    signal,
    mayStart: async () => {
      tell('waiting')
      if (options.startAt === null) return
      const wait = options.startAt.getTime() - leadMs - Date.now()
      if (wait > 0) await sleep(wait, signal)
      else lateMs = -wait
    },
    onStart: (start) => {
      startNs = start
      startedAt = new Date()
    },
    onRecords: (worker, told) => {
      book.take(worker, told)
      tell(elapsedMs() < durationMs ? 'running' : 'draining')
    },
  }).finally(canary.close)
  return assemble(options, { book, outcome, startedAt, lateMs, lastedMs: elapsedMs() })
}

function setupsOf(options: LoadOptions, canaryPort: number): WorkerSetup[] {
  const { spec, target, workers, keepAlive, mostConnections, drainMs, mostInFlight } = options
  const shard = options.shard ?? wholePlan
  return Array.from({ length: workers }, (_, index) => {
    const part = partOfWorker(shard, { index, of: workers })
    return {
      target,
      spec,
      part,
      needs: sizeOf(spec, part).needs,
      keepAlive,
      ...(mostConnections === undefined
        ? {}
        : { mostConnections: Math.ceil(mostConnections / workers) }),
      drainNs: drainMs * 1e6,
      mostInFlight: Math.ceil(mostInFlight / workers),
      canaryPort,
    }
  })
}
