import type { ConformanceReport, RequirementResult } from '../../contract/report/conformance.ts'
import type { Exploration, Exploring } from './exploration.ts'
import { isPlanned } from './profile/selection.ts'
import { isIncognito, type RunSetup } from './run-setup.ts'
import { type Cost, totalCost } from './usage.ts'
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

/** @param planned exploration that will follow the scenarios */
export function buildProgress(
  { scenarios, results }: Collector,
  setup: RunSetup,
  position: Position,
  planned: Pick<Exploration, 'slug' | 'cost'> | undefined,
  exploring: Exploring | undefined,
) {
  const { requirements: judged, profile, jobs } = setup
  const own = scenarios.filter((one) => isPlanned(one, judged, profile, isIncognito(setup)))
  const ended = new Set(results.map(({ slug }) => slug))
  const done = own.filter(({ slug }) => ended.has(slug))
  const { done: explorations = 0, of = 1 } = exploring ?? {}
  const explored = planned && ended.has(planned.slug) ? 1 : explorations / Math.max(1, of)
  // It runs alone.
  const alone = planned === undefined ? 0 : weightOf(planned.cost) * jobs
  const weigh = (list: readonly Scenario[]) =>
    list
      .filter(({ slug }) => slug !== planned?.slug)
      .reduce((sum, { cost }) => sum + weightOf(cost), 0)
  const whole = weigh(own) + alone
  return {
    ...position,
    /** Scenarios that have ended, and the total of this run. */
    done: done.length,
    total: own.length,
    /** Undefined while no exploration is under way. */
    exploring: exploring && { done: exploring.done, of: exploring.of },
    /** Number of retries until now. */
    retries: results.reduce((sum, { traffic }) => sum + traffic.retries, exploring?.retries ?? 0),
    /** Share of the work that is done, 0 to 1, by the declared cost of the scenarios. */
    share: whole === 0 ? 0 : (weigh(done) + explored * alone) / whole,
    /** Cost of the finished scenarios. */
    cost: totalCost(results),
  }
}

/** A generation takes the time of a model, any other request that of a look-up. */
const generationWeight = 10

function weightOf({ requests, generations }: Cost): number {
  return requests + generationWeight * generations
}
