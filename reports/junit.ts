import { areaOf, type Exchange } from '../harness/contract/index.ts'
import { caseOfBaseline, caseOfFault, caseOfRow, type JUnitCase } from './junit-cases.ts'
import type { ConformanceReport } from './model.ts'
import { summarize } from './summary.ts'
import { type Attributes, element, xmlText } from './xml.ts'

/**
 * JUnit XML as Ant writes it and Jenkins, GitLab and others read it: a suite for each area with a
 * case for each row. What breaks the outcome is a `<failure>`, what the kit is to blame for an
 * `<error>`; all that was not judged is `<skipped>` with its reason, never silently green. Warnings
 * stand in the output of their suite.
 */
export function reportToJUnit(
  report: ConformanceReport,
  exchanges: ReadonlyMap<string, Exchange>,
): string {
  const areas = Map.groupBy(report.requirements, ({ id }) => areaOf(id))
  const suites = [
    ...[...areas].map(([area, rows]) => ({
      name: area,
      cases: rows.map((row) => caseOfRow(row, report, exchanges)),
    })),
    { name: 'baseline', cases: (report.baseline?.problems ?? []).map(caseOfBaseline) },
    { name: 'kit', cases: report.faults.map(caseOfFault) },
  ].filter(({ cases }) => cases.length > 0)
  const lines = suites.map(({ name, cases }, id) => suite(id, name, cases, report))
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n${lines.join('\n')}\n</testsuites>\n`
}

function suite(
  id: number,
  name: string,
  cases: readonly JUnitCase[],
  report: ConformanceReport,
): string {
  const number = (tag: string) => cases.filter(({ result }) => result?.tag === tag).length
  const attributes: Attributes = {
    id,
    name,
    package: 'chatgen-conformance',
    hostname: hostOf(report.target.baseUrl),
    // The schema of Ant has no time zone; it is UTC.
    timestamp: report.startedAt.slice(0, 19),
    tests: cases.length,
    failures: number('failure'),
    errors: number('error'),
    skipped: number('skipped'),
    time: seconds(cases.reduce((sum, { timeMs }) => sum + timeMs, 0)),
  }
  const output = cases.flatMap((one) => (one.output === null ? [] : [one.output])).join('\n')
  const parts = [
    properties(report),
    ...cases.map((one) => testcase(name, one)),
    `<system-out>${xmlText(output)}</system-out>`,
    '<system-err></system-err>',
  ]
  return element('testsuite', attributes, `\n${parts.join('\n')}\n`)
}

/** In every suite: readers show a suite by itself. */
function properties(report: ConformanceReport): string {
  const { target, suite, seed, strict, interrupted, outcome } = report
  const { proven, violated, unproven, known, required } = summarize(report)
  const pairs = {
    outcome,
    proven,
    violated,
    known,
    unproven,
    required,
    target: target.baseUrl,
    profile: target.profile,
    seed,
    strict: String(strict),
    interrupted: String(interrupted),
    'kit.version': suite.version,
    'interface.version': suite.interface,
  }
  const list = Object.entries(pairs).map(([name, value]) => element('property', { name, value }))
  return element('properties', {}, `\n${list.join('\n')}\n`)
}

function testcase(classname: string, { name, timeMs, result }: JUnitCase): string {
  const attributes = { name, classname, time: seconds(timeMs) }
  if (result === null) return element('testcase', attributes)
  const { tag, type, message, text } = result
  const said: Attributes = tag === 'skipped' ? { message } : { type, message }
  return element('testcase', attributes, element(tag, said, xmlText(text)))
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3)
}

function hostOf(baseUrl: string): string {
  return URL.canParse(baseUrl) ? new URL(baseUrl).hostname : 'unknown'
}
