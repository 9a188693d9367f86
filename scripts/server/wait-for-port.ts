import type { ChildProcess } from 'node:child_process'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export interface PortWait {
  readonly timeoutMs: number
  /** Pause between two tries. */
  readonly everyMs?: number
  /** Server behind the port: the wait ends with it. */
  readonly child?: ChildProcess
  /** Asks whether the server can be used; by default it takes connections. */
  readonly isReady?: () => Promise<boolean>
}

/** Waits for a server on a loopback port; false if it ended before, or the time did. */
export async function waitForPort(
  port: number,
  { timeoutMs, everyMs = 50, child, isReady = () => isListening(port) }: PortWait,
): Promise<boolean> {
  const until = performance.now() + timeoutMs
  while (!(await isReady())) {
    const isRunning = child === undefined || (child.exitCode === null && child.pid !== undefined)
    if (!isRunning || performance.now() >= until) return false
    await sleep(everyMs)
  }
  return true
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}
