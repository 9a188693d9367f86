/** The bundled reference server in its own thread, so that it and its judge share no CPU core. */

import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { chatgenBin } from '../../library/chatgen-process.ts'
import { type ChildServer, childServer } from '../../load/child-server.ts'

export interface ReferenceThreadOptions {
  /** Pace as for `chatgen serve --pace`. */
  readonly pace: string
  /** Bearer tokens, one per caller. */
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
  // Later errors are not handled: they end the process as an internal error.
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

export interface BundledServer extends ChildServer {
  readonly key: string
}

/** Ends the server when a parent that is killed closes its end of the pipe. */
const endsWithParent = 'process.stdin.on("close", () => process.exit()).resume()'

/** Starts `chatgen serve` in a separate process, with a generated key. */
export async function bundledServer(flags: readonly string[] = []): Promise<BundledServer> {
  const key = `sk-${randomBytes(24).toString('base64url')}`
  const withParent = ['--import', `data:text/javascript,${encodeURIComponent(endsWithParent)}`]
  const argv = [...withParent, chatgenBin, 'serve', '--port', '0', ...flags]
  return { ...(await childServer(argv, { env: { ...withoutFlags(), CHATGEN_KEY: key } })), key }
}

/** Unsets CHATGEN_ variables such as CHATGEN_FAULT, which are meant for this command, not for the server. */
function withoutFlags(): Record<string, undefined> {
  const names = Object.keys(process.env).filter((name) => name.startsWith('CHATGEN_'))
  return Object.fromEntries(names.map((name) => [name, undefined]))
}
