import type { Finding, Observation, RequirementId } from '../../contract/index.ts'
import { defaultMaxGenerations } from './defaults.ts'
import type { TargetProfile } from './profile/index.ts'
import type { RunState } from './session/run-state.ts'
import type { Cost, Traffic } from './usage.ts'

/**
 * Conditions under which laws are tested. `quick`: each condition, in as few requests as possible; `normal`:
 * each several times, in the same requests in every run; `full`: each pair, in different requests for each
 * seed.
 */
export const depths = ['quick', 'normal', 'full'] as const

export type Depth = (typeof depths)[number]

/** Settings of the run for its scenarios; survive a structured clone. */
export interface RunSetup {
  readonly profile: TargetProfile
  /** Requirements that are judged in this run: selected, applicable and with all needed capabilities declared. */
  readonly requirements: readonly RequirementId[]
  readonly depth: Depth
  /** Random operations beside the scenarios; 0 if they cannot find anything. */
  readonly explore: number
  /** Source of all nonces and identifiers of the run. */
  readonly seed: string
  /** Distinguishes the Idempotency-Keys of runs with the same seed. */
  readonly keySeed: string
  /** Names the run in User-Agent, X-Request-Id and all that it creates; empty for an incognito run. */
  readonly tag: string
  /** Empty for a run without a tag, whose scenarios imitate common clients. */
  readonly userAgent: string
  /** Seed of the clients that a run without a tag imitates; absent for a run with one. */
  readonly imitationSeed?: string
  /** Scenarios in flight. */
  readonly jobs: number
  /** Determines the order of the scenarios; null for that of the suites. */
  readonly shuffle: string | null
  /** Null if there is no limit. */
  readonly maxRequests: number | null
  readonly maxGenerations: number
  /** End of the time that the profile allows a run, as `steadyNow`; null for never. */
  readonly endsAt: number | null
  readonly exchangesFile: string
  readonly journalFile: string
  /** Recording that supplies the responses; null for the network. */
  readonly recordingFile: string | null
  /** Reason why the recorded run ended early; it explains why requests are missing. */
  readonly recordedEnd?: string
  /** State of the whole run; each stage updates it. */
  readonly state: RunState
  /** Scenarios that run again on one of several endpoints; absent in the run itself. */
  readonly again?: { readonly endpoint: string; readonly scenarios: readonly string[] }
}

/** Tests if the requests of a run look like those of users. */
export function isIncognito({ tag }: Pick<RunSetup, 'tag'>): boolean {
  return tag === ''
}

/** Tests if the limits of a run are higher than what it may need. */
export function isEndless({ maxRequests, maxGenerations }: RunSetup): boolean {
  return maxRequests === null && maxGenerations >= defaultMaxGenerations
}

/** Identity of the client towards a target, in a run and outside it. */
export type ClientIdentity = Pick<RunSetup, 'profile' | 'tag' | 'userAgent' | 'imitationSeed'>

/** Reason why a scenario cannot decide some requirements. */
export interface Undecided {
  readonly requirements: readonly RequirementId[]
  readonly reason: string
  readonly exchanges: readonly string[]
}

/**
 * A finding of a scenario; doubtful if it rests on a response that may come from a front, or that may show an
 * older state (`mayBeStale`).
 */
export type ScenarioFinding = Finding & {
  readonly isDoubtful?: boolean
  readonly mayBeStale?: boolean
}

export interface ScenarioOutcome {
  readonly slug: string
  readonly title: string
  readonly covers: readonly RequirementId[]
  readonly findings: readonly ScenarioFinding[]
  /** A completion in one piece had text; without one in the whole run, the model is silent. */
  readonly speaks: boolean
  readonly observations: readonly Observation[]
  readonly inconclusive: readonly Undecided[]
  readonly unproven: readonly Undecided[]
  readonly cost: Cost
  readonly traffic: Traffic
  /** A conversation failed that ended the scenario, or an early read; another run of it may pass. */
  readonly isCutShort?: boolean | 'early'
}
