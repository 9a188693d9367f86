import { targetFixture } from '../../fixtures/targets.ts'
import {
  type Dialect,
  dialects,
  type Fault,
  faults,
} from '../../reference-server/deviations/index.ts'
import type { ProfileName, Selection } from '../conformance/selection.ts'
import type { Attempt } from './run-target.ts'
import { startDeviant } from './target.ts'

/** Everything that the proof runs the suites against, by kind and name. */
export function allAttempts(): Attempt[] {
  return [plainAttempt('full'), ...faults.map(faultAttempt), ...dialects.map(dialectAttempt)]
}

/** The server without a deviation: all others are compared with it. */
export function plainAttempt(profile: ProfileName): Attempt {
  const open = () => startDeviant((parts) => parts, targetFixture('reference'))
  return { kind: 'clean', name: `clean-${profile}`, open, selection: whole(profile) }
}

/** All surfaces, also those that a fault should not reach: an undeclared flip may be anywhere. */
function faultAttempt({ name, refit }: Fault): Attempt {
  const open = () => startDeviant(refit, targetFixture('reference'))
  return { kind: 'fault', name, open, selection: whole('full') }
}

function dialectAttempt({ name, refit, profile }: Dialect): Attempt {
  const open = () => startDeviant(refit, targetFixture('reference'), profile)
  return { kind: 'dialect', name, open, selection: whole('full') }
}

function whole(profile: ProfileName): Selection {
  return { profile, only: [], skip: [] }
}
