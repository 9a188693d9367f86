/** A server in a separate process, which shares no event loop with the code that measures it. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

export type ChildServer = Awaited<ReturnType<typeof childServer>>

export class ChildServerError extends Error {
  override readonly name = 'ChildServerError'
  readonly code = 'E_CHILD_SERVER'
}

interface ChildOptions {
  /** Node by default. */
  readonly program?: string
  /** Line for its standard input, which stays open: closing it ends the child. */
  readonly line?: string
  /** Environment; that of this process by default. */
  readonly env?: NodeJS.ProcessEnv
}

/**
 * Starts a program with these arguments and waits for the line `Listening on URL` on its standard output.
 *
 * @throws ChildServerError if it ends before it listens
 */
export async function childServer(
  argv: readonly string[],
  { program = process.execPath, line = '', env = process.env }: ChildOptions = {},
) {
  const child = spawn(program, [...argv], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env,
    // Detached from interruptions: this process stops it once its clients are gone.
    detached: true,
  })
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  const ended = once(child, 'exit')
  let errorOutput = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errorOutput = `${errorOutput}${text}`.slice(-2000)
  })
  child.stdin.on('error', () => {}).write(`${line}\n`)
  for await (const out of createInterface(child.stdout)) {
    const url = /^Listening on (\S+)$/.exec(out)?.[1]
    if (url === undefined) continue
    child.stdout.resume()
    // A URL without a path, such as `http://127.0.0.1:4010`.
    return { url, pid: child.pid ?? 0, stop }
  }
  throw new ChildServerError(`the server ended before it listened: ${errorOutput.trim()}`)

  /** Resolves when the process has ended. */
  async function stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    child.stdin.end()
    child.kill(signal)
    await ended
    process.off('exit', kill)
  }
}
