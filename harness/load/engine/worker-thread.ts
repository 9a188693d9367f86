import { setFlagsFromString } from 'node:v8'
import { Worker } from 'node:worker_threads'
import type {
  DoneMessage,
  ExitedMessage,
  RecordsMessage,
  WorkerCommand,
  WorkerMessage,
  WorkerSetup,
} from './messages.ts'

/** A worker from the side of the main thread. */
export class WorkerThread extends Worker {
  done: DoneMessage | undefined
  end: ExitedMessage = { type: 'exited' }
  readonly errors: string[] = []
  readonly #ready = Promise.withResolvers<void>()
  readonly #exited = Promise.withResolvers<void>()
  readonly ready = this.#ready.promise
  readonly exited = this.#exited.promise
  #onRecords: (message: RecordsMessage) => void = () => {}

  constructor() {
    setFlagsFromString(`--initial-heap-size=${initialHeapMb}`)
    // V8's single-threaded scavenger pauses for about 1 ms; the parallel one for up to 5 ms on busy CPUs.
    setFlagsFromString('--no-parallel-scavenge')
    // At its full size from the start: `bin/start.cjs` keeps young generations from growing.
    setFlagsFromString(`--min-semi-space-size=${maxYoungGenerationSizeMb / 3}`)
    super(workerFile, { resourceLimits: { maxYoungGenerationSizeMb } })
    this.on('message', (message: WorkerMessage) => this.#receive(message))
    this.on('error', (error) => {
      this.errors.push(error instanceof Error ? (error.stack ?? error.message) : String(error))
    })
    this.on('exit', () => this.#exit())
  }

  prepare(setup: WorkerSetup, onRecords: (message: RecordsMessage) => void): void {
    this.#onRecords = onRecords
    this.post({ type: 'prepare', setup })
  }

  post(command: WorkerCommand): void {
    this.postMessage(command)
  }

  #receive(message: WorkerMessage): void {
    switch (message.type) {
      case 'ready':
        this.#ready.resolve()
        return
      case 'records':
        this.#onRecords(message)
        return
      case 'done':
        this.done = message
        return
      case 'error':
        this.errors.push(message.message)
        return
      case 'exited':
        this.end = message
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
 * 17 ms; with 256, 500 streams take 290 MB after a minute, and with this 190, at the same precision.
 * The flag applies to heaps created later: those of the workers.
 */
const initialHeapMb = 48

/** A checkout runs the source, the package the compiled files. */
const workerFile = new URL(
  import.meta.url.endsWith('.js') ? './worker.js' : './worker.ts',
  import.meta.url,
)
