import { targetFixture } from '../../../fixtures/targets.ts'
import { delayAnswers, faults } from '../../../reference-server/deviations/index.ts'
import type { TargetResult } from '../verdicts.ts'
import { faultAttempt, plainAttempt, spread } from './attempts.ts'
import type { Attempt } from './run-target.ts'
import { startDeviant } from './target.ts'

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
export function stabilityGroups(): ReadonlyMap<string, readonly Attempt[]> {
  const subjects = [plainAttempt('full'), ...spread(faults, faultsToShuffle).map(faultAttempt)]
  const groups = subjects.map((subject): [string, readonly Attempt[]] => [
    subject.name,
    [subject, ...shuffled(subject, subject.kind === 'clean' ? shuffles : 2)],
  ])
  return new Map([...groups, ['slow', [plainAttempt('full'), slow(8), slow(32)]]])
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
  const open = () =>
    startDeviant(delayAnswers(latencyMs), targetFixture('reference'), {}, unhurried)
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
