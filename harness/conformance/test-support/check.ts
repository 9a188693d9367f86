import { type ChildProcess, fork } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Exchange, restoreExchanges } from '../../../contract/index.ts'
import type {
  ConformanceReport,
  RequirementResult,
  Verdict,
} from '../../../contract/report/conformance.ts'
import { targetFixture } from '../../../fixtures/files.ts'
import { exchangesName } from '../defaults.ts'
import { loadProfile, type TargetProfile } from '../profile/index.ts'
import type { ProfileName } from '../profile/selection.ts'
import { type RunOptions, runConformance } from '../run.ts'
import { addExchangeCost, type Cost, noCost } from '../usage.ts'
import type { Engine } from '../vitest/engine.ts'
import { listScenarios } from '../vitest/suites.ts'
import type { Delivery, Order } from './suites-process.ts'

/** An empty folder; vitest.setup.ts removes it at the end. */
export function temporaryFolder(): string {
  return mkdtempSync(join(tmpdir(), 'chatgen-test-'))
}

/** A profile for a server that answers at once, on a machine that may be slow. */
export function profileOf(more: Readonly<Record<string, unknown>>): TargetProfile {
  const limits = { timeoutMs: 15_000, settleMs: 60 }
  return loadProfile({ name: 'test', text: '' }, {}, { limits, ...more })
}

/** The profile of a reference server. */
export function referenceProfile(
  baseUrl: string,
  [apiKey, otherKey]: readonly string[],
  more: Readonly<Record<string, unknown>> = {},
): TargetProfile {
  return loadProfile(targetFixture(), {}, { baseUrl, apiKey, otherKey, ...more })
}

export type CheckOptions = Partial<Omit<RunOptions, 'profile' | 'selection'>> & {
  readonly surfaces?: ProfileName
  readonly only?: readonly string[]
  readonly skip?: readonly string[]
}

/** A whole run; without `outDir`, its files are removed at the end. */
export async function check(
  profile: TargetProfile,
  { surfaces = 'full', only = [], skip = [], outDir, ...options }: CheckOptions = {},
): Promise<ConformanceReport> {
  const selection = { profile: surfaces, only, skip }
  const folder = outDir ?? temporaryFolder()
  try {
    const isWatched = options.signal !== undefined || options.onProgress !== undefined
    const engine = isWatched ? {} : { engine: sharedEngine }
    const run = { jobs: 64, anyAnswer: true, ...engine, ...options }
    return await runConformance({ ...run, outDir: folder, profile, selection })
  } finally {
    if (outDir === undefined) rmSync(folder, { recursive: true, force: true })
  }
}

/** The exchanges that a run has stored in its folder. */
export function exchangesIn(outDir: string): readonly Exchange[] {
  return restoreExchanges(readFileSync(join(outDir, exchangesName), 'utf8')).exchanges
}

export function requirementsWith(report: ConformanceReport, ...verdicts: readonly Verdict[]) {
  return report.requirements.filter((requirement) => verdicts.includes(requirement.verdict))
}

/** Requests of the scenarios of a run beyond their declared cost and beyond the attempts that they declare. */
export async function excessesIn(outDir: string): Promise<readonly string[]> {
  const byScenario = Map.groupBy(exchangesIn(outDir), ({ labels }) => labels.scenario)
  return (await listScenarios()).flatMap(({ slug, cost, again }) => {
    const real = (byScenario.get(slug) ?? []).reduce(addExchangeCost, noCost)
    return (Object.keys(real) as (keyof Cost)[]).flatMap((what) =>
      real[what] > cost[what] + (what === 'chats' ? 0 : again)
        ? [`${slug}: ${real[what]} ${what}, declared ${cost[what]}`]
        : [],
    )
  })
}

/** Required requirements that did not pass, with their messages. */
export function undecidedIn({ requirements }: ConformanceReport): readonly string[] {
  return requirements
    .filter(({ level, verdict }) => level === 'required' && verdict !== 'pass')
    .map(lineOf)
}

/** `id verdict: message`, for an informative comparison. */
export function lineOf({ id, verdict, message }: RequirementResult): string {
  return message === null ? `${id} ${verdict}` : `${id} ${verdict}: ${message}`
}

const program = fileURLToPath(new URL('./suites-process.ts', import.meta.url))

/** Engine of all tests of a process: its suites stay loaded. It reports no progress and takes no interrupt. */
export const sharedEngine: Engine = {
  run(collector, setup, _signal, titles) {
    suites ??= fork(program, { serialization: 'advanced' }).setMaxListeners(100)
    const process = suites
    const id = nextId++
    return new Promise((resolve, reject) => {
      const onExit = () => reject(new Error('the process of the suites has ended'))
      process.once('exit', onExit)
      process.on('message', function take(delivery: Delivery) {
        if (delivery.id !== id) return
        process.off('message', take).off('exit', onExit)
        const { scenarios, results, conditions, faults, ...rest } = delivery.collected
        collector.scenarios.push(...scenarios)
        collector.results.push(...results)
        collector.conditions.push(...conditions)
        collector.faults.push(...faults)
        Object.assign(collector, rest)
        Object.assign(setup.state, delivery.state)
        resolve(delivery.isStopped)
      })
      process.send({ id, setup, titles } satisfies Order)
    })
  },
  async close() {
    suites?.disconnect()
    suites = undefined
  },
}

let nextId = 0
let suites: ChildProcess | undefined
