import { type Exchange, type RequirementId, sentPath, succeeded } from '../../../contract/index.ts'
import { assume, type Claim } from './claims.ts'
import { ContractViolation, expect } from './expect.ts'
import { isDeclined, statusText } from './read.ts'

export interface RejectedRequest {
  /** The requirement that this must not succeed. */
  readonly requirement: RequirementId
  /** Accepted request that differs from the negative in exactly one field. */
  readonly control: Exchange
  readonly send: () => Promise<Exchange>
  /** Any request that a working server accepts; sent after the negative. */
  readonly ping: () => Promise<Exchange>
  /** The documented status; omitted if any refusal will do. */
  readonly status?: number
  /** True for a guessed key: a refusal of the key counts as well. */
  readonly isKeyGuessed?: boolean
  /** The requirement that a refusal is not a 5xx, if there is one. */
  readonly noServerError?: RequirementId
  /** Defect of the request, for the message. */
  readonly what: string
}

/**
 * Asserts a refusal. It proves something only together with the accepted control, and only if the server
 * still answers afterwards; otherwise the requirements of the scenario stay open. Returns the refusal.
 */
export async function expectRejected(claim: Claim, negative: RejectedRequest): Promise<Exchange> {
  const { requirement, control, what, noServerError } = negative
  assume(
    succeeded(control),
    `${control.request.method} ${sentPath(control)}, the accepted control, was refused with ${statusText(control)}`,
    control,
  )
  const refused = await negative.send()
  const after = await negative.ping()
  assume(succeeded(after), `the target no longer answers after ${what}`, refused, after)

  const isOfKey = negative.isKeyGuessed && keyRefusals.includes(statusText(refused))
  const status = isOfKey ? undefined : negative.status
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
  // An accepted request is not a refusal, so its status decides nothing about refusals.
  if (noServerError && isDeclined(refused)) {
    claim(
      noServerError,
      () => expect(refused.response?.status, `status of ${route} with ${what}`).toBeLessThan(500),
      refused,
    )
  }
  return refused
}

/** Statuses of a key without the right to a route, or without funds. */
const keyRefusals = ['401', '402', '403', '404']
