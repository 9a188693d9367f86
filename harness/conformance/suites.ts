import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { createVitest, type Reporter, type Vitest } from 'vitest/node'
import type { RunSetup } from './run-setup.ts'

/**
 * Where this package lies: the checkout, or the installed package with its compiled files in
 * `dist`. Scenarios are TypeScript in the one and JavaScript in the other.
 */
const compiled = import.meta.url.endsWith('.js')
const root = fileURLToPath(new URL(compiled ? '../../..' : '../..', import.meta.url))
const entry = compiled ? 'dist/suites/index.scenario.js' : 'suites/index.scenario.ts'

/**
 * vitest over the suites: one worker whose modules stay loaded, everything started at once (the
 * run's own semaphore lets `--jobs` scenarios through), nothing retried and nothing printed.
 */
export async function openSuites(
  reporter: Reporter,
  setup: RunSetup | null,
  cacheDir: string,
): Promise<Vitest> {
  if (!existsSync(`${root}/${entry}`)) throw new Error(`the suites are missing: ${entry}`)
  return ownSignals(() =>
    createVitest(
      'test',
      {
        config: false,
        root,
        include: [entry],
        exclude: [],
        watch: false,
        reporters: [reporter],
        pool: 'threads',
        maxWorkers: 1,
        isolate: false,
        retry: 0,
        testTimeout: 0,
        hookTimeout: 0,
        teardownTimeout: 5_000,
        sequence: { concurrent: true },
        maxConcurrency: 10_000,
        ...(setup ? { provide: { setup } } : {}),
      },
      { cacheDir, logLevel: 'silent' },
    ),
  )
}

/** vitest ends the process on a signal; an interrupted run of ours still reports what it found. */
async function ownSignals<T>(open: () => Promise<T>): Promise<T> {
  const signals = ['SIGINT', 'SIGTERM'] as const
  const ours = signals.map((signal) => process.listeners(signal))
  const opened = await open()
  for (const [at, signal] of signals.entries()) {
    for (const listener of process.listeners(signal)) {
      if (!ours[at]?.includes(listener)) process.off(signal, listener)
    }
  }
  return opened
}
