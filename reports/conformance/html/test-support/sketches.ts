import type { ConformanceReport, RequirementRow } from '../../../../contract/report/conformance.ts'

/** Reports written by hand for the tests of the page. */

export function rowOf(more: Partial<RequirementRow> & { readonly id: string }): RequirementRow {
  return {
    level: 'required',
    surface: 'v3',
    section: '4.3',
    verdict: 'pass',
    known: false,
    title: 'A sentence of the document.',
    message: null,
    blockedBy: null,
    scenarios: ['a-scenario'],
    brokenBy: [],
    exchanges: [],
    event: null,
    ...more,
  }
}

export function reportOf(
  requirements: readonly RequirementRow[],
  more: Partial<ConformanceReport> = {},
): ConformanceReport {
  return {
    kind: 'conformance-report',
    schemaVersion: 1,
    outcome: 'violated',
    interrupted: false,
    suite: { version: '0.1.0', interface: '2026-01' },
    target: { baseUrl: 'http://127.0.0.1:4010', profile: 'full', capabilities: { rag: true } },
    seed: 'a-seed',
    strict: false,
    startedAt: '2026-01-02T03:04:05.000Z',
    durationMs: 4321,
    totals: {
      pass: 0,
      fail: 0,
      warn: 0,
      observed: 0,
      'not-applicable': 0,
      inconclusive: 0,
      error: 0,
      unproven: 0,
      known: 0,
    },
    traffic: { answers: 41, statuses: {}, unanswered: 0, cut: 0, timeouts: 0, retries: 0 },
    cost: { requests: 1, generations: 1, chats: 0, uploads: 0 },
    requirements: [...requirements],
    observations: [],
    faults: [],
    residue: [],
    residueUnseen: null,
    ...more,
  }
}
