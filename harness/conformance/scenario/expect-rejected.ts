import { type Exchange, type RequirementId, sentPath, succeeded } from '../../../contract/index.ts'
import { assume, type Claim } from './claims.ts'
import { ContractViolation, expect } from './expect.ts'
import { isDeclined, statusText } from './read.ts'

export interface RejectedRequest {
  /** The requirement that says that this must not succeed. */
  readonly requirement: RequirementId
  /** Accepted request that differs from the negative in exactly one field. */
  readonly control: Exchange
  readonly send: () => Promise<Exchange>
  /** Any request that a living server answers; sent after the negative. */
  readonly ping: () => Promise<Exchange>
  /** The status that the document promises; left out if it only must not succeed. */
  readonly status?: number
  /** The requirement that says that a refusal is no 5xx, if there is one. */
  readonly noServerError?: RequirementId
  /** Defect of the request, for the message. */
  readonly what: string
}

/**
 * A negative proves something only beside its accepted control, and only of a server that still
 * answers afterwards; without them the requirements of the scenario stay open. Gives the refusal.
 */
export async function expectRejected(claim: Claim, negative: RejectedRequest): Promise<Exchange> {
  const { requirement, control, what, status, noServerError } = negative
  assume(
    succeeded(control),
    `${control.request.method} ${sentPath(control)}, the accepted control, was refused with ${statusText(control)}`,
    control,
  )
  const refused = await negative.send()
  const after = await negative.ping()
  assume(succeeded(after), `the target no longer answers after ${what}`, refused, after)

  const route = `${refused.request.method} ${sentPath(refused)}`
  claim(
    requirement,
    () => {
      if (status !== undefined) {
        expect(refused.response?.status, `status of ${route} with ${what}`).toBe(status)
      } else if (!isDeclined(refused)) {
        const received = statusText(refused)
        throw new ContractViolation(
          `${route} with ${what}: expected a refusal, received ${received}`,
        )
      }
    },
    refused,
    control,
  )
  // What was let through is no refusal, so that its status says nothing of refusals.
  if (noServerError && isDeclined(refused)) {
    claim(
      noServerError,
      () => expect(refused.response?.status, `status of ${route} with ${what}`).toBeLessThan(500),
      refused,
    )
  }
  return refused
}
