import { type RequirementId, requirements } from '../../../contract/index.ts'
import type { RequirementResult, Verdict } from '../../../contract/report/conformance.ts'
import type { TargetProfile } from '../profile/index.ts'
import { skipReason } from '../profile/selection.ts'
import type { ScenarioOutcome, Undecided } from '../run-setup.ts'

/** Order of ids such as x9 and x10. */
export const { compare: byNumber } = new Intl.Collator('en', { numeric: true })

/** Result of one scenario, with its end. */
export interface ScenarioResult extends ScenarioOutcome {
  /** An internal error: what the scenario threw; null if there is none. */
  readonly fault: string | null
}

export interface ScenarioCoverage {
  readonly slug: string
  readonly requirements: readonly RequirementId[]
}

interface Ruling {
  readonly verdict: Verdict
  readonly message?: string
  readonly exchanges?: readonly string[] | undefined
  readonly event?: number | undefined
  readonly blockedBy?: string
}

/** Reasons for a requirement without findings and results of scenarios. */
const silentReason = 'no completion had text, whether streamed or in one piece'
const neverSeenReason = 'the behavior did not occur in this run'
export const interruptedReason = 'the run was interrupted before this was tested'
/** The same in the report of an unfinished run. */
export const pendingReason = 'not tested yet'

/**
 * The verdict of each requirement, from all findings about it. `scenarios` are those that exist, to
 * distinguish a requirement without a scenario from one that did not occur; `untestedReason` is the message
 * for a requirement of which a scenario has not ended.
 */
export function decide(
  ids: readonly RequirementId[],
  results: readonly ScenarioResult[],
  scenarios: readonly ScenarioCoverage[],
  profile: TargetProfile,
  { untestedReason = neverSeenReason }: { readonly untestedReason?: string | undefined } = {},
): RequirementResult[] {
  const evidence = gather(results)
  return ids.map((id) => {
    const covering = scenarios.filter((scenario) => scenario.requirements.includes(id))
    const skipped = skipReason(id, profile)
    const ruling: Ruling =
      covering.length === 0
        ? { verdict: 'unclaimed', message: 'no scenario of the run tests it' }
        : (skipped ?? rule(id, evidence, covering, untestedReason))
    const { level, surface, section, title } = requirements[id]
    return {
      id,
      level,
      surface,
      section,
      verdict: ruling.verdict,
      known: false,
      title,
      message: ruling.message ?? null,
      blockedBy: ruling.blockedBy ?? null,
      scenarios: covering.map(({ slug }) => slug),
      brokenBy: evidence.broken.has(id)
        ? results.filter((result) => breaks(result, id)).map(({ slug }) => slug)
        : [],
      exchanges: [...(ruling.exchanges ?? [])],
      event: ruling.event ?? null,
    }
  })
}

/** Requirements for the acceptance of a plain request. */
const plainRequests: readonly RequirementId[] = [
  ...(['OAI-MODELS-01', 'OAI-CHAT-01', 'OAI-STREAM-01', 'V2-MSG-01', 'V2-GEN-01'] as const),
  ...(['V3-CHAT-01', 'V3-GEN-01', 'V3-SSE-01', 'V3-ONE-01', 'V3-ATT-01', 'KB-01'] as const),
]

/** All that the scenarios of a run found, for the verdict of any requirement. */
function gather(results: readonly ScenarioResult[]) {
  const speaks = results.some((result) => result.speaks)
  const all = results.flatMap((result) => result.findings)
  // A model that says nothing in one piece either is legal.
  const findings = all.filter((finding) => speaks || finding.mayBeChance !== true)
  const found = Map.groupBy(findings, ({ requirement }) => requirement)
  const broken = findings.filter(({ verdict }) => verdict === 'broken')
  const inconclusive = results.flatMap((result) => result.inconclusive)
  const faults = results.filter(({ fault }) => fault)
  const tried = [...inconclusive, ...faults.map(({ covers }) => ({ requirements: covers }))]
  return {
    found,
    broken: new Set(broken.map(({ requirement }) => requirement)),
    silent: new Set(all.flatMap((one) => (findings.includes(one) ? [] : [one.requirement]))),
    inconclusive,
    unproven: results.flatMap((result) => result.unproven),
    faults,
    ended: new Set(results.map(({ slug }) => slug)),
    /**
     * Plain requests that were tried without a result. Refusing an option is legal, and accepting it means
     * something, only if the plain request is accepted.
     */
    undecided: new Set(plainRequests.filter((id) => tried.some(isAbout(id)) && !found.has(id))),
  }
}

function breaks({ findings }: ScenarioResult, id: RequirementId): boolean {
  return findings.some(({ requirement, verdict }) => requirement === id && verdict === 'broken')
}

function isAbout(id: RequirementId) {
  return ({ requirements: ids }: Pick<Undecided, 'requirements'>) => ids.includes(id)
}

function rule(
  id: RequirementId,
  evidence: ReturnType<typeof gather>,
  covering: readonly ScenarioCoverage[],
  untestedReason: string,
): Ruling {
  const found = evidence.found.get(id) ?? []
  const broken = found.find(({ verdict }) => verdict === 'broken')
  const blockedBy = firstNeed(id, evidence.broken)
  if (blockedBy) {
    const message = `blocked by ${blockedBy}`
    return { verdict: 'inconclusive', message, exchanges: broken?.exchanges, blockedBy }
  }
  if (broken) {
    const { why: message, exchanges, event } = broken
    const verdict = requirements[id].level === 'required' ? 'fail' : 'warn'
    return { verdict, message, exchanges, event }
  }
  const { fault } = evidence.faults.find(({ covers }) => covers.includes(id)) ?? {}
  if (fault) return { verdict: 'error', message: fault }
  const open = evidence.inconclusive.find(isAbout(id))
  if (open) return { verdict: 'inconclusive', message: open.reason, exchanges: open.exchanges }
  const isReached = covering.every(({ slug }) => evidence.ended.has(slug))
  const absentReason = evidence.silent.has(id) ? silentReason : neverSeenReason
  const unseenReason = isReached ? absentReason : untestedReason
  // What held so far might have been broken by a scenario that did not run.
  if (found.length === 0 || unseenReason === interruptedReason) {
    const message = evidence.unproven.find(isAbout(id))?.reason ?? unseenReason
    return { verdict: 'unproven', message }
  }
  // Responses to requests at once are judged in any order.
  const exchanges = [...new Set(found.flatMap((finding) => finding.exchanges))].sort(byNumber)
  const premise = firstNeed(id, evidence.undecided)
  if (!premise) return { verdict: 'pass', exchanges }
  const message = `depends on ${premise}, which is undecided`
  return { verdict: 'inconclusive', message, exchanges }
}

/** The nearest of `ids` on which a requirement depends, directly or through others. */
function firstNeed(id: RequirementId, ids: ReadonlySet<RequirementId>): RequirementId | undefined {
  const needed = new Set(needsOf(id))
  // Includes those that are added meanwhile.
  for (const next of needed) {
    if (ids.has(next)) return next
    for (const further of needsOf(next)) needed.add(further)
  }
  return undefined
}

function needsOf(id: RequirementId): RequirementId[] {
  return (requirements[id].needs ?? []).filter(
    (need): need is RequirementId => need in requirements,
  )
}
