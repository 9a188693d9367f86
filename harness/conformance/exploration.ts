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
  /** Maximum cost, without what it takes to shorten a violation. */
  readonly cost: Cost
  /** Operations to carry out; noted in `run.json`, so that the run can be judged again. */
  readonly operations: number
  /** @param onOperation called after each operation, with their number until then. */
  run(session: Session, onOperation: (done: number) => void): Promise<ExplorationSummary>
}

/** Position of an exploration under way. */
export interface Exploring {
  /** Operations that were carried out, of all that it will. */
  readonly done: number
  readonly of: number
  /** Requests that it has sent once more. */
  readonly retries: number
}

/** Tests if an error ends exploring early and says nothing against the target. */
export function isEarlyEnd(error: unknown): boolean {
  return error instanceof InconclusiveError
}

/** Tests if exploring can find anything: a requirement of its own is judged in the run. */
export function isExplorable(
  { requirements }: Pick<Exploration, 'requirements'>,
  judged: readonly RequirementId[],
): boolean {
  return requirements.some((id) => judged.includes(id))
}

/**
 * Runs an exploration on the budget that the suites have left. An internal error becomes the fault of
 * its result; what ends it early leaves no requirement undecided, as the suites have tested them all.
 * @param onProgress called while it lasts and, without how far it is, when it has ended.
 * @returns undefined if it ended early
 */
export async function runExploration(
  exploration: Exploration,
  collector: Collector,
  setup: RunSetup,
  signal: AbortSignal | undefined,
  onProgress: (exploring?: Exploring) => void,
): Promise<ExplorationSummary | undefined> {
  const { slug, title, requirements } = exploration
  collector.scenarios.push({ slug, title, requirements, cost: exploration.cost, again: 0 })
  const context = createRunContext(setup)
  const own = signal ?? new AbortController().signal
  const session = new Session(context, { slug, title, covers: requirements }, own)
  const tell = (done: number) =>
    onProgress({ done, of: exploration.operations, retries: session.retries })
  tell(0)
  let fault: string | null = null
  let summary: ExplorationSummary | undefined
  try {
    summary = await exploration.run(session, tell)
  } catch (error) {
    if (error instanceof EvidenceError) collector.unwritten ??= context.redactor.text(error.message)
    if (!isEarlyEnd(error) && !own.aborted) fault = context.redactor.text(String(error))
  }
  await session.cleanUp()
  await context.close()
  collector.results.push(combineTries([{ ...session.outcome(), fault }]))
  onProgress()
  return summary
}
