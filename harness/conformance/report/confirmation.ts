import type { RequirementId } from '../../../contract/index.ts'
import type { ScenarioFinding, Undecided } from '../run-setup.ts'
import { addCosts, addTraffic } from '../usage.ts'
import type { ScenarioResult } from './verdicts.ts'

/**
 * A front (gateway, load balancer, bot filter) answers some requests in place of the service. One of its
 * answers must not count as a violation, and no violation by the service may pass or stay hidden:
 *
 * - A request is sent again after an answer that may be a passing one: 429 and 503, as often as the limits
 *   allow (`requests/send-with-retries.ts`); 408, 421, 425, a 500, an error of a gateway, an HTML page or a
 *   lost conversation, once and if the repeat does no harm (`requests/failure.ts`).
 * - Any other answer is the service's, but one without a 2xx status, an HTML page and a conversation without its
 *   end may be a front's: it is odd (`isOdd`). A violation is doubtful if it rests on an odd answer: on one
 *   of its evidence or, in a claim, on an earlier one to a request that was to be accepted. Without an odd
 *   answer, a single exchange proves it, so that a race needs to be lost only once. A stream without text is
 *   doubtful, too: a model may say nothing now and then, which leaves nothing open (`mayBeChance`).
 * - A scenario with a doubtful violation runs again as a whole, after the others and with new names.
 *   The requirement is violated if each of `maxTries` shows it. If one does not, it is inconclusive: a service
 *   that fails now and then does not pass either. Before each repeat, a request that was accepted earlier must
 *   be accepted still.
 * - A service may show a change late, and an older state once more after that. A claim that is violated in a
 *   scenario that saw a late change is doubtful too (`mayBeStale`). Repeats of that scenario wait after each
 *   change until it must be visible, and decide alone.
 * - A scenario that ended at a failed conversation (`isCutShort`) runs again once: a backend that restarts for two
 *   seconds, or one answer of a gateway to a chat's creation, would leave a hundred requirements open. So does one that ended
 *   at a 404 to a read (`early`), whose repeat waits for changes. The repeat counts if it leaves fewer open; what the
 *   first try proved stays.
 * - If answers contradict earlier ones of the same operations without exception (the key is refused, or a page
 *   or a 404 answers), the run stops (`limits/circuit-breaker.ts`); what is not confirmed by then is inconclusive.
 *
 * A recording holds all tries, by the names of their scenarios, so that it gives the same verdicts.
 */
export const maxTries = 3

/** Pause before a scenario runs again: a front may be restarting. */
export const repeatPauseMs = 500

/** Ends a scenario that is to run again. */
export class ScenarioRepeat extends Error {
  override readonly name = 'ScenarioRepeat'

  constructor() {
    super(repeatMessage)
  }
}

const repeatMessage = 'the scenario runs again'

/** Options of vitest for a scenario: it runs again only after a ScenarioRepeat. */
export const repeatOptions = {
  count: maxTries,
  condition: new RegExp(`^${repeatMessage}$`),
} as const

type Try = Pick<ScenarioResult, 'findings' | 'isCutShort'>

/** Tests if one more try can confirm a violation that all tries have seen so far, or replace one that was cut short. */
export function needsRepeat(tries: readonly Try[]): boolean {
  const counted = withoutCutShort(tries)
  if (counted.length === 0) return true
  return counted.length < maxTries && doubtful(counted).some((id) => isInAll(counted, id))
}

function withoutCutShort<One extends Try>(tries: readonly One[]): readonly One[] {
  return tries[0]?.isCutShort ? tries.slice(1) : tries
}

/** One result of all tries of a scenario; a doubtful violation that they do not confirm is inconclusive. */
export function combineTries(
  tries: readonly [ScenarioResult, ...ScenarioResult[]],
): ScenarioResult {
  const settled = withoutStale(tries)
  const [one, again] = tries
  const isBetter = again !== undefined && openCount(again) < openCount(one)
  const whole = isBetter ? withoutCutShort(tries) : tries
  const counted = settled === tries ? whole : settled.slice(1)
  const unconfirmed = doubtful(settled).filter(
    (id) => counted.length < maxTries || !isInAll(counted, id),
  )
  const [first = tries[0]] = counted
  const others = settled.filter((one) => one !== first)
  const isKept = ({ requirement, isDoubtful }: ScenarioFinding) =>
    !isDoubtful || !unconfirmed.includes(requirement)
  return {
    ...first,
    findings: [...first.findings, ...others.flatMap(brokenIn)].filter(isKept),
    inconclusive: [
      ...unconfirmed.filter((id) => !mayBeChance(tries, id)).map((id) => openEntry(tries, id)),
      ...first.inconclusive,
    ],
    cost: tries.map(({ cost }) => cost).reduce(addCosts),
    traffic: tries.map(({ traffic }) => traffic).reduce(addTraffic),
    speaks: tries.some(({ speaks }) => speaks),
    fault: tries.find(({ fault }) => fault !== null)?.fault ?? null,
  }
}

/** The first try without the violations that an older state may have caused, if a repeat decided about them. */
function withoutStale(tries: readonly ScenarioResult[]): readonly ScenarioResult[] {
  const [first, ...repeats] = tries
  if (first === undefined || repeats.length === 0 || !mayBeStale(first)) return tries
  return [{ ...first, findings: first.findings.filter((one) => !one.mayBeStale) }, ...repeats]
}

/** Tests if an older state may have caused a violation. */
export function mayBeStale({ findings }: Pick<Try, 'findings'>): boolean {
  return findings.some((finding) => finding.mayBeStale)
}

function openCount({ inconclusive }: ScenarioResult): number {
  return new Set(inconclusive.flatMap((entry) => entry.requirements)).size
}

/** Requirements whose violations are all doubtful. */
function doubtful(tries: readonly Try[]): readonly RequirementId[] {
  const broken = tries.flatMap(brokenIn)
  const proved = new Set(
    broken.filter(({ isDoubtful }) => !isDoubtful).map(({ requirement }) => requirement),
  )
  return [...new Set(broken.map(({ requirement }) => requirement))].filter((id) => !proved.has(id))
}

function isInAll(tries: readonly Try[], id: RequirementId): boolean {
  return tries.every((one) => brokenIn(one).some((finding) => finding.requirement === id))
}

function mayBeChance(tries: readonly Try[], id: RequirementId): boolean {
  const broken = tries.flatMap(brokenIn).filter(({ requirement }) => requirement === id)
  return broken.every((finding) => finding.mayBeChance)
}

function brokenIn({ findings }: Try): readonly ScenarioFinding[] {
  return findings.filter(({ verdict }) => verdict === 'broken')
}

/** Reports the finding, and why it does not count. */
function openEntry(tries: readonly ScenarioResult[], id: RequirementId): Undecided {
  const violation = tries.flatMap(brokenIn).find((finding) => finding.requirement === id)
  const without = tries.find((one) => brokenIn(one).every((finding) => finding.requirement !== id))
  const obstacle = without?.findings.some((finding) => finding.requirement === id)
    ? undefined
    : without?.inconclusive.find(({ requirements }) => requirements.includes(id))?.reason
  const times = tries.filter((one) => isInAll([one], id)).length
  const how =
    without === undefined
      ? 'the scenario did not run again'
      : obstacle === undefined
        ? `${times} of ${tries.length} runs of the scenario show it`
        : `the scenario could not run again (${obstacle})`
  return {
    requirements: [id],
    reason: `not confirmed, ${how}: ${violation?.why}`,
    exchanges: violation?.exchanges ?? [],
  }
}
