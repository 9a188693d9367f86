import { setMaxListeners } from 'node:events'
import type { LoadReport } from '../../reports/model/load.ts'
import { assemble } from './assemble.ts'
import { sleep } from './engine/sleep.ts'
import type { LoadTarget } from './engine/target.ts'
import { runThreads } from './engine/threads.ts'
import { IdBook } from './judging/integrity.ts'
import { sizeOf } from './plan/needs.ts'
import { type Part, type PlanSpec, partOfWorker } from './plan/plan.ts'
import type { RequestRecord } from './record.ts'

export interface LoadOptions {
  readonly target: LoadTarget
  readonly spec: PlanSpec
  readonly shard: Part | null
  readonly workers: number
  readonly slo: readonly string[]
  /** After the end of the plan, for what is in flight. */
  readonly drainMs: number
  /** More transactions at once are not sent, which makes the run invalid. */
  readonly mostInFlight: number
  readonly keepAlive: boolean
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
  readonly requests: number
  readonly failed: number
}

/** One load run, from its plan to its report. */
export async function runLoad(options: LoadOptions): Promise<LoadReport> {
  const { spec, target, workers, signal, onProgress } = options
  const shard = options.shard ?? { index: 0, of: 1 }
  const durationMs = spec.durationNs / 1e6
  const records: RequestRecord[] = []
  const ids = new IdBook()
  let failed = 0
  let began = performance.now()
  let startedAt = new Date()
  let running = false
  setMaxListeners(0, signal)

  const progress = (phase: LoadProgress['phase']) => {
    const elapsedMs = running ? performance.now() - began : 0
    onProgress({ phase, elapsedMs, durationMs, requests: records.length, failed })
  }
  progress('preparing')
  const setups = Array.from({ length: workers }, (_, index) => {
    const part = partOfWorker(shard, { index, of: workers })
    return {
      target,
      spec,
      part,
      needs: sizeOf(spec, part).needs,
      keepAlive: options.keepAlive,
      drainNs: options.drainMs * 1e6,
      mostInFlight: Math.ceil(options.mostInFlight / workers),
    }
  })
  const outcome = await runThreads(setups, {
    signal,
    mayStart: async () => {
      progress('waiting')
      const wait = (options.startAt?.getTime() ?? 0) - Date.now()
      if (wait > 0) await sleep(wait, signal)
    },
    onStart: () => {
      running = true
      startedAt = new Date()
      began = performance.now()
    },
    onRecords: (more, moreIds) => {
      for (const record of more) {
        records.push(record)
        if ('detail' in record.outcome) failed += 1
      }
      for (const id of moreIds) ids.add(id)
      progress(performance.now() - began < durationMs ? 'running' : 'draining')
    },
  })
  const lasted = running ? performance.now() - began : 0
  return assemble(options, {
    records,
    ids,
    outcome,
    startedAt,
    durationMs: Math.min(lasted, durationMs),
  })
}
