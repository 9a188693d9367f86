import { type RequirementId, requirements } from '../../../contract/index.ts'
import type { ConformanceReport, RequirementResult } from '../../../contract/report/conformance.ts'
import { countTotals, reportOutcome } from '../report/totals.ts'
import { noTraffic } from '../usage.ts'

/** Reports of runs that never were, for the tests of what is made from them. */
export function reportOf(
  ids: readonly RequirementResult[],
  more: Partial<ConformanceReport> = {},
): ConformanceReport {
  return {
    kind: 'conformance-report',
    schemaVersion: 1,
    outcome: reportOutcome(ids, more.strict ?? false),
    interrupted: false,
    suite: { version: '0.1.0', interface: '2026-01' },
    target: { baseUrl: 'http://127.0.0.1:4010', profile: 'full', capabilities: { images: true } },
    seed: 'seed-1',
    strict: false,
    startedAt: '2026-01-02T03:04:05.000Z',
    durationMs: 4321,
    totals: countTotals(ids, 0),
    traffic: noTraffic,
    cost: { requests: 41, generations: 12, chats: 3, uploads: 1 },
    requirements: [...ids],
    observations: [],
    faults: [],
    residue: [],
    residueUnseen: null,
    ...more,
  }
}

/** A requirement of the catalog, broken unless it is said otherwise. */
export function resultOf(
  id: RequirementId,
  more: Partial<RequirementResult> = {},
): RequirementResult {
  const { level, surface, section, title } = requirements[id]
  return {
    id,
    level,
    surface,
    section,
    verdict: 'fail',
    known: false,
    title,
    message: null,
    blockedBy: null,
    scenarios: [],
    brokenBy: [],
    exchanges: [],
    event: null,
    ...more,
  }
}
