import type { Exploration } from '../conformance/exploration.ts'
import { exploredRequirements } from './commands/index.ts'
import { explore } from './explore.ts'

/** Name of the scenario in reports and labels. */
const scenarioName = 'explore'

/** Share of the operations that may be generations. */
const generationShare = 0.24
/** Requests per operation, including the reads after it and its share of the sweep. */
const requestsPerOperation = 4

/** Random sequences as a scenario of a run. */
export function explorationOf(operations: number): Exploration {
  const maxGenerations = Math.floor(operations * generationShare)
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
