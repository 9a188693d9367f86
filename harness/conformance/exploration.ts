import type { RequirementId } from '../../contract/index.ts'
import type { ConformanceReport } from '../../contract/report/conformance.ts'
import { EvidenceError } from './recording/result-files.ts'
import { combineTries } from './report/confirmation.ts'
import type { RunSetup } from './run-setup.ts'
import { createRunContext } from './session/context.ts'
import { InconclusiveError } from './session/errors.ts'
import { Session } from './session/session.ts'
import type { Cost } from './usage.ts'
import type { Collector } from './vitest/collector.ts'

export type ExplorationSummary = NonNullable<ConformanceReport['exploration']>

/** A scenario that draws its requests at random, and runs alone once those of the suites have ended. */
export interface Exploration {
  readonly slug: string
  readonly title: string
  readonly requirements: readonly RequirementId[]
  /** Maximum cost, without shortening a violation. */
  readonly cost: Cost
  /** Number of operations; noted in `run.json`, so that the run can be judged again. */
  readonly operations: number
  /** @param onOperation called after each operation with the number of operations so far. */
  run(session: Session, onOperation: (done: number) => void): Promise<ExplorationSummary>
}

/** Position of an exploration under way. */
export interface Exploring {
  /** Operations carried out so far, and their total. */
  readonly done: number
  readonly of: number
  readonly retries: number
}

/** Tests if an error ends the exploration early without counting against the target. */
export function isEarlyEnd(error: unknown): boolean {
  return error instanceof InconclusiveError
}

/** Tests if an exploration can find anything: one of its own requirements is judged in the run. */
export function isExplorable(
  { requirements }: Pick<Exploration, 'requirements'>,
  judged: readonly RequirementId[],
): boolean {
  return requirements.some((id) => judged.includes(id))
}

/**
 * Runs an exploration with the budget that the suites have left. An internal error becomes the fault of its
 * result; an early end leaves no requirement undecided, as the suites have tested them all.
 * @param onProgress called during the exploration and, without a position, when it has ended.
 * @returns undefined if it ended early
 */
export async function runExploration(
  exploration: Exploration,
  collector: Collector,
  setup: RunSetup,
  signal: AbortSignal,
  onProgress: (exploring?: Exploring) => void,
): Promise<ExplorationSummary | undefined> {
  const { slug, title, requirements } = exploration
  collector.scenarios.push({ slug, title, requirements, cost: exploration.cost, again: 0 })
  const context = createRunContext(setup)
  const session = new Session(context, { slug, title, covers: requirements }, signal)
  const tell = (done: number) =>
    onProgress({ done, of: exploration.operations, retries: session.retries })
  tell(0)
  let fault: string | null = null
  let summary: ExplorationSummary | undefined
  try {
    summary = await exploration.run(session, tell)
  } catch (error) {
    if (error instanceof EvidenceError) collector.unwritten ??= context.redactor.text(error.message)
    if (!isEarlyEnd(error) && !signal.aborted) fault = context.redactor.text(String(error))
  }
  await session.cleanUp()
  await context.close()
  collector.results.push(combineTries([{ ...session.outcome(), fault }]))
  onProgress()
  return summary
}
