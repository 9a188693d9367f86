import { targetFixture } from '../../fixtures/targets.ts'
import {
  type Dialect,
  dialects,
  type Fault,
  faults,
} from '../../reference-server/deviations/index.ts'
import { type ProfileName, type Selection, surfacesOf } from '../conformance/selection.ts'
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

/**
 * A fault is run with the surfaces that its rows are about: what deviates there cannot show on
 * another, and the proof takes a third of the time. `everywhere` runs all surfaces.
 */
function faultAttempt({ name, refit, breaks }: Fault): Attempt {
  const open = () => startDeviant(refit, targetFixture('reference'))
  const surfaces = new Set(breaks.flatMap(surfacesOf))
  const [surface] = surfaces
  const profile = everywhere || surfaces.size !== 1 || !surface ? 'full' : surface
  return { kind: 'fault', name, open, selection: whole(profile) }
}

function dialectAttempt({ name, refit, profile }: Dialect): Attempt {
  const open = () => startDeviant(refit, targetFixture('reference'), profile)
  return { kind: 'dialect', name, open, selection: whole('full') }
}

const everywhere = process.env['CHATGEN_PROVE_EVERYWHERE'] === 'true'

function whole(profile: ProfileName): Selection {
  return { profile, only: [], skip: [] }
}
