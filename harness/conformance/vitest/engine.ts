import { EventEmitter } from 'node:events'
import { pathToFileURL } from 'node:url'
import type { PoolRunnerInitializer, PoolWorker, Reporter } from 'vitest/node'
import { init, runBaseTests, setupEnvironment } from 'vitest/worker'
import { StoredRecording } from '../../client/index.ts'
import { exploreSlug } from '../defaults.ts'
import type { RunSetup } from '../run-setup.ts'
import type { RunState } from '../session/run-state.ts'
import type { Collector } from './collector.ts'
import { type OpenSuites, openSuites } from './suites.ts'

/** Executes the scenarios of a run; it decides nothing. */
export interface Engine {
  /**
   * Executes one run at a time. Resolves true if it did not complete. Updates the state of the setup.
   * @param titles the only scenarios to run; all by default
   */
  run(
    collector: Collector,
    setup: RunSetup,
    signal: AbortSignal | undefined,
    titles?: readonly string[],
  ): Promise<boolean>
  close(): Promise<void>
}

/** Runs the suites once, in a process of their own. */
export async function runOnce(
  collector: Collector,
  setup: RunSetup,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const suites = await openSuites(collector)
  try {
    return await runSuites(suites, collector, setup, signal)
  } finally {
    await suites.close()
  }
}

/**
 * Runs the suites in this thread, again and again: it starts faster, and their modules stay loaded. Not for a
 * thread that vitest itself runs.
 */
export function inlineEngine(): Engine {
  const current: { reporter: Reporter } = { reporter: {} }
  let opened: Promise<OpenSuites> | undefined
  return {
    async run(collector, setup, signal, titles) {
      current.reporter = collector
      opened ??= openSuites(forwardTo(current), inlinePool())
      const suites = await opened
      const reattach = suites.detachListeners()
      choose(suites, titles)
      try {
        return await runSuites(suites, collector, setup, signal)
      } finally {
        reattach()
      }
    },
    close: async () => (await opened)?.close(),
  }
}

function choose({ vitest }: OpenSuites, titles: readonly string[] | undefined): void {
  vitest.resetGlobalTestNamePattern()
  if (titles === undefined) return
  const patterns = [...titles, exploreSlug].map((title) => title.replace(/[^\w\s]/g, '\\$&'))
  vitest.setGlobalTestNamePattern(new RegExp(`(?:${patterns.join('|')})$`))
}

async function runSuites(
  { vitest }: OpenSuites,
  collector: Collector,
  setup: RunSetup,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const interrupt = () => {
    collector.interrupt()
    vitest.cancelCurrentRun('keyboard-input')
  }
  if (signal?.aborted) return true
  signal?.addEventListener('abort', interrupt, { once: true })
  try {
    vitest.provide('setup', setup)
    await vitest.runTestSpecifications(await vitest.globTestSpecifications(), true)
  } finally {
    signal?.removeEventListener('abort', interrupt)
  }
  takeOver(setup, collector.state)
  return (signal?.aborted ?? false) || collector.state === undefined
}

/** Copies back the state of the suites; if their process crashed, the recording shows what it sent. */
function takeOver({ state, exchangesFile }: RunSetup, after: RunState | undefined): void {
  if (after !== undefined) {
    Object.assign(state, after)
    return
  }
  const ids = [...new StoredRecording(exchangesFile).keys()]
  const numbers = ids.map((id) => Number(/\d+$/.exec(id)?.[0] ?? 0))
  const latest = numbers.reduce((max, number) => Math.max(max, number), 0)
  state.budget.requests += latest - state.exchanges
  state.exchanges = latest
}

function forwardTo(current: { reporter: Reporter }): Reporter {
  return {
    onTestModuleCollected: (module) => current.reporter.onTestModuleCollected?.(module),
    onTestModuleEnd: (module) => current.reporter.onTestModuleEnd?.(module),
    onTestCaseResult: (testCase) => current.reporter.onTestCaseResult?.(testCase),
    onTestRunEnd: (modules, errors, reason) =>
      current.reporter.onTestRunEnd?.(modules, errors, reason),
  }
}

/**
 * A pool of vitest whose only worker is this thread and outlives a run: the suites are loaded and compiled
 * once for any number of targets.
 */
function inlinePool(): PoolRunnerInitializer {
  const toWorker = channel()
  const toMain = channel()
  let own: readonly Listener[] = []

  function startWorker(): void {
    init({
      post: toMain.send,
      on: (listener) => toWorker.on('message', listener),
      off: (listener) => toWorker.off('message', listener),
      async runTests(state, traces) {
        // Kept until the end of a worker, which this one outlives, they would contain the state of each run.
        const cleanups: (() => unknown)[] = []
        const onCleanup = cleanups.push.bind(cleanups)
        await runBaseTests('run', Object.assign(state, { onCleanup }), traces)
        await Promise.all(cleanups.map((cleanup) => cleanup()))
      },
      collectTests: (state, traces) => runBaseTests('collect', state, traces),
      ...plainImports,
    })
    own = toWorker.listeners()
  }

  const worker: PoolWorker = {
    name: 'inline',
    on: toMain.on,
    off: toMain.off,
    send: toWorker.send,
    deserialize: (data) => data,
    async start() {
      if (own.length === 0) startWorker()
    },
    async stop() {
      toMain.keep([])
      // Each run opens its own channel in addition to the worker's.
      toWorker.keep(own)
    },
  }
  return { name: 'inline', createPoolWorker: () => worker }
}

let imports = 0

/**
 * Loads the suites by a plain import. Otherwise, vitest hooks into the module loader of Node, follows each import in
 * the module graph of vite, and turns on source maps, none of which the suites need. The query loads the table of
 * contents again, which registers the scenarios of the modules that are loaded.
 */
const plainImports: Pick<Parameters<typeof init>[0], 'setup' | 'onModuleRunner'> = {
  setup(context) {
    const experimental = { ...context.config.experimental, viteModuleRunner: true }
    return setupEnvironment({ ...context, config: { ...context.config, experimental } })
  },
  onModuleRunner(runner) {
    runner.import = (file) =>
      import(`${pathToFileURL(file.replace(/\?.*$/, '')).href}?${imports++}`)
  },
}

type Listener = (...args: unknown[]) => void

/** Delivers copies asynchronously, as between two threads: vitest relies on both. */
function channel() {
  const emitter = new EventEmitter()
  return {
    send(message: unknown): void {
      const copy = structuredClone(message)
      queueMicrotask(() => emitter.emit('message', copy))
    },
    on: (event: string, listener: Listener) => void emitter.on(event, listener),
    off: (event: string, listener: Listener) => void emitter.off(event, listener),
    listeners: () => emitter.listeners('message') as Listener[],
    keep(listeners: readonly Listener[]): void {
      emitter.removeAllListeners()
      for (const listener of listeners) emitter.on('message', listener)
    },
  }
}
