import { setMaxListeners } from 'node:events'
import { setFlagsFromString } from 'node:v8'
import { Worker } from 'node:worker_threads'
import type { LoadReport } from '../../contract/report/load/report.ts'
import { writePassages } from '../../fixtures/content/passages.ts'
import { createRedactor } from '../client/redaction/redaction.ts'
import { sleep } from './concurrency.ts'
import {
  type DoneMessage,
  type RecordsMessage,
  setupsOf,
  type WorkerCommand,
  type WorkerMessage,
  type WorkerPoolResult,
  type WorkerSetup,
} from './engine/messages.ts'
import { startClockProbeServer } from './generator/clock-probe.ts'
import { RunRecorder } from './metrics/run-metrics.ts'
import type { LoadOptions, LoadProgress } from './options.ts'
import { buildReport } from './report/build-report.ts'
import { RequestsFile } from './requests-file.ts'
import { type Warning, WarningCounter } from './setup/chat-journal.ts'
import { type ClockOffset, targetClock } from './target-clock/target-clock.ts'

export type { LoadOptions, LoadProgress } from './options.ts'

/**
 * One load run, from its plan to its report.
 * @throws PreparationError if the target does not answer while the chats of the run are made.
 */
export async function runLoad(options: LoadOptions): Promise<LoadReport> {
  const { spec, workers, slos, signal, onProgress, onRecord, requestsFile } = options
  const durationMs = spec.durationNs / 1e6
  const stats = new RunRecorder(spec, slos, workers)
  const redact = createRedactor(options.target.secrets).text
  const requests = requestsFile === undefined ? null : new RequestsFile(requestsFile, redact)
  let startNs: bigint | undefined
  let startedAt = new Date()
  // Time and CPU at the last answer; what follows is cleanup.
  let [lateMs, lastedMs] = [0, 0]
  let cpuStart = process.cpuUsage()
  let cpuMs = 0
  let clock: ClockOffset | null | undefined
  setMaxListeners(0, signal)

  const elapsedMs = () =>
    startNs === undefined ? 0 : Number(process.hrtime.bigint() - startNs) / 1e6
  const report = (phase: LoadProgress['phase']) =>
    onProgress({ phase, elapsedMs: elapsedMs(), durationMs, stats, report: reportUntilNow })
  const reportUntilNow = () =>
    buildReport(
      { ...options, signal: AbortSignal.abort() },
      { stats, outcome: unfinished, startedAt, lateMs, lastedMs, cpuMs, clock, notes: [] },
    )
  report('preparing')
  const passages = await writePassages(spec.seed)
  const probeServer = await startClockProbeServer()
  const outcome = await runWorkers(setupsOf(options, passages, probeServer.port), {
    signal,
    whenReady: async () => {
      report('waiting')
      if (options.startAt === null) return
      const untilStart = () => (options.startAt?.getTime() ?? 0) - startLeadMs - Date.now()
      if (untilStart() > clockMs) clock = await targetClock(options.target, signal)
      const wait = untilStart()
      if (wait > 0) await sleep(wait, signal)
      else lateMs = -wait
    },
    onStart: (start) => {
      startNs = start
      startedAt = new Date()
      cpuStart = process.cpuUsage()
    },
    onRecords: (worker, message) => {
      lastedMs = elapsedMs()
      const { user, system } = process.cpuUsage(cpuStart)
      cpuMs = (user + system) / 1000
      stats.add(worker, message)
      requests?.add(message.records)
      if (onRecord !== undefined) for (const record of message.records) onRecord(record)
      report(elapsedMs() < durationMs ? 'running' : 'draining')
    },
  }).finally(() => {
    probeServer.close()
    requests?.close()
  })
  // With too little time before the start, the clock is measured after the end.
  if (clock === undefined && options.shard !== null && !signal.aborted) {
    clock = await targetClock(options.target, signal)
  }
  const notes = requests?.problem === undefined ? [] : [requests.problem]
  return buildReport(options, { stats, outcome, startedAt, lateMs, lastedMs, cpuMs, clock, notes })
}

const noWorkers = { done: [], warnings: [], internalErrors: [] }
const unfinished = { ...noWorkers, chatsLeft: 0, connectionsOpened: 0 }

/** Time that measuring the clock of the target takes at most, if it answers at once. */
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

/**
 * Runs one worker for each setup, from preparation to exit.
 * @throws PreparationError if one of them could not be prepared, after the cleanup of all
 */
export async function runWorkers(
  setups: readonly WorkerSetup[],
  options: WorkerPoolOptions,
): Promise<WorkerPoolResult> {
  const workers = setups.map(
    (setup, index) => new WorkerThread(setup, (message) => options.onRecords(index, message)),
  )
  const stop = () => {
    for (const worker of workers) worker.post({ type: 'stop' })
  }
  options.signal.addEventListener('abort', stop, { once: true })
  try {
    await Promise.all(workers.map(({ ready }) => ready))
    const preparationFailure = workers.find(
      (worker) => worker.preparationFailure !== undefined,
    )?.preparationFailure
    // Chats of the other workers are deleted as after an interrupt.
    if (preparationFailure === undefined) await options.whenReady()
    const startNs = process.hrtime.bigint() + BigInt(startLeadMs * 1_000_000)
    for (const worker of workers) worker.post({ type: 'start', startNs })
    if (options.signal.aborted || preparationFailure !== undefined) stop()
    if (preparationFailure === undefined) options.onStart(startNs)
    await Promise.all(workers.map(({ exited }) => exited))
    if (preparationFailure !== undefined) throw new PreparationError(preparationFailure)
  } finally {
    options.signal.removeEventListener('abort', stop)
    await Promise.all(workers.map((worker) => worker.terminate()))
  }
  return {
    done: workers.flatMap(({ done }) => (done === undefined ? [] : [done])),
    warnings: WarningCounter.of(workers.flatMap(({ warnings }) => warnings)),
    internalErrors: workers.flatMap(({ errors }) => errors),
    chatsLeft: workers.reduce((sum, { chatsLeft }) => sum + chatsLeft, 0),
    connectionsOpened: workers.reduce((sum, { connections }) => sum + connections, 0),
  }
}

class WorkerThread {
  done: DoneMessage | undefined
  warnings: readonly Warning[] = []
  chatsLeft = 0
  connections = 0
  preparationFailure: string | undefined
  readonly errors: string[] = []
  readonly #ready = Promise.withResolvers<void>()
  readonly #exited = Promise.withResolvers<void>()
  readonly #worker: Worker

  constructor(setup: WorkerSetup, onRecords: (message: RecordsMessage) => void) {
    setFlagsFromString(`--initial-heap-size=${initialHeapMb}`)
    // V8's single-threaded scavenger pauses for about 1 ms; the parallel one for up to 5 ms on busy CPUs.
    setFlagsFromString('--no-parallel-scavenge')
    // At its full size from the start: `bin/start.cjs` keeps young generations from growing.
    setFlagsFromString(`--min-semi-space-size=${maxYoungGenerationSizeMb / 3}`)
    this.#worker = new Worker(workerFile, {
      workerData: setup,
      resourceLimits: { maxYoungGenerationSizeMb },
    })
    this.#worker.on('message', (message: WorkerMessage) => this.#receive(message, onRecords))
    this.#worker.on('error', (error) => {
      this.errors.push(error instanceof Error ? (error.stack ?? error.message) : String(error))
      this.#exit()
    })
    this.#worker.on('exit', () => this.#exit())
  }

  get ready(): Promise<void> {
    return this.#ready.promise
  }

  get exited(): Promise<void> {
    return this.#exited.promise
  }

  post(message: WorkerCommand): void {
    this.#worker.postMessage(message)
  }

  async terminate(): Promise<void> {
    await this.#worker.terminate()
  }

  #receive(message: WorkerMessage, onRecords: (message: RecordsMessage) => void): void {
    switch (message.type) {
      case 'ready':
        this.#ready.resolve()
        return
      case 'records':
        onRecords(message)
        return
      case 'done':
        this.done = message
        return
      case 'error':
        this.errors.push(message.message)
        return
      case 'exited':
        this.warnings = message.warnings ?? []
        this.chatsLeft = message.chatsLeft ?? 0
        this.connections = message.connectionsOpened ?? 0
        this.preparationFailure = message.preparationFailure
        this.#exit()
    }
  }

  #exit(): void {
    this.#ready.resolve()
    this.#exited.resolve()
  }
}

/**
 * Size of the young generation. A scavenge of V8's default of 16 MB delays the stamps of reads by 8 to
 * 20 ms; V8 uses a third of it for new objects.
 */
const maxYoungGenerationSizeMb = 6
/**
 * Initial heap. With V8's small default, a full collection runs every four seconds and takes 5 to
 * 17 ms. The flag applies to heaps created later: those of the workers.
 */
const initialHeapMb = 256

/** A checkout runs the source, the package the compiled files. */
const workerFile = new URL(
  import.meta.url.endsWith('.js') ? './engine/worker.js' : './engine/worker.ts',
  import.meta.url,
)
