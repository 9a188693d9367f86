import { type Observation, questions } from '../../../contract/index.ts'
import type {
  ConformanceReport,
  ObservationRow,
  RequirementResult,
} from '../../../contract/report/conformance.ts'
import type { LeftoverAudit } from '../cleanup/audit.ts'
import { interfaceRevision, suiteVersion } from '../defaults.ts'
import { endpointSummary, type ResultsAlone, withEndpoints } from '../endpoints-alone.ts'
import type { TargetProfile } from '../profile/index.ts'
import { networkSummary } from '../profile/network.ts'
import type { ProfileName } from '../profile/selection.ts'
import type { RunSetup } from '../run-setup.ts'
import { addCosts, addTraffic, type Cost, noCost, noTraffic } from '../usage.ts'
import type { Collector } from '../vitest/collector.ts'
import { countTotals, reportOutcome } from './totals.ts'

/** A finished run. */
export interface RunResults {
  readonly collector: Collector
  readonly setup: RunSetup
  readonly profileName: ProfileName
  /** Verdicts of the selected requirements. */
  readonly decided: readonly RequirementResult[]
  /** Scenarios that ran again on one of several endpoints. */
  readonly alone: ResultsAlone
  /** Random operations after the suites; undefined if none were carried out, or not all. */
  readonly exploration: ConformanceReport['exploration']
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
  const { alone, audit, collector, interrupted, setup, startedAt, strict } = run
  const { profile, seed } = setup
  const results = collector.resultsInOrder()
  const all = [...results, ...[...alone.values()].flat()]
  const requirements = withEndpoints(run.decided, alone, setup)
  const observations = observationRows(results.flatMap((result) => result.observations))
  return {
    kind: 'conformance-report',
    schemaVersion: 1,
    outcome: reportOutcome(requirements, strict),
    interrupted,
    ...(collector.stopReason !== undefined && { stopped: run.redact(collector.stopReason) }),
    suite: { version: suiteVersion(), interface: interfaceRevision },
    target: {
      baseUrl: run.redact(profile.baseUrl),
      ...(profile.prefixes && { prefixes: profile.prefixes }),
      profile: run.profileName,
      capabilities: declaredCapabilities(profile),
      ...networkSummary(profile),
      ...endpointSummary(setup, run.redact),
    },
    seed,
    strict,
    startedAt: startedAt.toISOString(),
    durationMs: Date.now() - startedAt.getTime(),
    totals: countTotals(requirements, observations.length),
    cost: addCosts(run.cost, { ...noCost, requests: audit.requests }),
    traffic: all.map((result) => result.traffic).reduce(addTraffic, noTraffic),
    depth: setup.depth,
    ...(collector.conditions.length > 0 && {
      conditions: collector.conditions.toSorted((a, b) => (a.operation < b.operation ? -1 : 1)),
    }),
    ...(run.exploration && { exploration: run.exploration }),
    requirements,
    observations,
    faults: [
      ...collector.faults,
      ...all.flatMap(({ title, fault }) =>
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

/** One line for each question, with all distinct answers. */
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
