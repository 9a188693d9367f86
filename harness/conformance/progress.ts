import type { ConformanceReport, RequirementResult } from '../../contract/report/conformance.ts'
import { exploreSlug } from './defaults.ts'
import type { Exploring } from './exploration.ts'
import { isPlanned } from './profile/selection.ts'
import { isIncognito, type RunSetup } from './run-setup.ts'
import { type Cost, costOfExploring, totalCost } from './usage.ts'
import type { Collector, Scenario } from './vitest/collector.ts'

/** Progress of a run, sent at the end of each scenario and of each operation of the exploration. */
export type Progress = ReturnType<typeof buildProgress>

interface Position {
  /** Title of the scenario that ended last. */
  readonly scenario: string
  /** The requirements as in the report if the run ended here; computed anew by each call. */
  readonly requirements: () => readonly RequirementResult[]
  /** The report of the run until now. */
  readonly report: () => ConformanceReport
}

export function buildProgress(
  { scenarios, results }: Collector,
  setup: RunSetup,
  position: Position,
  explored: Exploring | undefined,
) {
  const { requirements: judged, jobs, explore } = setup
  const own = scenarios.filter((one) => isPlanned(one, judged, isIncognito(setup)))
  const ended = new Set(results.map(({ slug }) => slug))
  const done = own.filter(({ slug }) => ended.has(slug))
  const share = ended.has(exploreSlug) ? 1 : (explored?.done ?? 0) / Math.max(1, explore)
  // It runs alone.
  const alone = weightOf(costOfExploring(explore)) * jobs
  const weigh = (list: readonly Scenario[]) =>
    list
      .filter(({ slug }) => slug !== exploreSlug)
      .reduce((sum, { cost }) => sum + weightOf(cost), 0)
  const whole = weigh(own) + alone
  return {
    ...position,
    /** Scenarios that have ended, and the total of this run. */
    done: done.length,
    total: own.length,
    /** Undefined while no exploration is under way. */
    exploring: explored && { done: explored.done, of: explore },
    /** Number of retries until now. */
    retries: results.reduce((sum, { traffic }) => sum + traffic.retries, explored?.retries ?? 0),
    /** Share of the work that is done, 0 to 1, by the declared cost of the scenarios. */
    share: whole === 0 ? 0 : (weigh(done) + share * alone) / whole,
    /** Cost of the finished scenarios. */
    cost: totalCost(results),
  }
}

/** A generation takes the time of a model, any other request that of a look-up. */
const generationWeight = 10

function weightOf({ requests, generations }: Cost): number {
  return requests + generationWeight * generations
}
