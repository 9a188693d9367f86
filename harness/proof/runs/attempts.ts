import {
  combineDialects,
  compose,
  type Dialect,
  delayAnswers,
  dialects,
  type Fault,
  faults,
} from '../../../reference-server/deviations/index.ts'
import { pick, seededDraw } from '../../../reference-server/runtime/random.ts'
import {
  type ProfileName,
  type Selection,
  surfacesOf,
} from '../../conformance/profile/selection.ts'
import type { TargetResult } from '../verdicts.ts'
import { type Attempt, startDeviant } from './run-target.ts'

/** Number of combinations of dialects that a whole proof shows to be legal, from `combination-1`. */
export const combinationCount = 200

/** All targets of the proof except the null servers. */
export function allAttempts(): Attempt[] {
  // The number of a combination is its seed.
  const combinations = Array.from({ length: combinationCount }, (_, at) => combineDialects(at + 1))
  return [
    plainAttempt('full'),
    ...[...faults, ...faultsInDialects].map(faultAttempt),
    ...dialects.map((dialect) => dialectAttempt('dialect', dialect)),
    ...combinations.map((dialect) => dialectAttempt('combination', dialect)),
  ]
}

/** The server without a deviation: all others are compared with it. */
export function plainAttempt(profile: ProfileName): Attempt {
  const open = () => startDeviant((parts) => parts)
  return { kind: 'clean', name: `clean-${profile}`, open, selection: whole(profile) }
}

/**
 * A fault is run with the surfaces of its requirements only: it has no effect on others, and the proof takes a
 * third of the time.
 */
function faultAttempt({ name, patch, breaks, profile: changes }: ShownFault): Attempt {
  const open = () => startDeviant(patch, changes)
  const surfaces = new Set(breaks.flatMap(surfacesOf))
  const [surface] = surfaces
  const profile = surfaces.size !== 1 || !surface ? 'full' : surface
  return { kind: 'fault', name, open, selection: whole(profile) }
}

export function dialectAttempt(
  kind: 'dialect' | 'combination',
  { name, patch, profile }: Dialect,
): Attempt {
  const open = () => startDeviant(patch, profile)
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

type ShownFault = Fault & Pick<Dialect, 'profile'>

/** Faults that a dialect hides or changes. */
const clashes: Readonly<Record<string, readonly string[]>> = {
  // The empty line before a block ends the block before it.
  'comment-heartbeats': ['openai-stream-blocks-run-together'],
  'blank-lines-more': ['openai-stream-blocks-run-together'],
  // The marker becomes a part of the last block, which is not a JSON object then.
  'done-marker': ['stream-last-block-open', 'stream-last-line-open'],
  // The cursor behind the last row is that of the first page, and the walk never ends.
  'history-ends-on-an-empty-page': ['v3-history-counts-from-the-end'],
}

/** A sample of the faults, each in a legal dialect of its surface, in which it fails the same requirements. */
export const faultsInDialects: readonly ShownFault[] = spread(faults, 40).map((fault) => {
  const surfaces = new Set(fault.breaks.flatMap(surfacesOf))
  const { name, patch, profile } = pick(
    seededDraw(1, 'crossed', fault.name),
    dialects.filter(
      (one) =>
        (one.surface === undefined || surfaces.has(one.surface)) &&
        !clashes[one.name]?.includes(fault.name),
    ),
  )
  return {
    ...{ ...fault, name: `${fault.name} + ${name}`, patch: compose([fault.patch, patch]) },
    ...(profile && { profile }),
  }
})

/** Latency of the slow server, plus or minus half. */
const latencyMs = 300
/** Answers take longer than the network latency, so that their delivery can be judged. */
const unhurried = { ttftMs: 50, gapMs: 10, jitter: 0.2 }
const shuffles = 10
/** Number of faults that are also run in other orders, in which the same requirements must turn red. */
const faultsToShuffle = 25

/**
 * The same targets under other conditions: another order of the scenarios, one at a time or eight, a slow
 * server. The others of a group are compared with its first one.
 */
export function stabilityGroups(): readonly (readonly Attempt[])[] {
  const subjects = [plainAttempt('full'), ...spread(faults, faultsToShuffle).map(faultAttempt)]
  const groups = subjects.map((subject) => [
    subject,
    ...shuffled(subject, subject.kind === 'clean' ? shuffles : 2),
  ])
  return [...groups, [plainAttempt('full'), slow(8), slow(32)]]
}

/** Runs in other orders; every second one runs one scenario at a time. */
function shuffled(subject: Attempt, times: number): Attempt[] {
  return Array.from({ length: times }, (_, at) => {
    const jobs = at % 2 === 0 ? 1 : 8
    const name = `${subject.name}, order ${at + 1}, ${jobs} at a time`
    return { ...subject, name, jobs, shuffle: String(at + 1) }
  })
}

function slow(jobs: number): Attempt {
  const open = () => startDeviant(delayAnswers(latencyMs), {}, unhurried)
  return { ...plainAttempt('full'), name: `slow, ${jobs} at a time`, jobs, open }
}

/** Requirements whose verdict differs from the first run, with both verdicts; empty if all are equal. */
export function differences(first: TargetResult, other: TargetResult): string[] {
  const before = new Map(first.requirements.map((requirement) => [requirement.id, requirement]))
  return other.requirements.flatMap(({ id, verdict, brokenBy, message }) => {
    const requirement = before.get(id)
    if (requirement === undefined) return [`${id} is new`]
    if (requirement.verdict !== verdict)
      return [`${id} is ${verdict}, was ${requirement.verdict}: ${message}`]
    const same = requirement.brokenBy.toSorted().join() === brokenBy.toSorted().join()
    return same
      ? []
      : [`${id} is broken by ${brokenBy.join()}, was by ${requirement.brokenBy.join()}`]
  })
}
