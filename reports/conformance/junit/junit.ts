import { areaOf, type Exchange } from '../../../contract/index.ts'
import type { ConformanceReport } from '../../../contract/report/conformance.ts'
import { doubtWord } from '../../text/digest.ts'
import type { Attributes } from '../../text/xml.ts'
import { summarize } from '../summary.ts'
import { trafficNumbers } from '../traffic.ts'
import { caseOfBaseline, caseOfFault, caseOfRow } from './cases.ts'
import { junitOf } from './suites.ts'

/**
 * JUnit XML as Ant writes it and Jenkins, GitLab and others read it: a suite for each area with a case
 * for each requirement. Violations are a `<failure>`, internal errors an `<error>`; what was not judged
 * is `<skipped>` with its reason, never silently green. Warnings stand in the output of their suite.
 */
export function reportToJUnit(
  report: ConformanceReport,
  exchanges: ReadonlyMap<string, Exchange>,
): string {
  // Each is read once: a requirement may have thousands of them.
  const times = new Map([...exchanges].map(([id, { ending }]) => [id, ending.atMs]))
  const timeOf = (id: string) => times.get(id) ?? 0
  const areas = Map.groupBy(report.requirements, ({ id }) => areaOf(id))
  const suites = [
    ...[...areas].map(([area, rows]) => ({
      name: area,
      cases: rows.map((row) => caseOfRow(row, report, { exchanges, timeOf })),
    })),
    { name: 'baseline', cases: (report.baseline?.problems ?? []).map(caseOfBaseline) },
    { name: 'chatgen', cases: report.faults.map(caseOfFault) },
  ]
  return junitOf(suites, { ...report, properties: propertiesOf(report) })
}

/** Properties of every suite: readers show a suite by itself. */
function propertiesOf(report: ConformanceReport): Attributes {
  const { target, suite, seed, strict, interrupted, stopped, outcome } = report
  const { passed, violated, undecided, known, required } = summarize(report)
  const doubt = doubtWord(report)
  return {
    outcome,
    ...(doubt === null ? {} : { digest: doubt }),
    passed,
    violated,
    known,
    undecided,
    required,
    target: target.baseUrl,
    profile: target.profile,
    seed,
    strict: String(strict),
    interrupted: String(interrupted),
    ...(stopped === undefined ? {} : { stopped }),
    'kit.version': suite.version,
    'interface.version': suite.interface,
    ...trafficNumbers(report),
  }
}
