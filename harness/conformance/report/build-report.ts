import { isRequirementId, type Observation, questions } from '../../../contract/index.ts'
import {
  type ConformanceReport,
  type ObservationRow,
  type RequirementResult,
  undecidedVerdicts,
  type Verdict,
} from '../../../contract/report/conformance.ts'
import { emptyAudit, type LeftoverAudit } from '../cleanup/cleanup.ts'
import { interfaceRevision, suiteVersion } from '../defaults.ts'
import { endpointSummary, type ResultsAlone, withEndpoints } from '../endpoints-alone.ts'
import { declaredCapabilities } from '../profile/index.ts'
import { networkSummary } from '../profile/network.ts'
import { matches, type ProfileName, selectRequirements } from '../profile/selection.ts'
import type { RunSetup } from '../run-setup.ts'
import { addTraffic, noCost, noTraffic, totalCost } from '../usage.ts'
import type { Collector } from '../vitest/collector.ts'
import { byNumber } from './verdicts.ts'

/** A run, also one under way: what only its end brings is optional. */
interface RunResults {
  readonly collector: Collector
  readonly setup: RunSetup
  readonly profileName: ProfileName
  /** Requests before those of the scenarios. */
  readonly requestsBefore: number
  /** Verdicts of the selected requirements. */
  readonly decided: readonly RequirementResult[]
  readonly strict: boolean
  readonly startedAt: Date
  /** Start of the run, as `performance.now()`. */
  readonly startMs: number
  readonly redact: (text: string) => string
  /** Scenarios that ran again on one of several endpoints. */
  readonly alone?: ResultsAlone
  /** Random operations beside the suites; undefined if none were carried out, or not all. */
  readonly exploration?: ConformanceReport['exploration']
  readonly interrupted?: boolean
  readonly audit?: LeftoverAudit
}

export function buildReport({
  alone = new Map(),
  audit = emptyAudit,
  interrupted = false,
  ...run
}: RunResults): ConformanceReport {
  const { collector, redact, setup, startedAt, strict } = run
  const { profile, seed } = setup
  const results = collector.resultsInOrder()
  const all = [...results, ...[...alone.values()].flat()]
  const requirements = withEndpoints(run.decided, alone, setup)
  const selectable = selectRequirements({ profile: run.profileName, only: [], skip: [] })
  const unselected = selectable.length - requirements.length
  const observations = observationRows(results.flatMap((result) => result.observations))
  const faults = [
    ...collector.faults,
    ...all.flatMap(({ title, fault }) =>
      fault === null ? [] : [{ scenario: title, message: fault }],
    ),
  ]
  return {
    kind: 'conformance-report',
    schemaVersion: 1,
    outcome: reportOutcome({ requirements, strict, faults }),
    interrupted,
    ...(collector.stopReason !== undefined && { stopped: redact(collector.stopReason) }),
    suite: { version: suiteVersion(), interface: interfaceRevision },
    target: {
      baseUrl: redact(profile.baseUrl),
      ...(profile.prefixes && { prefixes: profile.prefixes }),
      profile: run.profileName,
      capabilities: declaredCapabilities(profile),
      ...networkSummary(profile),
      ...endpointSummary(setup, redact),
    },
    seed,
    strict,
    startedAt: startedAt.toISOString(),
    durationMs: Math.round(performance.now() - run.startMs),
    totals: countTotals(requirements, observations.length),
    cost: totalCost(all, { ...noCost, requests: run.requestsBefore + audit.requests }),
    traffic: all.map((result) => result.traffic).reduce(addTraffic, noTraffic),
    depth: setup.depth,
    ...(collector.conditions.length > 0 && {
      conditions: collector.conditions.toSorted((a, b) => (a.operation < b.operation ? -1 : 1)),
    }),
    ...(run.exploration && { exploration: run.exploration }),
    requirements,
    ...(unselected > 0 && { unselected }),
    observations,
    faults,
    residue: [...audit.leftovers],
    residueUnseen: audit.incompleteReason,
  }
}

/** One line for each question, with all distinct answers, and the first exchanges that show them. */
function observationRows(observations: readonly Observation[]): ObservationRow[] {
  const byQuestion = Map.groupBy(observations, ({ question }) => question)
  return [...byQuestion]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([id, answers]) => ({
      id,
      question: questions[id].question,
      answer: [...new Set(answers.map(({ answer }) => answer))].sort().join('; '),
      // Concurrent requests end in another order in each run, and in a rejudge.
      exchanges: [...new Set(answers.flatMap(({ exchanges }) => exchanges))]
        .sort(byNumber)
        .slice(0, 10),
    }))
}

export function countTotals(
  requirements: readonly RequirementResult[],
  observed: number,
): ConformanceReport['totals'] {
  const zero = { pass: 0, fail: 0, warn: 0, observed, 'not-applicable': 0, inconclusive: 0 }
  const totals = { ...zero, error: 0, unproven: 0, known: 0 }
  for (const { verdict, known } of requirements) {
    if (verdict !== 'unclaimed' && verdict !== 'observed') totals[verdict] += 1
    if (known) totals.known += 1
  }
  return totals
}

/**
 * Violated: a required requirement fails that no baseline names (with `strict`, a warning counts as well).
 * Incomplete: nothing violated, but a required requirement was not decided, or none of any level was, or an internal
 * error occurred, so that what else the run would have found is unknown. Requirements that a known violation blocks
 * do not count: accepting the violation includes the requirements that depend on it.
 * @param allowed ids of undecided requirements that do not count
 */
export function reportOutcome(
  { requirements, strict, faults }: Pick<ConformanceReport, 'requirements' | 'strict' | 'faults'>,
  allowed: readonly string[] = [],
): ConformanceReport['outcome'] {
  const counts = (verdict: Verdict) => verdict === 'fail' || (strict && verdict === 'warn')
  if (requirements.some(({ known, verdict }) => !known && counts(verdict))) return 'violated'
  const open = requirements.some(
    (requirement) =>
      requirement.level === 'required' &&
      undecidedVerdicts.includes(requirement.verdict) &&
      !allowed.includes(requirement.id) &&
      !isBlockedByKnown(requirement, requirements),
  )
  const has = (verdicts: readonly Verdict[]) =>
    requirements.some(({ verdict }) => verdicts.includes(verdict))
  const isBlind = has(undecidedVerdicts) && !has(['pass', 'fail', 'warn'])
  return open || isBlind || faults.length > 0 ? 'incomplete' : 'conforms'
}

/** Tests if a known violation blocks a requirement, directly or through requirements that are blocked themselves. */
function isBlockedByKnown(
  requirement: RequirementResult,
  requirements: readonly RequirementResult[],
): boolean {
  const visited = new Set<RequirementResult>()
  let at: RequirementResult | undefined = requirement
  while (at !== undefined && !visited.has(at)) {
    visited.add(at)
    const { blockedBy }: RequirementResult = at
    at = requirements.find(({ id }) => id === blockedBy)
    if (at?.known) return true
  }
  return false
}

/**
 * The report with undecided requirements that do not count: only those that a complete run could not decide,
 * not after an internal error, in a run that ended early, or in one in which nothing passed.
 * @param globs over ids, areas and titles; none leaves the report as it is
 */
export function allowUndecided(
  report: ConformanceReport,
  globs: readonly string[],
): ConformanceReport {
  if (globs.length === 0) return report
  const { interrupted, requirements, stopped } = report
  const passed = requirements.some(({ verdict }) => verdict === 'pass')
  const isComplete = !interrupted && stopped === undefined && passed
  const ids = requirements.flatMap(({ id, level, verdict }) => {
    const isOpen = level === 'required' && (verdict === 'inconclusive' || verdict === 'unproven')
    const isNamed = isRequirementId(id) && globs.some((glob) => matches(glob, id))
    return isComplete && isOpen && isNamed ? [id] : []
  })
  return {
    ...report,
    outcome: reportOutcome(report, ids),
    allowedUndecided: { globs: [...globs], ids },
  }
}
