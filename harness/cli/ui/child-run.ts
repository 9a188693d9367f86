import { type ChildProcess, spawn } from 'node:child_process'
import { chatgenBin } from '../../library/chatgen-process.ts'
import { type Live, type LiveMessage, liveVariable } from './live.ts'

export interface ChildRunOptions {
  /** Command and flags. */
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  /** Prints on the terminal of this process; otherwise nothing is printed. */
  readonly isPrinted: boolean
  readonly onLive: (live: Live) => void
}

/** A command of chatgen in a process of its own, as on a command line; its progress comes with it. */
export class ChildRun {
  readonly ended: Promise<{ readonly code: number | null; readonly failure: string | null }>
  readonly #child: ChildProcess

  constructor({ args, env, isPrinted, onLive }: ChildRunOptions) {
    const output = isPrinted ? 'inherit' : 'ignore'
    this.#child = spawn(process.execPath, [chatgenBin, ...args], {
      stdio: ['ignore', output, output, 'ipc'],
      env: { ...env, [liveVariable]: 'ipc' },
    })
    let failure: string | null = null
    this.#child.on('message', (text) => {
      const message: LiveMessage = JSON.parse(String(text))
      if ('live' in message) onLive(message.live)
      else failure = message.failed
    })
    this.ended = new Promise((resolve) => {
      this.#child.on('error', (error) => resolve({ code: null, failure: error.message }))
      this.#child.on('close', (code) => resolve({ code, failure }))
    })
  }

  /** Interrupts it, as Ctrl-C does: results so far are kept. */
  stop(): void {
    this.#child.kill('SIGINT')
  }
}
