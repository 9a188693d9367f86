import { type Observation, questions, type RequirementId } from '../../../contract/index.ts'
import type { ConformanceReport, ObservationRow } from '../../../contract/report/conformance.ts'
import type { LeftoverAudit } from '../cleanup/audit.ts'
import type { TargetProfile } from '../profile/index.ts'
import { networkSummary } from '../profile/network.ts'
import type { ProfileName } from '../profile/selection.ts'
import { addCosts, addTraffic, type Cost, noCost, noTraffic } from '../usage.ts'
import { interfaceRevision, suiteVersion } from '../version.ts'
import type { Collector } from '../vitest/collector.ts'
import { countTotals, reportOutcome } from './totals.ts'
import { decide } from './verdicts.ts'

/** A finished run. */
export interface RunResults {
  readonly collector: Collector
  readonly profile: TargetProfile
  readonly profileName: ProfileName
  /** Selected requirements. */
  readonly rows: readonly RequirementId[]
  readonly seed: string
  readonly strict: boolean
  readonly startedAt: Date
  readonly interrupted: boolean
  /** Cost of the scenarios and of the requests before them. */
  readonly cost: Cost
  readonly audit: LeftoverAudit
  /** Removes secrets. */
  readonly redact: (text: string) => string
}

export function buildReport(run: RunResults): ConformanceReport {
  const { audit, collector, interrupted, profile, seed, startedAt, strict } = run
  const results = collector.resultsInOrder()
  const requirements = decide(run.rows, results, collector.scenarios, profile, { interrupted })
  const observations = observationRows(results.flatMap((result) => result.observations))
  return {
    kind: 'conformance-report',
    schemaVersion: 1,
    outcome: reportOutcome(requirements, strict),
    interrupted,
    suite: { version: suiteVersion(), interface: interfaceRevision },
    target: {
      baseUrl: run.redact(profile.baseUrl),
      profile: run.profileName,
      capabilities: declaredCapabilities(profile),
      ...networkSummary(profile),
    },
    seed,
    strict,
    startedAt: startedAt.toISOString(),
    durationMs: Date.now() - startedAt.getTime(),
    totals: countTotals(requirements, observations.length),
    cost: addCosts(run.cost, { ...noCost, requests: audit.requests }),
    traffic: results.map((result) => result.traffic).reduce(addTraffic, noTraffic),
    requirements,
    observations,
    faults: [
      ...collector.faults,
      ...results.flatMap(({ title, fault }) =>
        fault === null ? [] : [{ scenario: title, message: fault }],
      ),
    ],
    residue: [...audit.leftovers],
    residueUnseen: audit.incompleteReason,
  }
}

function declaredCapabilities(profile: TargetProfile): Record<string, boolean> {
  return Object.fromEntries(
    Object.entries(profile.capabilities).filter(
      (entry): entry is [string, boolean] => entry[1] !== undefined,
    ),
  )
}

/** One line for each question, with all different answers. */
function observationRows(observations: readonly Observation[]): ObservationRow[] {
  const byQuestion = Map.groupBy(observations, ({ question }) => question)
  return [...byQuestion]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([id, answers]) => ({
      id,
      question: questions[id].question,
      answer: [...new Set(answers.map(({ answer }) => answer))].sort().join('; '),
      exchanges: [...new Set(answers.flatMap(({ exchanges }) => exchanges))].slice(0, 10),
    }))
}
