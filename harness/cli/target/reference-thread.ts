/** The bundled reference server in a thread of its own, so that it and its judge share no CPU core. */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

export interface ReferenceThreadOptions {
  /** Pace as for `chatgen serve --pace`. */
  readonly pace: string
  /** Bearer tokens; each is a caller of its own. */
  readonly keys: readonly string[]
}

export interface ReferenceThread {
  /** URL without a path. */
  readonly url: string
  close(): Promise<void>
}

/** Message of the thread: the server listens, or could not be started. */
export type ReferenceThreadMessage = { readonly url: string } | { readonly failure: string }

/** @throws Error if the server cannot listen */
export async function startReferenceThread(
  options: ReferenceThreadOptions,
): Promise<ReferenceThread> {
  const worker = new Worker(workerFile, { workerData: options })
  const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
  // An error that follows later is nobody's to handle: it ends the process as an internal error.
  const [message]: ReferenceThreadMessage[] = await once(worker, 'message')
  if (message === undefined) throw new Error('the thread of the bundled server said nothing')
  if ('failure' in message) {
    await exited
    throw new Error(message.failure)
  }
  return {
    url: message.url,
    close() {
      worker.postMessage('close')
      return exited
    },
  }
}

/** A checkout runs the source, the package the compiled files. */
const workerFile = new URL(
  import.meta.url.endsWith('.js') ? './reference-worker.js' : './reference-worker.ts',
  import.meta.url,
)
