import { spawn } from 'node:child_process'
import { EventEmitter } from 'node:events'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { ChatgenFailure } from '../../conformance/errors.ts'
import { chatgenBin } from '../../library/chatgen-process.ts'
import { failedOf } from '../check/again.ts'
import { type Live, type LiveMessage, liveVariable } from '../terminal/progress.ts'
import {
  type Checked,
  liveCheck,
  type Result,
  resultsIfAny,
  type Stored,
  withParts,
} from './results.ts'

/** Requirements that a button of the page checks: all, those that failed, or some. */
export type Scope = 'all' | 'failed' | readonly string[]

/** Check with its results folder and flags. */
export interface Run {
  readonly folder: string
  readonly flags: readonly string[]
}

interface Start {
  /** Command and flags. */
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  /** Prints on the terminal of this process; otherwise nothing is printed. */
  readonly isPrinted: boolean
}

export type Runner = (run: Run) => Start

/** The state of the page. One run at a time changes it. */
export class Session {
  /** The first result is that of checks. */
  readonly results: readonly Result[]
  readonly #runner: Runner | null
  /** Emits `change`. */
  readonly changes = new EventEmitter().setMaxListeners(0)
  #running: {
    readonly run: ReturnType<typeof startChild>
    readonly result: Result
    readonly part: string | null
  } | null = null

  constructor(results: readonly Result[], runner: Runner | null) {
    this.results = results
    this.#runner = runner
  }

  get canRun(): boolean {
    return this.#runner !== null
  }

  /** The result that a run changes. */
  get running(): Result | null {
    return this.#running?.result ?? null
  }

  get isWatched(): boolean {
    return this.changes.listenerCount('change') > 0
  }

  /** Starts a check; returns false if a run is under way, or there is nothing to run. */
  start(scope: Scope): boolean {
    const [result] = this.results
    if (this.#runner === null || this.running !== null || result === undefined) return false
    const only = scope === 'failed' ? failedOf(this.checkOf(result)?.report ?? nothing) : scope
    if (only !== 'all' && only.length === 0) return false
    const isWhole = only === 'all' || this.checkOf(result) === null
    const part = isWhole ? null : freePart(result.path)
    const folder = part === null ? result.path : join(result.path, part)
    const flags = only === 'all' ? [] : ['--only', only.join(','), '--report', 'json']
    void this.follow(this.#runner({ folder, flags }), result, part)
    return true
  }

  /** Runs a command whose results are those of a folder, or a part of them; resolves to its exit code. */
  async follow(start: Start, result: Result, part: string | null = null): Promise<number | null> {
    const run = startChild(start, (live) => {
      result.live = live
      this.changes.emit('change')
    })
    this.#running = { run, result, part }
    result.failure = null
    result.live = { report: null, text: 'starting' }
    this.changes.emit('change')
    const { code, failure } = await run.ended
    result.failure = failure ?? (code === null ? 'chatgen was killed' : null)
    const before = startOf(result)
    this.#take(result, part)
    const after = startOf(result)
    // A run that was refused replaces nothing.
    if (part === null && after !== undefined && after !== before) dropParts(result)
    result.live = null
    this.#running = null
    this.changes.emit('change')
    return code
  }

  /** Ends the run, if there is one; its results so far are kept. */
  async stop(): Promise<void> {
    this.#running?.run.interrupt()
    await this.#running?.run.ended
  }

  /** A check as the page shows it: stored or under way, with its parts; null for other results, or none. */
  checkOf(result: Result): Checked | null {
    const { stored, live } = result
    const part = this.#running?.result === result ? this.#running.part : null
    const whole = stored !== null && isCheck(stored) ? stored : null
    const own = live?.report?.kind === 'conformance-report' ? live.report : null
    if (own !== null && part === null) return liveCheck(own, result.path)
    if (whole === null) return null
    const running =
      own === null || part === null
        ? []
        : [{ name: part, ...liveCheck(own, join(result.path, part)) }]
    return withParts(whole, [...result.parts, ...running])
  }

  #take(result: Result, part: string | null): void {
    try {
      const stored = resultsIfAny(part === null ? result.path : join(result.path, part))
      if (part === null) result.stored = stored
      else if (stored !== null && isCheck(stored)) {
        result.parts = [...result.parts, { name: part, ...stored }]
      }
    } catch (error) {
      if (!(error instanceof ChatgenFailure)) throw error
      result.failure ??= error.message
    }
  }
}

const nothing = { requirements: [] }

/** Time of the run that wrote the stored check; undefined without one. */
function startOf({ stored }: Result): string | undefined {
  return stored !== null && isCheck(stored) ? stored.report.startedAt : undefined
}

function dropParts(result: Result): void {
  for (const { name } of result.parts)
    rmSync(join(result.path, name), { recursive: true, force: true })
  result.parts = []
}

function isCheck(stored: Stored): stored is Checked {
  return stored.report.kind === 'conformance-report'
}

function freePart(folder: string): string {
  for (let number = 1; ; number += 1) {
    const name = `part-${number}`
    if (!existsSync(join(folder, name))) return name
  }
}

/** A command of chatgen in a separate process, as on a command line, with its progress. */
function startChild({ args, env, isPrinted }: Start, onLive: (live: Live) => void) {
  const output = isPrinted ? 'inherit' : 'ignore'
  const child = spawn(process.execPath, [chatgenBin, ...args], {
    stdio: ['ignore', output, output, 'ipc'],
    env: { ...env, [liveVariable]: 'ipc' },
  })
  let failure: string | null = null
  child.on('message', (text) => {
    const message: LiveMessage = JSON.parse(String(text))
    if ('live' in message) onLive(message.live)
    else failure = message.failed
  })
  const ended = new Promise<{ code: number | null; failure: string | null }>((resolve) => {
    child.on('error', ({ message }) => resolve({ code: null, failure: message }))
    child.on('close', (code) => resolve({ code, failure }))
  })
  // Results so far are kept, as after Ctrl-C.
  return { ended, interrupt: () => child.kill('SIGINT') }
}
