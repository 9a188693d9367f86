import type { Exploration } from '../conformance/exploration.ts'
import { exploredRows } from './commands/index.ts'
import { explore } from './explore.ts'

/** Name of the scenario in reports and labels. */
export const scenarioName = 'explore'

/** Share of the operations that may be generations. */
const generationShare = 0.24
/** Requests of an operation, the reads after it and its share of the sweep included. */
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
    rows: exploredRows,
    operations,
    cost: {
      requests: operations * requestsPerOperation,
      generations: maxGenerations,
      chats: Math.ceil(operations / 6),
      uploads: Math.ceil(operations / 20),
    },
    run: async (session) => {
      const result = await explore(session, { operations, maxGenerations })
      return { operations: result.operations, violations: result.violations.length }
    },
  }
}
