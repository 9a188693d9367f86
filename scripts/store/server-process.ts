/** `chatgen serve` in a process of its own. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const bin = fileURLToPath(new URL('../../bin/chatgen.cjs', import.meta.url))

export interface ServerProcess {
  readonly url: string
  readonly pid: number
  /** Ends the process with a signal, and waits for its end. */
  end(signal: NodeJS.Signals): Promise<void>
}

/** @throws Error with the output of a server that ends before it listens */
export async function startServer(args: readonly string[]): Promise<ServerProcess> {
  const child = spawn(process.execPath, [bin, 'serve', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(child, 'exit')
  let errors = ''
  child.stderr.on('data', (bytes) => {
    errors = `${errors}${bytes}`.slice(-2000)
  })
  for await (const line of createInterface(child.stdout)) {
    const url = /^Listening on (\S+)$/.exec(line)?.[1]
    if (url === undefined) continue
    child.stdout.resume()
    return { url, pid: child.pid ?? 0, end: (signal) => end(child, ended, signal) }
  }
  throw new Error(`the server ended before it listened: ${errors.trim()}`)
}

async function end(
  child: ChildProcess,
  ended: Promise<unknown>,
  signal: NodeJS.Signals,
): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) child.kill(signal)
  await ended
}
