import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { RequirementId } from '../../contract/index.ts'
import { exploredRequirements } from '../explore/explore.ts'
import {
  defaultJobs,
  defaultMaxGenerations,
  exchangesName,
  journalName,
  suiteVersion,
} from './defaults.ts'
import type { TargetProfile } from './profile/index.ts'
import { type Selection, skipReason } from './profile/selection.ts'
import type { Progress } from './progress.ts'
import type { RunSetup } from './run-setup.ts'
import { newRunState, steadyNow } from './session/run-state.ts'
import type { Engine } from './vitest/engine.ts'

type Optional<Type> = { readonly [Member in keyof Type]?: Type[Member] | undefined }

/** Settings of a run for its scenarios that have defaults: a new seed, depth `normal`, 1,200 generations. */
type Chosen = Pick<
  RunSetup,
  'seed' | 'keySeed' | 'depth' | 'jobs' | 'maxGenerations' | 'recordedEnd'
>

export interface RunOptions extends Optional<Chosen> {
  readonly profile: TargetProfile
  readonly selection: Selection
  /** Folder for `exchanges.ndjson` and the journal; created if it is missing. */
  readonly outDir: string
  /** Changes the order of the scenarios. */
  readonly shuffle?: string | undefined
  readonly maxRequests?: number | undefined
  /** Requests that the caller has sent to the target already; the budget and the cost include them. */
  readonly requestsBefore?: number | undefined
  readonly strict?: boolean | undefined
  /** Requests look like those of users: no tag, no name of this package. */
  readonly incognito?: boolean | undefined
  /** `exchanges.ndjson` of an earlier run with the same seed, to judge in place of the network: a response
   * counts only for the request that it was given to. */
  readonly recordingFile?: string | undefined
  /** Called when the target has answered, before the first file is written. */
  readonly beforeWriting?: (() => void) | undefined
  readonly onProgress?: ((progress: Progress) => void) | undefined
  /** Stays open between runs; by default, one is opened for this run alone. */
  readonly engine?: Engine | undefined
  /** Judges any server that answers, whether it is the service or not. */
  readonly anyAnswer?: boolean | undefined
  /** Random operations beside the suites; none by default. */
  readonly explore?: number | undefined
  /** Interrupts the run; findings so far are reported. */
  readonly signal?: AbortSignal | undefined
  /** Ends the run early, with the reason as text; findings so far are reported. */
  readonly stop?: AbortSignal | undefined
}

/** @param requirements Selected requirements; those that do not apply are left out. */
export function buildSetup(options: RunOptions, requirements: readonly RequirementId[]): RunSetup {
  const seed = options.seed ?? randomUUID().slice(0, 8)
  const state = newRunState()
  state.budget.requests = options.requestsBefore ?? 0
  const judged = requirements.filter((id) => !skipReason(id, options.profile))
  return {
    profile: options.profile,
    requirements: judged,
    explore: exploredRequirements.some((id) => judged.includes(id)) ? (options.explore ?? 0) : 0,
    seed,
    keySeed: options.keySeed ?? `${randomUUID()}/`,
    depth: options.depth ?? 'normal',
    ...(options.incognito
      ? { tag: '', userAgent: '', imitationSeed: seed }
      : { tag: `chatgen-${seed}`, userAgent: `chatgen-conformance/${suiteVersion()}` }),
    jobs: options.jobs ?? defaultJobs,
    shuffle: options.shuffle ?? null,
    maxRequests: options.maxRequests ?? null,
    maxGenerations: options.maxGenerations ?? defaultMaxGenerations,
    state,
    endsAt: options.recordingFile ? null : steadyNow() + options.profile.limits.runMs,
    exchangesFile: join(options.outDir, exchangesName),
    journalFile: join(options.outDir, journalName),
    recordingFile: options.recordingFile ?? null,
    ...(options.recordedEnd !== undefined && { recordedEnd: options.recordedEnd }),
  }
}
