import { join } from 'node:path'
import { requirementIds, requirements } from '../../contract/index.ts'
import { exchangesName, journalName } from '../conformance/defaults.ts'
import type { Exploration } from '../conformance/exploration.ts'
import type { TargetProfile } from '../conformance/profile/index.ts'
import { skipReason } from '../conformance/profile/selection.ts'
import type { RunSetup } from '../conformance/run-setup.ts'
import { createRunContext } from '../conformance/session/context.ts'
import { newRunState } from '../conformance/session/run-state.ts'
import { Session } from '../conformance/session/session.ts'
import { exploredRequirements } from './commands/index.ts'
import { type ExplorationResult, explore } from './explore.ts'

/** Name of the scenario in reports and labels. */
export const scenarioName = 'explore'

/** Share of the operations that may be generations. */
const generationShare = 0.24
/** Requests per operation, including the reads after it and its share of the sweep. */
const requestsPerOperation = 4

export function generationsFor(operations: number): number {
  return Math.floor(operations * generationShare)
}

/** Random sequences as a scenario of a run. */
export function explorationOf(operations: number): Exploration {
  const maxGenerations = generationsFor(operations)
  return {
    slug: scenarioName,
    title: scenarioName,
    requirements: exploredRequirements,
    operations,
    cost: {
      requests: operations * requestsPerOperation,
      generations: maxGenerations,
      chats: Math.ceil(operations / 6),
      uploads: 0,
    },
    run: async (session, onOperation) => {
      const result = await explore(session, { operations, maxGenerations, onOperation })
      return { operations: result.operations, violations: result.violations.length }
    },
  }
}

export interface TargetExploration extends ExplorationResult {
  /** Required requirements that the judges of single exchanges found broken in the same run. */
  readonly judged: readonly string[]
  readonly generations: number
}

interface TargetOptions {
  readonly operations: number
  readonly seed: string
  readonly outDir: string
}

/** Explores a target alone, without the suites: for the proof. */
export async function exploreTarget(
  profile: TargetProfile,
  options: TargetOptions,
): Promise<TargetExploration> {
  const { operations, seed, outDir } = options
  const setup: RunSetup = {
    profile,
    requirements: requirementIds.filter((id) => !skipReason(id, profile)),
    seed,
    keySeed: '',
    tag: `chatgen-${seed}`,
    userAgent: 'chatgen-conformance',
    jobs: 1,
    shuffle: null,
    maxRequests: null,
    maxGenerations: Number.POSITIVE_INFINITY,
    depth: 'normal',
    state: newRunState(),
    endsAt: null,
    exchangesFile: join(outDir, exchangesName),
    journalFile: join(outDir, journalName),
    recordingFile: null,
  }
  const context = createRunContext(setup)
  const session = new Session(
    context,
    { slug: scenarioName, title: scenarioName, covers: exploredRequirements },
    new AbortController().signal,
  )
  try {
    const exploration = await explore(session, {
      operations,
      maxGenerations: generationsFor(operations),
      maxViolations: 1,
    })
    const { cost, findings } = session.outcome()
    const broken = findings.filter(
      ({ verdict, requirement }) =>
        verdict === 'broken' &&
        requirements[requirement].level === 'required' &&
        !exploration.violations.some((found) => found.violation.requirement === requirement),
    )
    return {
      ...exploration,
      judged: [...new Set(broken.map(({ requirement, why }) => `${requirement}: ${why}`))],
      generations: cost.generations,
    }
  } finally {
    await session.cleanUp()
    await context.close()
  }
}
