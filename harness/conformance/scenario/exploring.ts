import { inject, describe as register } from 'vitest'
import { explore, exploredRequirements } from '../../explore/explore.ts'
import { exploreSlug } from '../defaults.ts'
import { isEndless } from '../run-setup.ts'
import { InconclusiveError, RunEndedError } from '../session/errors.ts'
import { covers } from './declaration.ts'
import { test } from './test.ts'

/**
 * Registers the random sequences of operations beside the scenarios of the suites, if the run explores. They are
 * among the first unless a budget may run out, of which they have what the scenarios leave.
 */
export function registerExploring(): void {
  // Absent while the scenarios are only listed.
  const setup: ReturnType<typeof inject<'setup'>> | undefined = inject('setup')
  if (setup === undefined || setup.explore === 0) return
  const { explore: operations, depth, jobs } = setup
  const isLong = jobs > 1 && depth !== 'full' && isEndless(setup)
  // vitest begins what is not concurrent once all before it has ended, repeats included.
  register('random sequences', { concurrent: isLong }, () => {
    test(
      exploreSlug,
      covers(exploredRequirements, { isLong, confirmsItself: true }),
      async ({ session, coverage }) => {
        try {
          const { operations: done, violations } = await explore(session, operations)
          coverage.addExploration({ operations: done, violations: violations.length })
        } catch (error) {
          // An interrupt leaves nothing undecided, as the scenarios test all of it.
          const isEarly = session.isAborted || !(error instanceof RunEndedError)
          if (!(isEarly && error instanceof InconclusiveError)) throw error
        }
      },
    )
  })
}
