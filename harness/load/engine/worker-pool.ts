import { setFlagsFromString } from 'node:v8'
import { Worker } from 'node:worker_threads'
import type { Warnings, WorkerCommand, WorkerMessage, WorkerSetup } from './messages.ts'

export interface WorkerPoolOptions {
  /** Ends the run early; what was found is kept. */
  readonly signal: AbortSignal
  /** When to begin, once all threads are ready; resolves at that moment or shortly before. */
  readonly mayStart: () => Promise<void>
  /** `startNs`: the reading of the monotonic clock that the records call 0. */
  readonly onStart: (startNs: bigint) => void
  readonly onRecords: (worker: number, told: RecordsMessage) => void
}

/** What a thread tells now and then. */
export type RecordsMessage = Extract<WorkerMessage, { type: 'records' }>
export type DoneMessage = Extract<WorkerMessage, { type: 'done' }>

export interface WorkerPoolResult {
  /** One for each thread that came to its end. */
  readonly done: readonly DoneMessage[]
  readonly warnings: Warnings
  readonly internalErrors: readonly string[]
  /** Chats that were made and not deleted. */
  readonly chatsLeft: number
}

/** All threads begin together, so many milliseconds after the word is given. */
export const startLeadMs = 50
const startLeadNs = BigInt(startLeadMs * 1_000_000)

/** The target did not let a run be prepared; the message is a sentence about it. */
export class PreparationError extends Error {
  override readonly name = 'PreparationError'
}

/**
 * Runs one thread for each setup, from their preparation to their end.
 * @throws PreparationError where one of them could not be prepared, once all have tidied up.
 */
export async function runWorkers(
  setups: readonly WorkerSetup[],
  options: WorkerPoolOptions,
): Promise<WorkerPoolResult> {
  const threads = setups.map(
    (setup, index) => new WorkerThread(setup, (told) => options.onRecords(index, told)),
  )
  const stop = () => {
    for (const thread of threads) thread.post({ type: 'stop' })
  }
  options.signal.addEventListener('abort', stop, { once: true })
  try {
    await Promise.all(threads.map(({ ready }) => ready))
    const unprepared = threads.find((thread) => thread.unprepared !== undefined)?.unprepared
    // What the other threads have made is deleted as after a run that is interrupted.
    if (unprepared === undefined) await options.mayStart()
    const startNs = process.hrtime.bigint() + startLeadNs
    for (const thread of threads) thread.post({ type: 'start', startNs })
    if (options.signal.aborted || unprepared !== undefined) stop()
    if (unprepared === undefined) options.onStart(startNs)
    await Promise.all(threads.map(({ gone: exited }) => exited))
    if (unprepared !== undefined) throw new PreparationError(unprepared)
  } finally {
    options.signal.removeEventListener('abort', stop)
    await Promise.all(threads.map((thread) => thread.terminate()))
  }
  return {
    done: threads.flatMap(({ done }) => (done === undefined ? [] : [done])),
    warnings: threads.flatMap(({ troubles }) => troubles),
    internalErrors: threads.flatMap(({ faults }) => faults),
    chatsLeft: threads.reduce((sum, { chatsLeft }) => sum + chatsLeft, 0),
  }
}

class WorkerThread {
  done: DoneMessage | undefined
  troubles: Warnings = []
  chatsLeft = 0
  unprepared: string | undefined
  readonly faults: string[] = []
  readonly #ready = Promise.withResolvers<void>()
  readonly #exited = Promise.withResolvers<void>()
  readonly #worker: Worker

  constructor(setup: WorkerSetup, onRecords: (told: RecordsMessage) => void) {
    setFlagsFromString(`--initial-heap-size=${initialHeapMb}`)
    // Alone a thread copies in 1 ms what several share out in up to 5, when the CPUs are busy.
    setFlagsFromString('--no-parallel-scavenge')
    this.#worker = new Worker(workerFile, {
      workerData: setup,
      resourceLimits: { maxYoungGenerationSizeMb },
    })
    this.#worker.on('message', (message: WorkerMessage) => this.#receive(message, onRecords))
    this.#worker.on('error', (error) => {
      this.faults.push(error instanceof Error ? (error.stack ?? error.message) : String(error))
      this.#exit()
    })
    this.#worker.on('exit', () => this.#exit())
  }

  get ready(): Promise<void> {
    return this.#ready.promise
  }

  get gone(): Promise<void> {
    return this.#exited.promise
  }

  post(message: WorkerCommand): void {
    this.#worker.postMessage(message)
  }

  async terminate(): Promise<void> {
    await this.#worker.terminate()
  }

  #receive(message: WorkerMessage, onRecords: (told: RecordsMessage) => void): void {
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
      case 'fault':
        this.faults.push(message.message)
        return
      case 'gone':
        this.troubles = message.troubles ?? []
        this.chatsLeft = message.chatsLeft ?? 0
        this.unprepared = message.preparationFailure
        this.#exit()
    }
  }

  #exit(): void {
    this.#ready.resolve()
    this.#exited.resolve()
  }
}

/**
 * Many short collections: while one of 16 MB (V8's default) is copied, no read is stamped for 8 to 20 ms.
 * V8 takes a third of it for new objects.
 */
const maxYoungGenerationSizeMb = 6
/**
 * And hardly a long one: V8 would begin with a small heap and collect all of it every four seconds, for
 * 5 to 17 ms. Read where a heap is made, so that it is of threads to come alone.
 */
const initialHeapMb = 256

/** A checkout runs from source, the package from what was compiled. */
const workerFile = new URL(
  import.meta.url.endsWith('.js') ? './worker.js' : './worker.ts',
  import.meta.url,
)
