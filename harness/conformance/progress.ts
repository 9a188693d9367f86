import type { ConformanceReport, RequirementResult } from '../../contract/report/conformance.ts'
import { exploreSlug } from './defaults.ts'
import { isPlanned } from './profile/selection.ts'
import { isIncognito, type RunSetup } from './run-setup.ts'
import { type Cost, costOfExploring, totalCost } from './usage.ts'
import type { Collector, Scenario } from './vitest/collector.ts'

/** Progress of a run, sent at the end of each scenario. */
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
) {
  const { requirements: judged, explore } = setup
  const own = scenarios.filter((one) => isPlanned(one, judged, isIncognito(setup)))
  const ended = new Set(results.map(({ slug }) => slug))
  const done = own.filter(({ slug }) => ended.has(slug))
  const weigh = (list: readonly Scenario[]) =>
    list
      .map(({ slug, cost }) => weightOf(slug === exploreSlug ? costOfExploring(explore) : cost))
      .reduce((sum, weight) => sum + weight, 0)
  const whole = weigh(own)
  return {
    ...position,
    /** Scenarios that have ended, and the total of this run. */
    done: done.length,
    total: own.length,
    /** Number of retries until now. */
    retries: results.reduce((sum, { traffic }) => sum + traffic.retries, 0),
    /** Share of the work that is done, 0 to 1, by the declared cost of the scenarios. */
    share: whole === 0 ? 0 : weigh(done) / whole,
    /** Cost of the finished scenarios. */
    cost: totalCost(results),
  }
}

/** A generation takes the time of a model, any other request that of a look-up. */
const generationWeight = 10

function weightOf({ requests, generations }: Cost): number {
  return requests + generationWeight * generations
}
