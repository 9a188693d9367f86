import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { createVitest, type PoolRunnerInitializer, type Reporter, type Vitest } from 'vitest/node'

/**
 * Location of this package: the checkout, or the installed package with its compiled files in
 * `dist`. Scenarios are TypeScript in the one and JavaScript in the other.
 */
const compiled = import.meta.url.endsWith('.js')
const root = fileURLToPath(new URL(compiled ? '../../../..' : '../../..', import.meta.url))
const withoutInterrupt = new URL(`ignore-interrupt.${compiled ? 'js' : 'ts'}`, import.meta.url).href
const entry = compiled ? 'dist/suites/index.scenario.js' : 'suites/index.scenario.ts'

export interface SuiteOptions {
  /** Pool of the worker. Default: a process of its own; a crash of Node there ends a run, not the program. */
  readonly pool?: PoolRunnerInitializer
  /**
   * Loads the suites anew for each run in one thread, through vite, which takes half a second of CPU
   * time. Without it Node loads them, once for each thread.
   */
  readonly reload?: boolean
}

/**
 * vitest over the suites: one worker whose modules stay loaded, everything started at once (the
 * run's own semaphore lets `--jobs` scenarios through), nothing retried and nothing printed.
 */
export async function openSuites(
  reporter: Reporter,
  { pool, reload = false }: SuiteOptions = {},
): Promise<OpenSuites> {
  if (!existsSync(`${root}/${entry}`)) throw new Error(`the suites are missing: ${entry}`)
  const cacheDir = mkdtempSync(join(tmpdir(), 'chatgen-'))
  const restore = saveProcessState()
  const vitest = await createVitest(
    'test',
    {
      config: false,
      root,
      include: [entry],
      exclude: [],
      watch: false,
      reporters: [reporter],
      pool: pool ?? 'forks',
      execArgv: ['--import', withoutInterrupt],
      maxWorkers: 1,
      isolate: false,
      retry: 0,
      testTimeout: 0,
      hookTimeout: 0,
      teardownTimeout: 5_000,
      sequence: { concurrent: true },
      maxConcurrency: 10_000,
      disableConsoleIntercept: true,
      experimental: { viteModuleRunner: reload, nodeLoader: false },
    },
    { cacheDir, logLevel: 'silent' },
    // On a terminal it would hide and show the cursor, whatever kind of terminal it is.
    { stdout: nowhere(), stderr: nowhere() },
  )
  restore.listeners()
  return {
    vitest,
    detachListeners: restore.detachListeners,
    async close() {
      await vitest.close()
      restore.all()
      rmSync(cacheDir, { recursive: true, force: true })
    },
  }
}

function nowhere(): Writable {
  return new Writable({ write: (_chunk, _encoding, done) => done() })
}

export interface OpenSuites {
  readonly vitest: Vitest
  /** Lets vitest report what nobody catches, for the time of a run in this very thread. */
  detachListeners(): () => void
  close(): Promise<void>
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
const lastResorts = ['uncaughtException', 'unhandledRejection'] as const
type ProcessEvent = (typeof signals)[number] | (typeof lastResorts)[number]

/**
 * vitest takes the process for its own: it ends it on a signal, forbids `process.exit`, swallows
 * what nobody catches and sets an exit code. Whoever runs us finds the process as it was.
 */
export function saveProcessState(): {
  /** A run that is interrupted, or that a slip of ours meets, still reports what it found. */
  listeners(): void
  /** vitest reports what nobody catches only if no one else listens; the result listens again. */
  detachListeners(): () => void
  all(): void
} {
  const listeners = new Map(
    [...signals, ...lastResorts].map((event) => [event, process.rawListeners(event)]),
  )
  const { exit, exitCode } = process

  function restore(event: ProcessEvent): void {
    for (const listener of process.rawListeners(event)) {
      if (!listeners.get(event)?.includes(listener)) process.off(event, listener as () => void)
    }
  }

  function restoreAll(): void {
    for (const event of [...signals, ...lastResorts]) restore(event)
  }

  return {
    listeners: restoreAll,
    detachListeners() {
      const own = lastResorts.flatMap((event) =>
        (listeners.get(event) ?? []).map((listener) => ({
          event,
          listener: listener as () => void,
        })),
      )
      for (const { event, listener } of own) process.off(event, listener)
      return () => {
        for (const { event, listener } of own) process.on(event, listener)
      }
    },
    all() {
      restoreAll()
      process.exit = exit
      process.exitCode = exitCode
    },
  }
}
