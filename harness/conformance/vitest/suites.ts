import { existsSync, rmSync } from 'node:fs'
import { Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { createVitest, type PoolRunnerInitializer, type Reporter } from 'vitest/node'
import type { RequirementId } from '../../../contract/index.ts'
import type { TargetProfile } from '../profile/index.ts'
import { isPlanned, type Selection, selectRequirements, skipReason } from '../profile/selection.ts'
import { temporaryFolder } from '../recording/result-files.ts'
import type { Depth } from '../run-setup.ts'
import { Collector, type Scenario } from './collector.ts'

/**
 * Location of this package: the checkout, or the installed package with its compiled files in `dist`.
 * Scenarios are TypeScript in the former and JavaScript in the latter.
 */
const compiled = import.meta.url.endsWith('.js')
const root = fileURLToPath(new URL(compiled ? '../../../..' : '../../..', import.meta.url))
const entry = compiled ? 'dist/suites/index.scenario.js' : 'suites/index.scenario.ts'

/**
 * Loaded by the process of the suites before anything else. Ctrl-C and the end of a terminal reach all of its
 * processes; the one that started the run decides what is cancelled.
 */
const ignoreInterrupt =
  "data:text/javascript,for (const signal of ['SIGINT', 'SIGHUP']) process.on(signal, () => {})"

/**
 * vitest over the suites: one worker whose modules stay loaded, everything started at once (the run's own
 * semaphore limits it to `--jobs` scenarios), nothing retried and nothing printed.
 * @param pool of the worker; by default a process, so that a crash of Node there ends a run, not the program
 */
export async function openSuites(
  reporter: Reporter,
  pool: PoolRunnerInitializer | 'forks' = 'forks',
) {
  if (!existsSync(`${root}/${entry}`)) throw new Error(`the suites are missing: ${entry}`)
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const cacheDir = temporaryFolder('suites')
  const restore = saveProcessState()
  // vitest always keeps the token of a server, which does not run here, in the home folder; not every user has one.
  process.env['XDG_DATA_HOME'] = cacheDir
  // vitest ends the process on a signal also while it starts.
  const keepOut = () => queueMicrotask(restore.listeners)
  process.on('newListener', keepOut)
  const vitest = await createVitest(
    'test',
    {
      config: false,
      root,
      include: [entry],
      exclude: [],
      watch: false,
      reporters: [reporter],
      pool,
      execArgv: ['--import', ignoreInterrupt],
      maxWorkers: 1,
      isolate: false,
      retry: 0,
      testTimeout: 0,
      hookTimeout: 0,
      teardownTimeout: 5_000,
      sequence: { concurrent: true },
      maxConcurrency: 10_000,
      disableConsoleIntercept: true,
      experimental: { viteModuleRunner: false, nodeLoader: false },
    },
    { cacheDir, logLevel: 'silent' },
    // Otherwise it would hide and show the cursor of the terminal.
    { stdout: nowhere, stderr: nowhere },
  ).finally(() => {
    process.off('newListener', keepOut)
    restore.dataHome()
  })
  restore.listeners()
  return {
    vitest,
    /** Lets vitest report uncaught errors, for the duration of a run in this thread. */
    detachListeners: restore.detachListeners,
    async close(): Promise<void> {
      await vitest.close()
      restore.all()
      rmSync(cacheDir, { recursive: true, force: true })
    },
  }
}

export type OpenSuites = Awaited<ReturnType<typeof openSuites>>

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
const lastResorts = ['uncaughtException', 'unhandledRejection'] as const
type ProcessEvent = (typeof signals)[number] | (typeof lastResorts)[number]

/**
 * vitest assumes that it owns the process: it ends it on a signal, forbids `process.exit`, swallows uncaught
 * errors and sets an exit code. The caller gets the process back unchanged.
 */
function saveProcessState() {
  const listenersOf = (event: ProcessEvent) => process.rawListeners(event) as (() => void)[]
  const before = new Map([...signals, ...lastResorts].map((event) => [event, listenersOf(event)]))
  const { exit, exitCode } = process
  const { XDG_DATA_HOME: dataHome } = process.env

  /** Lets a run report its findings after an interrupt or an internal error. */
  function listeners(): void {
    for (const [event, own] of before) {
      for (const one of listenersOf(event)) if (!own.includes(one)) process.off(event, one)
    }
  }

  return {
    listeners,
    dataHome() {
      if (dataHome === undefined) delete process.env['XDG_DATA_HOME']
      else process.env['XDG_DATA_HOME'] = dataHome
    },
    /** Lets vitest report uncaught errors: it does so only without other listeners; the result adds these again. */
    detachListeners() {
      const own = lastResorts.flatMap((event) =>
        (before.get(event) ?? []).map((listener) => ({ event, listener })),
      )
      for (const { event, listener } of own) process.off(event, listener)
      return () => {
        for (const { event, listener } of own) process.on(event, listener)
      }
    },
    all() {
      listeners()
      process.exit = exit
      process.exitCode = exitCode
    },
  }
}

/** The requirements that a run judges: selected, applicable, and with all needed capabilities declared. */
export function judgedRequirements(
  selection: Selection,
  profile: TargetProfile,
): readonly RequirementId[] {
  return selectRequirements(selection).filter((id) => !skipReason(id, profile))
}

/** The scenarios that a selection would run at a depth, with their cost there; sends no request. */
export async function planConformance(
  profile: TargetProfile,
  selection: Selection,
  depth: Depth = 'normal',
): Promise<readonly Scenario[]> {
  const requirements = judgedRequirements(selection, profile)
  const scenarios = await listScenarios()
  return scenarios
    .filter((scenario) => isPlanned(scenario, requirements))
    .map((scenario) => ({ ...scenario, cost: scenario.lawCosts?.[depth] ?? scenario.cost }))
}

/** Every scenario of the suites, with the requirements that it can decide. */
export async function listScenarios(): Promise<readonly Scenario[]> {
  const collector = new Collector(() => {}, String)
  const suites = await openSuites(collector)
  try {
    const { testModules } = await suites.vitest.collect([], { staticParse: false })
    for (const module of testModules) collector.onTestModuleCollected(module)
    const [fault] = testModules.flatMap((module) => module.errors())
    if (fault) throw new Error(fault.message)
    return collector.scenarios
  } finally {
    await suites.close()
  }
}
