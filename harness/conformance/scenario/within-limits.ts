import type { Exchange } from '../../../contract/index.ts'
import { askedOf } from '../session/excess.ts'
import type { Session } from '../session/session.ts'
import { given } from './claims.ts'

interface Walked {
  readonly pages: readonly Exchange[]
  /** Which limit it passed, as the end of a sentence. */
  readonly passed?: string
}

/**
 * Ends the scenario where a list passed a limit of the profile, for what it did not show may be on a
 * page that was not asked for. `isTold`: what was seen can be judged all the same.
 */
export function withinLimits(session: Session, { pages, passed }: Walked, isTold = false): void {
  const last = pages.at(-1)
  if (passed === undefined || last === undefined) return
  session.context.overruns.note(last, passed)
  given(isTold, `${askedOf(last)} ${passed}`, last)
}
