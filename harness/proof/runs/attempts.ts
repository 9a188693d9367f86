import { targetFixture } from '../../../fixtures/targets.ts'
import {
  combineDialects,
  compose,
  type Dialect,
  dialects,
  type Fault,
  faults,
} from '../../../reference-server/deviations/index.ts'
import {
  type ProfileName,
  type Selection,
  surfacesOf,
} from '../../conformance/profile/selection.ts'
import { type Crossing, combinationCount, crossingName } from '../crossed/crossings.ts'
import type { Attempt } from './run-target.ts'
import { startDeviant } from './target.ts'

/** All targets of the proof except the null servers. */
export function allAttempts(): Attempt[] {
  return [
    plainAttempt('full'),
    ...faults.map(faultAttempt),
    ...dialects.map((dialect) => dialectAttempt('dialect', dialect)),
    ...combinations().map((dialect) => dialectAttempt('combination', dialect)),
  ]
}

/** Combinations of several dialects; the number is the seed. */
function combinations(): Dialect[] {
  return Array.from({ length: combinationCount }, (_, at) => combineDialects(at + 1))
}

/** The server without a deviation: all others are compared with it. */
export function plainAttempt(profile: ProfileName): Attempt {
  const open = () => startDeviant((parts) => parts, targetFixture('reference'))
  return { kind: 'clean', name: `clean-${profile}`, open, selection: whole(profile) }
}

/**
 * A fault is run with the surfaces of its requirements only: it has no effect on others, and the proof takes a
 * third of the time.
 */
export function faultAttempt({ name, patch, breaks }: Fault): Attempt {
  const open = () => startDeviant(patch, targetFixture('reference'))
  const surfaces = new Set(breaks.flatMap(surfacesOf))
  const [surface] = surfaces
  const profile = surfaces.size !== 1 || !surface ? 'full' : surface
  return { kind: 'fault', name, open, selection: whole(profile) }
}

/** Applies the dialect after the fault. */
export function crossedAttempt({ fault, dialect }: Crossing): Attempt {
  const patch = compose([fault.patch, dialect.patch])
  return {
    kind: 'crossed',
    name: crossingName({ fault, dialect }),
    open: () => startDeviant(patch, targetFixture('reference'), dialect.profile),
    selection: faultAttempt(fault).selection,
  }
}

export function dialectAttempt(
  kind: 'dialect' | 'combination',
  { name, patch, profile }: Dialect,
): Attempt {
  const open = () => startDeviant(patch, targetFixture('reference'), profile)
  return { kind, name, open, selection: whole('full') }
}

function whole(profile: ProfileName): Selection {
  return { profile, only: [], skip: [] }
}

/** Every Nth item of a list from the Kth on. @param part K/N, so that N processes share the list */
export function partOf<T>(list: readonly T[], part: string): readonly T[] {
  const [own, parts] = /^(\d+)\/(\d+)$/.exec(part)?.slice(1).map(Number) ?? []
  if (!own || !parts || own > parts) throw new Error(`${part}: expected K/N with 1 <= K <= N`)
  return list.filter((_, at) => at % parts === own - 1)
}

/** Picks `count` evenly spaced items of a list. */
export function spread<T>(list: readonly T[], count: number): readonly T[] {
  const step = Math.max(1, list.length / count)
  return list.filter((_, at) => Math.floor(at / step) !== Math.floor((at - 1) / step))
}
