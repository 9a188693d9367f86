import type { Finding, RequirementId } from '../../contract/index.ts'
import type { ConformanceReport } from '../../contract/report/conformance.ts'
import { explore, exploredRequirements } from '../explore/explore.ts'
import { exploreSlug } from './defaults.ts'
import { EvidenceError } from './recording/result-files.ts'
import { combineTries } from './report/confirmation.ts'
import type { RunSetup } from './run-setup.ts'
import { createRunContext } from './session/context.ts'
import { BudgetSpentError, InconclusiveError, RunEndedError } from './session/errors.ts'
import { Session } from './session/session.ts'
import { costOfExploring } from './usage.ts'
import type { Collector } from './vitest/collector.ts'

/** Position of an exploration under way. */
export interface Exploring {
  /** Operations carried out so far. */
  readonly done: number
  readonly retries: number
}

/** Tests if exploring can find anything: one of its own requirements is judged in the run. */
export function isExplorable(judged: readonly RequirementId[]): boolean {
  return exploredRequirements.some((id) => judged.includes(id))
}

/**
 * Explores with the budget that the suites have left. An internal error becomes the fault of its
 * result. A spent budget and an interrupt leave no requirement undecided, as the suites have tested them all; any other
 * early end does: the target is not what the suites have tested.
 * @param onProgress called during the exploration and, without a position, when it has ended.
 * @returns undefined if it ended early, except at the end of the budget
 */
export async function runExploration(
  collector: Collector,
  setup: RunSetup,
  signal: AbortSignal,
  onProgress: (position?: Exploring) => void,
): Promise<ConformanceReport['exploration']> {
  const [slug, title, requirements] = [exploreSlug, exploreSlug, exploredRequirements]
  const cost = costOfExploring(setup.explore)
  collector.scenarios.push({ slug, title, requirements, cost, again: 0 })
  const context = createRunContext(setup)
  const session = new Session(context, { slug, title, covers: requirements }, signal)
  let operations = 0
  const tell = (done: number) => {
    operations = done
    onProgress({ done, retries: session.retries })
  }
  tell(0)
  let fault: string | null = null
  let summary: ConformanceReport['exploration']
  try {
    const explored = await explore(session, setup.explore, tell)
    summary = { operations: explored.operations, violations: explored.violations.length }
  } catch (error) {
    if (error instanceof EvidenceError) collector.unwritten ??= context.redactor.text(error.message)
    const isEarlyEnd = error instanceof InconclusiveError || signal.aborted
    if (!isEarlyEnd) fault = context.redactor.text(String(error))
    const isSpent = error instanceof BudgetSpentError
    const isBroken = ({ verdict }: Finding) => verdict === 'broken'
    if (isSpent)
      summary = { operations, violations: session.outcome().findings.filter(isBroken).length }
    if (error instanceof RunEndedError && !isSpent && !signal.aborted) {
      session.markUndecided('inconclusive', requirements, error.message)
      // The end of a recorded run is in its report.
      if (setup.recordingFile === null) collector.stopReason ??= error.message
    }
  }
  await session.cleanUp()
  await context.close()
  collector.results.push(combineTries([{ ...session.outcome(), fault }]))
  onProgress()
  return summary
}
