import { type Finding, type RequirementId, requirements } from '../../../contract/index.ts'
import type { RequirementResult, Verdict } from '../../../contract/report/conformance.ts'
import type { TargetProfile } from '../profile/index.ts'
import { skipReason } from '../profile/selection.ts'
import type { ScenarioOutcome, Undecided } from '../run-setup.ts'

const { compare: byNumber } = new Intl.Collator('en', { numeric: true })

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
  readonly message: string | null
  readonly exchanges: readonly string[]
  readonly event?: number
  readonly blockedBy?: string
}

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
  const speaks = results.some((result) => result.speaks)
  const all = results.flatMap((result) => result.findings)
  // A model that says nothing in one piece either is legal.
  const findings = all.filter((finding) => speaks || finding.mayBeChance !== true)
  const silent = new Set(all.flatMap((one) => (findings.includes(one) ? [] : [one.requirement])))
  const byRow = Map.groupBy(findings, ({ requirement }) => requirement)
  const broken = new Set(
    findings.filter(({ verdict }) => verdict === 'broken').map(({ requirement }) => requirement),
  )
  const undecided = undecidedPlainRequests(findings, results)
  return ids.map((id) => {
    const covering = scenarios.filter((scenario) => scenario.requirements.includes(id))
    const evidence = gather(id, byRow.get(id) ?? [], results)
    const notReached = covering.some(({ slug }) => results.every((result) => result.slug !== slug))
    const absentReason = silent.has(id) ? silentReason : neverSeenReason
    const unseenReason = notReached ? untestedReason : absentReason
    // What held so far might have been broken by a scenario that did not run.
    const held = unseenReason === interruptedReason ? [] : evidence.held
    const premises = { broken, undecided }
    const ruling = rule(id, { ...evidence, held, unseenReason }, covering, profile, premises)
    const { level, surface, section, title } = requirements[id]
    return {
      id,
      level,
      surface,
      section,
      verdict: ruling.verdict,
      known: false,
      title,
      message: ruling.message,
      blockedBy: ruling.blockedBy ?? null,
      scenarios: covering.map(({ slug }) => slug),
      brokenBy: broken.has(id)
        ? results.filter((result) => breaks(result, id)).map(({ slug }) => slug)
        : [],
      exchanges: [...ruling.exchanges],
      event: ruling.event ?? null,
    }
  })
}

/** Requirements for the acceptance of a plain request. */
const plainRequests: readonly RequirementId[] = [
  ...(['OAI-MODELS-01', 'OAI-CHAT-01', 'OAI-STREAM-01', 'V2-MSG-01', 'V2-GEN-01'] as const),
  ...(['V3-CHAT-01', 'V3-GEN-01', 'V3-SSE-01', 'V3-ONE-01', 'V3-ATT-01', 'KB-01'] as const),
]

/**
 * Plain requests that were tried without a result. Refusing an option is legal, and accepting it means
 * something, only if the plain request is accepted.
 */
function undecidedPlainRequests(
  findings: readonly Finding[],
  results: readonly ScenarioResult[],
): ReadonlySet<RequirementId> {
  const tried = results.flatMap(({ covers, inconclusive, fault }) => [
    ...inconclusive.flatMap(({ requirements: ids }) => ids),
    ...(fault ? covers : []),
  ])
  const found = new Set(findings.map(({ requirement }) => requirement))
  return new Set(plainRequests.filter((id) => tried.includes(id) && !found.has(id)))
}

function breaks({ findings }: ScenarioResult, id: RequirementId): boolean {
  return findings.some(({ requirement, verdict }) => requirement === id && verdict === 'broken')
}

function gather(
  id: RequirementId,
  findings: readonly Finding[],
  results: readonly ScenarioResult[],
) {
  const about = (list: readonly Undecided[]) =>
    list.filter(({ requirements: ids }) => ids.includes(id))
  return {
    held: findings.filter(({ verdict }) => verdict === 'held'),
    broken: findings.filter(({ verdict }) => verdict === 'broken'),
    inconclusive: results.flatMap((result) => about(result.inconclusive)),
    unproven: results.flatMap((result) => about(result.unproven)),
    faults: results.flatMap(({ covers, fault }) => (fault && covers.includes(id) ? [fault] : [])),
  }
}

/** Reasons for a requirement without findings and results of scenarios. */
const silentReason = 'no completion had text, whether streamed or in one piece'
const neverSeenReason = 'the behavior did not occur in this run'
export const interruptedReason = 'the run was interrupted before this was tested'
/** The same in the report of an unfinished run. */
export const pendingReason = 'not tested yet'

function rule(
  id: RequirementId,
  evidence: ReturnType<typeof gather> & { readonly unseenReason: string },
  claimed: readonly ScenarioCoverage[],
  profile: TargetProfile,
  premises: {
    readonly broken: ReadonlySet<RequirementId>
    readonly undecided: ReadonlySet<RequirementId>
  },
): Ruling {
  if (claimed.length === 0)
    return { verdict: 'unclaimed', message: 'no scenario of the run tests it', exchanges: [] }
  const aside = skipReason(id, profile)
  if (aside) return { ...aside, exchanges: [] }

  const [broken] = evidence.broken
  const blockedBy = firstNeed(id, premises.broken)
  if (blockedBy) {
    const message = `blocked by ${blockedBy}`
    return { verdict: 'inconclusive', message, exchanges: broken?.exchanges ?? [], blockedBy }
  }
  if (broken) {
    return {
      verdict: requirements[id].level === 'required' ? 'fail' : 'warn',
      message: broken.why,
      exchanges: broken.exchanges,
      ...(broken.event === undefined ? {} : { event: broken.event }),
    }
  }
  const [fault] = evidence.faults
  if (fault) return { verdict: 'error', message: fault, exchanges: [] }
  const [open] = evidence.inconclusive
  if (open) return { verdict: 'inconclusive', message: open.reason, exchanges: open.exchanges }
  if (evidence.held.length > 0) {
    const ids = new Set(evidence.held.flatMap((finding) => finding.exchanges))
    // Responses to requests at once are judged in any order.
    const exchanges = [...ids].sort(byNumber)
    const premise = firstNeed(id, premises.undecided)
    if (!premise) return { verdict: 'pass', message: null, exchanges }
    const message = `depends on ${premise}, which is undecided`
    return { verdict: 'inconclusive', message, exchanges }
  }
  return {
    verdict: 'unproven',
    message: evidence.unproven[0]?.reason ?? evidence.unseenReason,
    exchanges: [],
  }
}

/** The nearest of `requirements` on which this one depends, directly or through others. */
function firstNeed(id: RequirementId, ids: ReadonlySet<RequirementId>): RequirementId | undefined {
  const visited = new Set<RequirementId>([id])
  const queue: RequirementId[] = [...needsOf(id)]
  for (let next = queue.shift(); next; next = queue.shift()) {
    if (visited.has(next)) continue
    visited.add(next)
    if (ids.has(next)) return next
    queue.push(...needsOf(next))
  }
  return undefined
}

function needsOf(id: RequirementId): RequirementId[] {
  return (requirements[id].needs ?? []).filter(
    (need): need is RequirementId => need in requirements,
  )
}
