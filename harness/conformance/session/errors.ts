import { count } from '../../../contract/text.ts'

/** Errors that end a scenario without a verdict, by `code`: it survives serialization by vitest. */
export const scenarioEnd = { inconclusive: 'E_INCONCLUSIVE', undeclared: 'E_UNDECLARED' } as const

/**
 * Thrown by a scenario (or for it) when it cannot go on: what it has not judged becomes inconclusive, without
 * an error of chatgen.
 */
export class InconclusiveError extends Error {
  override readonly name: string = 'InconclusiveError'
  readonly code = scenarioEnd.inconclusive
  readonly exchanges: readonly string[]
  /** Another run of the scenario may end otherwise; `early`: if it waits until changes must be visible. */
  readonly mayPass: boolean | 'early'
  /** A limit, a failure on the way, or the end of the run cut the scenario short. */
  readonly isCut: boolean

  constructor(
    reason: string,
    exchanges: readonly string[] = [],
    { mayPass = false, isCut = true }: { mayPass?: boolean | 'early'; isCut?: boolean } = {},
  ) {
    super(reason)
    this.exchanges = exchanges
    this.mayPass = mayPass
    this.isCut = isCut
  }
}

/** The request was not sent: no byte has left this machine. */
export class NotSentError extends InconclusiveError {
  override readonly name: string = 'NotSentError'
}

/** The run sends no more requests except for cleanup. */
export class RunEndedError extends NotSentError {
  override readonly name: string = 'RunEndedError'
  /** The run is not complete: the report says so at its top. */
  readonly endsRun = true
}

export class BudgetSpentError extends RunEndedError {
  override readonly name = 'BudgetSpentError'

  constructor(requests: number) {
    super(`the budget of ${count(requests, 'request')} (--max-requests) is spent`)
  }
}

/** The budget of generations is spent; other requests may be sent. */
export class GenerationsSpentError extends NotSentError {
  override readonly name = 'GenerationsSpentError'
  readonly endsRun = true

  constructor(generations: number) {
    super(`the budget of ${count(generations, 'generation')} (--max-generations) is spent`)
  }
}

/**
 * Thrown by a scenario that needs a field missing in the profile: the requirements that no other scenario
 * decides are unproven, and the message names what would prove them.
 */
export class UndeclaredError extends Error {
  override readonly name = 'UndeclaredError'
  readonly code = scenarioEnd.undeclared

  constructor(member: string) {
    super(`set ${member} in the target profile to test this`)
  }
}
