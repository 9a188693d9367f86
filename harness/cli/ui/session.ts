import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { ChatgenFailure } from '../../conformance/errors.ts'
import { chatgenBin } from '../../library/chatgen-process.ts'
import { failedOf } from '../check/failed.ts'
import { type Live, type LiveMessage, liveVariable } from './live.ts'
import {
  type Checked,
  liveCheck,
  type Part,
  resultsIfAny,
  type Stored,
  withParts,
} from './results.ts'

/** Results that the page shows, and the run that changes them. */
export interface Result {
  readonly name: string
  /** Folder, or file of a report. */
  readonly path: string
  stored: Stored | null
  parts: readonly Part[]
  /** Set while a run writes into the folder. */
  live: Live | null
  /** Reason why the last run has no report. */
  failure: string | null
}

export type Scope = 'all' | 'failed' | readonly string[]

type Start = Pick<ChildRunOptions, 'args' | 'env' | 'isPrinted'>

/** Makes the command of a check; `only`: requirement ids, or null for all that the command line selects. */
export type StartCheck = (folder: string, only: readonly string[] | null) => Start

/** The state of the page. One run at a time changes it. */
export class Session {
  /** The first result is that of the runs. */
  readonly results: readonly Result[]
  readonly #startCheck: StartCheck | null
  readonly #listeners = new Set<() => void>()
  #running: { readonly run: ChildRun; readonly part: string | null } | null = null

  constructor(results: readonly Result[], startCheck: StartCheck | null) {
    this.results = results
    this.#startCheck = startCheck
  }

  get canRun(): boolean {
    return this.#startCheck !== null
  }

  get isRunning(): boolean {
    return this.#running !== null
  }

  get isWatched(): boolean {
    return this.#listeners.size > 0
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Checks everything, what failed, or some requirements; false if a run is under way, or there is nothing to check. */
  check(scope: Scope): boolean {
    const [result] = this.results
    if (this.#startCheck === null || this.isRunning || result === undefined) return false
    const only = scope === 'failed' ? failedOf(this.checkOf(result)?.report ?? nothing) : scope
    if (only !== 'all' && only.length === 0) return false
    if (only === 'all' || this.checkOf(result) === null) {
      for (const { name } of result.parts) rmSync(join(result.path, name), { recursive: true })
      result.parts = []
      void this.follow(this.#startCheck(result.path, only === 'all' ? null : only))
      return true
    }
    const name = freeName(result.path)
    void this.follow(this.#startCheck(join(result.path, name), only), name)
    return true
  }

  /** Runs a command whose results are those of the first folder, or a part of them; resolves to its exit code. */
  async follow(start: Start, part: string | null = null): Promise<number | null> {
    const [result] = this.results
    if (result === undefined) return null
    const run = new ChildRun({
      ...start,
      onLive: (live) => {
        result.live = live
        this.#changed()
      },
    })
    this.#running = { run, part }
    result.failure = null
    result.live = { report: null, text: 'starting' }
    this.#changed()
    const { code, failure } = await run.ended
    result.failure = failure ?? (code === null ? 'chatgen was killed' : null)
    this.#take(result, part)
    result.live = null
    this.#running = null
    this.#changed()
    return code
  }

  /** Ends the run, if there is one; its results so far are kept. */
  async stop(): Promise<void> {
    this.#running?.run.stop()
    await this.#running?.run.ended
  }

  /** A check as the page shows it: stored or under way, with its parts; null for other results, or none. */
  checkOf(result: Result): Checked | null {
    const { stored, live } = result
    const part = this.#running?.part ?? null
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

  #changed(): void {
    for (const listener of this.#listeners) listener()
  }
}

const nothing = { requirements: [] }

function isCheck(stored: Stored): stored is Stored & Checked {
  return stored.report.kind === 'conformance-report'
}

function freeName(folder: string): string {
  for (let number = 1; ; number += 1) {
    const name = `part-${number}`
    if (!existsSync(join(folder, name))) return name
  }
}

export interface ChildRunOptions {
  /** Command and flags. */
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  /** Prints on the terminal of this process; otherwise nothing is printed. */
  readonly isPrinted: boolean
  readonly onLive: (live: Live) => void
}

/** A command of chatgen in a separate process, as on a command line, with its progress. */
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
