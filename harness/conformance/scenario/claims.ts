import { type Exchange, type RequirementId, sentPath, succeeded } from '../../../contract/index.ts'
import { InconclusiveError, UndeclaredError } from '../session/errors.ts'
import { missingMember } from '../session/requests/supplements.ts'
import type { Session } from '../session/session.ts'
import { ContractViolation, expect } from './expect.ts'
import { describeAnswer, isDeclined, isResponse, statusText } from './read.ts'

/**
 * Runs an assertion about one requirement: it holds, or a ContractViolation breaks it. Any other error is an
 * internal one. The result is true if it held. `evidence` defaults to the latest exchange of the scenario.
 */
export type Claim = (
  requirement: RequirementId,
  assertion: () => void,
  ...evidence: readonly Evidence[]
) => boolean

/** An exchange, or the first pages of a list. */
type Evidence = Exchange | { readonly pages: readonly [Exchange, ...Exchange[]] }

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

/** Ends the scenario if the condition is false: the rest depends on it, and is inconclusive. */
export function assume(
  condition: unknown,
  reason: string,
  ...evidence: readonly Evidence[]
): asserts condition {
  if (condition) return
  const exchanges = exchangesOf(evidence)
  const ids = exchanges.map(({ id }) => id)
  // One of several replicas may not know yet what another one has stored.
  const isUnknown = exchanges.some(
    ({ request, response }) => request.method === 'GET' && response?.status === 404,
  )
  throw new InconclusiveError(reason, ids, { mayPass: isUnknown && 'early', isCut: false })
}

/** Ends the scenario if an exchange that it needs was refused; `what` is its subject. */
export function assumeAccepted(exchange: Exchange, what: string): Exchange {
  assume(succeeded(exchange), `${what} was refused with ${statusText(exchange)}`, exchange)
  return exchange
}

/** Ends the scenario if the profile lacks a field that it needs. */
export function requireProfile<T>(value: T, member: string): asserts value is NonNullable<T> {
  if (value === undefined || value === null) throw new UndeclaredError(member)
}

/** Asserts that a request, or the first one of a list, was accepted: any 2xx, as the document names none. */
export function expectAccepted(answer: Evidence, what = 'the request'): void {
  const exchange = 'pages' in answer ? answer.pages[0] : answer
  if (succeeded(exchange)) return
  expectMembers(exchange)
  throw new ContractViolation(`${what}: expected success, received ${describeAnswer(exchange)}`)
}

/** Ends the scenario if a field of the profile was missing: which fields are required is open (section 4.3). */
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

interface Rejected {
  /** The requirement that this must not succeed. */
  readonly requirement: RequirementId
  /** Accepted request that differs from the negative in exactly one field. */
  readonly control: Exchange
  /** The documented status; omitted if any refusal will do. */
  readonly status?: number
  /** True for a guessed key: a refusal of the key counts as well. */
  readonly isKeyGuessed?: boolean
  /** The requirement that a refusal is not a 5xx, if there is one. */
  readonly noServerError?: RequirementId
  /** Defect of the request, for the message. */
  readonly what: string
}

export interface RejectedRequest extends Rejected {
  readonly send: () => Promise<Exchange>
  /** Tests if the request is accepted without its defect; needed if the control differs from it in more than that. */
  readonly isTakenWithout?: () => Promise<boolean>
}

/**
 * Asserts refusals. They prove something only together with the accepted control, and only if the server
 * still answers afterwards; otherwise the requirements of the scenario stay open.
 * @param ping any request that a working server accepts; sent after the negatives
 */
export async function expectRejected<Negative extends RejectedRequest>(
  claim: Claim,
  ping: () => Promise<Exchange>,
  ...negatives: readonly Negative[]
): Promise<readonly (readonly [Negative, Exchange])[]> {
  const sent: (readonly [Negative, Exchange])[] = []
  for (const negative of negatives) {
    assumeAccepted(negative.control, `${routeOf(negative.control)}, the accepted control,`)
    sent.push([negative, await negative.send()])
  }
  const after = await ping()
  const what = sent.map(([negative]) => negative.what).join(', ')
  const next = `a valid request after ${what} was refused with ${statusText(after)}`
  assume(succeeded(after), next, ...sent.map(([, answer]) => answer), after)
  for (const [negative, refused] of sent) {
    // A wrong status may be that of any request with the other fields.
    const { status, isTakenWithout } = negative
    const received = refused.response?.status
    const isExpected = status === undefined ? Number(received) < 500 : received === status
    if (isDeclined(refused) && !isExpected && (await isTakenWithout?.()) === false) continue
    claimRejected(claim, refused, routeOf(refused), negative)
  }
  return sent
}

function routeOf(exchange: Exchange): string {
  return `${exchange.request.method} ${sentPath(exchange)}`
}

/** Claims that the request of an answer was refused; `route` is its name in messages. */
export function claimRejected(
  claim: Claim,
  refused: Exchange,
  route: string,
  { requirement, control, what, noServerError, isKeyGuessed, ...documented }: Rejected,
): void {
  const isOfKey = isKeyGuessed && isKeyRefusal(refused)
  const status = isOfKey ? undefined : documented.status
  const received = expect(refused.response?.status, `status of ${route} with ${what}`)
  claim(
    requirement,
    () => {
      if (status !== undefined) received.toBe(status)
      else if (!isDeclined(refused)) {
        const answer = statusText(refused)
        throw new ContractViolation(`${route} with ${what}: expected a refusal, received ${answer}`)
      }
    },
    refused,
    control,
  )
  // An accepted request is not a refusal, so its status decides nothing about refusals.
  if (noServerError && isDeclined(refused))
    claim(noServerError, () => received.toBeLessThan(500), refused)
}

/** Tests for a status of a key without the right to a request, or without funds. */
export function isKeyRefusal({ response }: Exchange): boolean {
  return [401, 402, 403, 404].includes(response?.status ?? 0)
}
