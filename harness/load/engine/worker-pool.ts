import { setFlagsFromString } from 'node:v8'
import { Worker } from 'node:worker_threads'
import { type Warning, WarningCounter } from '../setup/chat-journal.ts'
import type { WorkerCommand, WorkerMessage, WorkerSetup } from './messages.ts'

export interface WorkerPoolOptions {
  /** Ends the run early; results so far are kept. */
  readonly signal: AbortSignal
  /** Called once all workers are ready; resolves at the start of the run or shortly before. */
  readonly whenReady: () => Promise<void>
  /** `startNs`: reading of the monotonic clock at time 0 of the records. */
  readonly onStart: (startNs: bigint) => void
  readonly onRecords: (worker: number, message: RecordsMessage) => void
}

/** Periodic report of a worker. */
export type RecordsMessage = Extract<WorkerMessage, { type: 'records' }>
export type DoneMessage = Extract<WorkerMessage, { type: 'done' }>

export interface WorkerPoolResult {
  /** One message for each worker that finished its run. */
  readonly done: readonly DoneMessage[]
  readonly warnings: readonly Warning[]
  readonly internalErrors: readonly string[]
  /** Chats that were not deleted. */
  readonly chatsLeft: number
  /** Connections to the target, those of setup and cleanup included. */
  readonly connectionsOpened: number
}

/** Delay between the start command and the common start of all workers. */
export const startLeadMs = 50
const startLeadNs = BigInt(startLeadMs * 1_000_000)

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
    const startNs = process.hrtime.bigint() + startLeadNs
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
  import.meta.url.endsWith('.js') ? './worker.js' : './worker.ts',
  import.meta.url,
)
