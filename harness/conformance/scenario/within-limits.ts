import type { Exchange } from '../../../contract/index.ts'
import { describeRequest } from '../session/limits/limit-breaches.ts'
import type { Session } from '../session/session.ts'
import { assume } from './claims.ts'

interface Walked {
  readonly pages: readonly Exchange[]
  /** Which limit it exceededLimit, as the end of a sentence. */
  readonly exceededLimit?: string
}

/**
 * Ends the scenario where a list passed a limit of the profile, for what it did not show may be on a
 * page that was not asked for. `isTold`: what was seen can be judged all the same.
 */
export function assumeWithinLimits(
  session: Session,
  { pages, exceededLimit }: Walked,
  isConclusive = false,
): void {
  const last = pages.at(-1)
  if (exceededLimit === undefined || last === undefined) return
  session.context.limitBreaches.add(last, exceededLimit)
  assume(isConclusive, `${describeRequest(last)} ${exceededLimit}`, last)
}
