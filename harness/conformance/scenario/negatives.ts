import {
  type Exchange,
  type RequirementId,
  requestPath,
  succeeded,
} from '../../../contract/index.ts'
import { type Claim, given } from './claims.ts'
import { ContractViolation, expect } from './expect.ts'
import { declined, statusOf } from './read.ts'

export interface Negative {
  /** The row that says that this must not succeed. */
  readonly row: RequirementId
  /** What was accepted and differs from the negative in exactly one field. */
  readonly twin: Exchange
  readonly send: () => Promise<Exchange>
  /** Any request that a living server answers; sent after the negative. */
  readonly alive: () => Promise<Exchange>
  /** The status that the document promises; left out where it only must not succeed. */
  readonly status?: number
  /** The row that says that a refusal is no 5xx, where there is one. */
  readonly no5xx?: RequirementId
  /** What is wrong with it, for the message. */
  readonly what: string
}

/**
 * A negative proves something only beside its accepted twin, and only of a server that still
 * answers afterwards; without them the rows of the scenario stay open. Gives the refusal.
 */
export async function refuses(claim: Claim, negative: Negative): Promise<Exchange> {
  const { row, twin, what, status, no5xx } = negative
  given(succeeded(twin), `the accepted twin was refused with ${statusOf(twin)}`, twin)
  const refused = await negative.send()
  const after = await negative.alive()
  given(succeeded(after), `the target no longer answers after ${what}`, refused, after)

  const route = `${refused.request.method} ${requestPath(refused)}`
  claim(
    row,
    () => {
      if (status !== undefined) {
        expect(refused.response?.status, `status of ${route} with ${what}`).toBe(status)
      } else if (!declined(refused)) {
        const received = statusOf(refused)
        throw new ContractViolation(
          `${route} with ${what}: expected a refusal, received ${received}`,
        )
      }
    },
    refused,
    twin,
  )
  // What was let through is no refusal, so that its status says nothing of refusals.
  if (no5xx && declined(refused)) {
    claim(
      no5xx,
      () => expect(refused.response?.status, `status of ${route} with ${what}`).toBeLessThan(500),
      refused,
    )
  }
  return refused
}
