import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { JsonObject } from '../../../contract/index.ts'
import { isObject } from '../../../contract/json.ts'
import type { ConformanceReport } from '../../../contract/report/conformance.ts'
import { targetFixture } from '../../../fixtures/files.ts'
import { type Pace, type Patch, startReferenceServer } from '../../../reference-server/index.ts'
import { exchangesName } from '../../conformance/defaults.ts'
import { TargetUnusableError } from '../../conformance/errors.ts'
import { loadProfile, membersOf, type TargetProfile } from '../../conformance/profile/index.ts'
import { temporaryFolder } from '../../conformance/recording/result-files.ts'
import { type RunOptions, runConformance, type Selection } from '../../conformance/run.ts'
import type { Depth } from '../../conformance/run-setup.ts'
import type { Engine } from '../../conformance/vitest/engine.ts'
import { failedIds, type RequirementVerdict, type TargetResult, verdictsOf } from '../verdicts.ts'
import { differs, type Fingerprint, fingerprintOf } from './fingerprint.ts'

export interface Attempt {
  readonly kind: TargetResult['kind']
  readonly name: string
  readonly open: () => Promise<ProofTarget>
  readonly selection: Selection
  readonly depth?: Depth
  /** Scenarios in flight; 8 by default. */
  readonly jobs?: number
  /** Changes the order of the scenarios. */
  readonly shuffle?: string
  /** Random operations after the scenarios. */
  readonly explore?: number
}

/** All runs have the same nonces, so that they can be compared. */
const seed = 'proof'

/** Result of a run against a target. */
export interface Observed<T>
  extends Pick<TargetResult, 'outcome' | 'requirements' | 'internalErrors' | 'durationMs'> {
  /** The part of the traffic that was read. */
  readonly traffic: T
}

/** Reads the traffic of a run, whose file is removed afterwards. */
type ReadTraffic<T> = (exchangesFile: string, requirements: readonly RequirementVerdict[]) => T

/**
 * Runs the suites against one target. If no requirement turned red, its traffic is compared with the plain run;
 * otherwise it differs by definition.
 */
export async function runTarget(
  attempt: Attempt,
  plainRun: () => Promise<Fingerprint>,
  engine: Engine,
): Promise<TargetResult> {
  const { kind, name } = attempt
  const read: ReadTraffic<Fingerprint | undefined> = (file, requirements) =>
    kind === 'clean' || failedIds({ requirements }).length > 0 ? undefined : fingerprintOf(file)
  const { traffic, ...verdicts } = await observe(attempt, engine, read)
  const applied = traffic === undefined || differs(await plainRun(), traffic)
  return { kind, name, ...verdicts, applied }
}

/**
 * Runs the suites against one target. If some of the surfaces are unusable, all are run: chatgen ends before the
 * first scenario only if every surface refuses the key.
 */
export async function observe<T>(
  attempt: Attempt,
  engine: Engine,
  read: ReadTraffic<T>,
): Promise<Observed<T>> {
  const { open, selection, depth = 'normal', jobs = 8, shuffle, explore } = attempt
  const started = Date.now()
  const outDir = temporaryFolder('proof')
  const target = await open()
  try {
    const { profile } = target
    const own = { outDir, seed, jobs, depth, engine, anyAnswer: true }
    const report = await judged({ profile, selection, shuffle, explore, ...own })
    if (report !== undefined || selection.profile === 'full') {
      const requirements = report ? verdictsOf(report) : []
      return {
        outcome: report?.outcome ?? 'incomplete',
        requirements,
        internalErrors: report?.faults.map((one) => `${one.scenario}: ${one.message}`) ?? [],
        traffic: read(join(outDir, exchangesName), requirements),
        durationMs: Date.now() - started,
      }
    }
  } finally {
    await target.close()
    rmSync(outDir, { recursive: true, force: true })
  }
  return observe({ ...attempt, selection: { ...selection, profile: 'full' } }, engine, read)
}

/** Undefined if the target was found unusable before anything was judged. */
async function judged(options: RunOptions): Promise<ConformanceReport | undefined> {
  try {
    return await runConformance(options)
  } catch (error) {
    if (error instanceof TargetUnusableError) return undefined
    throw error
  }
}

/** A server to run the suites against. */
export interface ProofTarget {
  readonly profile: TargetProfile
  close(): Promise<void>
}

/** Fast, but slow enough to distinguish a stream from an unstreamed answer. */
const quick: Pace = { ttftMs: 2, gapMs: 1, jitter: 0 }

/**
 * The reference server with a deviation, described by the profile of the proof.
 *
 * @param changes JSON Merge Patch (RFC 7396) of the profile
 */
export async function startDeviant(
  patch: Patch,
  changes: JsonObject = {},
  pace: Pace = quick,
): Promise<ProofTarget> {
  const keys = ['sk-proof-first-caller', 'sk-proof-second-caller']
  const options = { pace, patch, keys, closeDeadlineMs: 500 }
  const { url, close } = await startReferenceServer(options)
  const environment = { CHATGEN_API_KEY: keys[0], CHATGEN_OTHER_KEY: keys[1] }
  return { profile: profileWith(changes, environment, url), close }
}

/** The profile of the proof with a JSON Merge Patch applied. @throws ConfigurationError if the result is not a valid profile */
export function profileWith(
  changes: JsonObject,
  environment: Readonly<Record<string, string | undefined>>,
  baseUrl: string,
): TargetProfile {
  const profile = targetFixture()
  const members = membersOf(profile)
  const changed = Object.entries(changes).map(([name, value]) => {
    return [name, mergePatch(members[name], value)]
  })
  return loadProfile(profile, environment, { baseUrl, ...Object.fromEntries(changed) })
}

function mergePatch(value: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch
  const members = new Map(Object.entries(isObject(value) ? value : {}))
  for (const [name, change] of Object.entries(patch)) {
    if (change === null) members.delete(name)
    else members.set(name, mergePatch(members.get(name), change))
  }
  return Object.fromEntries(members)
}
