import { type Exchange, type RequirementId, succeeded } from '../../../contract/index.ts'
import { InconclusiveError, UndeclaredError } from '../session/errors.ts'
import { missingMember } from '../session/requests/supplements.ts'
import type { Session } from '../session/session.ts'
import { ContractViolation } from './expect.ts'
import { describeAnswer, isResponse } from './read.ts'

/**
 * Runs an assertion about one requirement: it holds, or a ContractViolation breaks it. Any other error is an
 * internal one. The result is true if it held. `evidence` defaults to the latest exchange of the scenario.
 */
export type Claim = (
  requirement: RequirementId,
  assertion: () => void,
  ...evidence: readonly Evidence[]
) => boolean

/** A list as evidence: its first pages. */
interface PagedList {
  readonly pages: readonly [Exchange, ...Exchange[]]
}

type Evidence = Exchange | PagedList

const maxPages = 5

function exchangesOf(evidence: readonly Evidence[]): readonly Exchange[] {
  return evidence.flatMap((one) => ('pages' in one ? one.pages.slice(0, maxPages) : [one]))
}

export function createClaim(session: Session): Claim {
  return (requirement, assertion, ...evidence) => {
    const exchanges = evidence.length > 0 ? exchangesOf(evidence) : undefined
    try {
      assertion()
      session.addFinding(requirement, 'held', 'as stated', exchanges)
      return true
    } catch (error) {
      if (!(error instanceof ContractViolation)) throw error
      session.addFinding(requirement, 'broken', error.message, exchanges)
      return false
    }
  }
}

/**
 * Ends the scenario if the condition is false and the rest depends on it; its open requirements are
 * inconclusive.
 */
export function assume(
  condition: unknown,
  reason: string,
  ...evidence: readonly Evidence[]
): asserts condition {
  if (condition) return
  throw new InconclusiveError(
    reason,
    exchangesOf(evidence).map((exchange) => exchange.id),
  )
}

/** Ends the scenario if the profile lacks a field that it needs. */
export function requireProfile<T>(value: T, member: string): asserts value is NonNullable<T> {
  if (value === undefined || value === null) throw new UndeclaredError(member)
}

/**
 * Asserts that a request, or the first one of a list, was accepted; any 2xx counts, as the
 * document does not name one.
 */
export function expectAccepted(answer: Evidence, what = 'the request'): void {
  const exchange = 'pages' in answer ? answer.pages[0] : answer
  if (succeeded(exchange)) return
  expectMembers(exchange)
  throw new ContractViolation(`${what}: expected success, received ${describeAnswer(exchange)}`)
}

/**
 * Ends the scenario if a field that only the profile can supply was missing: which fields are required is
 * open (section 4.3).
 */
export function expectMembers(refusal: Exchange): void {
  const missing = missingMember(refusal)
  if (missing !== undefined) throw new UndeclaredError(`requests.generate.${missing}`)
}

/** Asserts that a generation was answered with a final response object (section 2.6). */
export function expectResponse(exchange: Exchange, what = 'the request'): void {
  expectAccepted(exchange, what)
  if (isResponse(exchange)) return
  const received = describeAnswer(exchange)
  throw new ContractViolation(`${what}: expected a final response object, received ${received}`)
}
