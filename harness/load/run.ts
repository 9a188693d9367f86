import { setMaxListeners } from 'node:events'
import { writePassages } from '../../fixtures/content/passages.ts'
import type { LoadReport } from '../../reports/load/model/report.ts'
import { createRedactor } from '../client/redaction/redaction.ts'
import { sleep } from './clock.ts'
import {
  poolResult,
  type RecordsMessage,
  type WorkerCommand,
  type WorkerPoolResult,
  type WorkerSetup,
  WorkerThread,
} from './engine/worker-thread.ts'
import { startClockProbeServer } from './generator/generator-monitor.ts'
import { RunRecorder } from './metrics/run-metrics.ts'
import type { LoadOptions, LoadProgress } from './options.ts'
import { partOfWorker, partSize, shareOf, wholePlan } from './plan/plan.ts'
import { requestsFile } from './record.ts'
import { buildReport, startOfRun } from './report/build-report.ts'

/**
 * One load run, from its plan to its report.
 * @param threads started earlier, so that they load their modules meanwhile
 * @throws PreparationError if the target does not answer while the chats of the run are made.
 */
export async function runLoad(
  options: LoadOptions,
  threads = startThreads(options.workers),
): Promise<LoadReport> {
  const { spec, slos, signal, onProgress, onRecord, requestsFile: file } = options
  const durationMs = spec.durationNs / 1e6
  const stats = new RunRecorder(spec, slos)
  const redact = createRedactor(options.target.secrets).text
  const requests = file === undefined ? null : requestsFile(file, redact)
  let notes: readonly string[] = []
  let startNs: bigint | undefined
  let cpuStart = process.cpuUsage()
  const run = startOfRun()
  setMaxListeners(0, signal)
  const measureClock = async () => {
    const { targetClock } = await import('./shards/target-clock.ts')
    run.clock = await targetClock(options.target, signal)
  }

  const elapsedMs = () =>
    startNs === undefined ? 0 : Number(process.hrtime.bigint() - startNs) / 1e6
  const report = (phase: LoadProgress['phase']) =>
    onProgress({ phase, elapsedMs: elapsedMs(), durationMs, stats, report: reportUntilNow })
  const reportUntilNow = () =>
    buildReport(
      { ...options, signal: AbortSignal.abort() },
      { ...run, stats, outcome: poolResult([]), notes: [] },
    )
  report('preparing')
  const probeServer = startClockProbeServer()
  const setups = Promise.all([writePassages(spec.seed), probeServer]).then(([passages, { port }]) =>
    threads.map((_, index) => setupOf(options, index, { passages, clockProbePort: port })),
  )
  const outcome = await runWorkers(threads, setups, {
    signal,
    whenReady: async () => {
      report('waiting')
      if (options.startAt === null) return
      const untilStart = () => (options.startAt?.getTime() ?? 0) - startLeadMs - Date.now()
      if (untilStart() > clockMs) await measureClock()
      const wait = untilStart()
      if (wait > 0) await sleep(wait, signal)
      else run.lateMs = -wait
    },
    onStart: (start) => {
      startNs = start
      run.startedAt = new Date()
      cpuStart = process.cpuUsage()
    },
    onRecords: (worker, message) => {
      run.lastedMs = elapsedMs()
      const { user, system } = process.cpuUsage(cpuStart)
      run.cpuMs = (user + system) / 1000
      stats.add(worker, message)
      requests?.add(message.records)
      if (onRecord !== undefined) for (const record of message.records) onRecord(record)
      report(elapsedMs() < durationMs ? 'running' : 'draining')
    },
  }).finally(() => {
    notes = requests?.problems() ?? []
    return probeServer.then(({ close }) => close())
  })
  // With too little time before the start, the clock is measured after the end.
  if (run.clock === undefined && options.shard !== null && !signal.aborted) {
    await measureClock()
  }
  return buildReport(options, { ...run, stats, outcome, notes })
}

/** Setup of a worker, with its part of the plan. */
function setupOf(
  options: LoadOptions,
  index: number,
  shared: Pick<WorkerSetup, 'passages' | 'clockProbePort'>,
): WorkerSetup {
  const { spec, target, workers, keepAlive, maxConnections, shard } = options
  const worker = { index, of: workers }
  const part = partOfWorker(shard ?? wholePlan, worker)
  return {
    ...{ ...shared, target, spec, part, keepAlive },
    needs: partSize(spec, part).needs,
    ...(maxConnections === undefined ? {} : { maxConnections: shareOf(maxConnections, worker) }),
    drainNs: options.drainMs * 1e6,
    maxInFlight: Math.ceil(options.maxInFlight / workers),
  }
}

/** Maximum time to measure the clock of the target, if it answers at once. */
const clockMs = 6000

interface WorkerPoolOptions {
  /** Ends the run early; results so far are kept. */
  readonly signal: AbortSignal
  /** Called once all workers are ready; resolves at the start of the run or shortly before. */
  readonly whenReady: () => Promise<void>
  /** `startNs`: reading of the monotonic clock at time 0 of the records. */
  readonly onStart: (startNs: bigint) => void
  readonly onRecords: (worker: number, message: RecordsMessage) => void
}

/** Delay between the start command and the common start of all workers. */
const startLeadMs = 50

/** The run could not be prepared; the message is a sentence about the target. */
export class PreparationError extends Error {
  override readonly name = 'PreparationError'
}

/** Starts threads for the workers of a run, which load their modules meanwhile; end them if no run uses them. */
export function startThreads(count: number): readonly WorkerThread[] {
  return Array.from({ length: count }, () => new WorkerThread())
}

/**
 * Runs a worker in each thread, from preparation to exit.
 * @throws PreparationError, or Error if a thread failed to start; after the cleanup of all
 */
export async function runWorkers(
  workers: readonly WorkerThread[],
  setups: Promise<readonly WorkerSetup[]>,
  options: WorkerPoolOptions,
): Promise<WorkerPoolResult> {
  const postAll = (command: WorkerCommand) => {
    for (const worker of workers) worker.post(command)
  }
  const stop = () => postAll({ type: 'stop' })
  options.signal.addEventListener('abort', stop, { once: true })
  try {
    const prepared = await setups
    for (const [index, worker] of workers.entries()) {
      const setup = prepared[index]
      if (setup === undefined) continue
      worker.onRecords = (message) => options.onRecords(index, message)
      worker.post({ type: 'prepare', setup })
    }
    await Promise.all(workers.map(({ ready }) => ready))
    const [failure] = workers.flatMap(failureOf)
    // Chats of the other workers are deleted as after an interrupt.
    if (failure === undefined) await options.whenReady()
    const startNs = process.hrtime.bigint() + BigInt(startLeadMs * 1_000_000)
    postAll({ type: 'start', startNs })
    if (options.signal.aborted || failure !== undefined) stop()
    if (failure === undefined) options.onStart(startNs)
    await Promise.all(workers.map(({ exited }) => exited))
    if (failure !== undefined) throw failure
  } finally {
    options.signal.removeEventListener('abort', stop)
    await Promise.all(workers.map((worker) => worker.terminate()))
  }
  return poolResult(workers)
}

function failureOf({
  end: { preparationFailure: reason },
  errors: [error],
}: WorkerThread): Error[] {
  if (reason !== undefined) return [new PreparationError(reason)]
  return error === undefined ? [] : [new Error(`a load worker failed to start: ${error}`)]
}
