import { Chalk } from 'chalk'
import { areaOf, type Exchange } from '../../contract/index.ts'
import type {
  BaselineProblem,
  ConformanceReport,
  RequirementResult,
} from '../../contract/report/conformance.ts'
import { standingOf } from '../catalog/entries.ts'
import { plainText } from '../document/document.ts'
import { evidenceLines } from '../document/evidence.ts'
import { doubtWord } from '../text/digest.ts'
import { type Attributes, clean, element, printable, xmlText } from '../text/escape.ts'
import { knownText, summarize, trafficNumbers, verdictBadges } from './summary.ts'
import { adviceOn, evidenceOf } from './violations.ts'

/**
 * JUnit XML as Ant writes it and Jenkins, GitLab and others read it: a suite for each area with a case
 * for each requirement. Violations are a `<failure>`, internal errors an `<error>`; what was not judged
 * is `<skipped>` with its reason, never silently green. Warnings are in the output of their suite.
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
    ...[...areas].map(([area, requirements]) => ({
      name: area,
      cases: requirements.map((requirement) =>
        caseOfRow(requirement, report, { exchanges, timeOf }),
      ),
    })),
    { name: 'baseline', cases: (report.baseline?.problems ?? []).map(caseOfBaseline) },
    {
      name: 'chatgen',
      cases: report.faults.map(({ scenario, message }) =>
        faultCase(clean(scenario) || 'unnamed', message),
      ),
    },
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

function caseOfRow(
  requirement: RequirementResult,
  report: ConformanceReport,
  recorded: {
    readonly exchanges: ReadonlyMap<string, Exchange>
    readonly timeOf: (id: string) => number
  },
): JUnitCase {
  const warned = requirement.verdict === 'warn' && !requirement.known
  return {
    name: `${requirement.id} ${requirement.title}`,
    timeMs: requirement.exchanges.reduce((sum, id) => sum + recorded.timeOf(id), 0),
    result: resultOf(requirement, report, recorded.exchanges),
    output: warned
      ? `warning: ${requirement.id} ${clean(requirement.message ?? requirement.title)}`
      : null,
  }
}

function caseOfBaseline({ id, kind, message }: BaselineProblem): JUnitCase {
  const found = { type: `baseline: ${kind}`, message: clean(message), text: '' }
  return caseOf(`baseline entry of ${id}`, { tag: 'failure', ...found })
}

function resultOf(
  requirement: RequirementResult,
  report: ConformanceReport,
  exchanges: ReadonlyMap<string, Exchange>,
): JUnitResult | null {
  const { verdict } = requirement
  const message = clean(requirement.message ?? '')
  if (verdict === 'pass') return null
  if (verdict === 'fail' || verdict === 'warn') {
    if (requirement.known) {
      return skipped(knownText(report, requirement.id) ?? 'known', `found: ${message}`)
    }
    // A warning that does not count is in the output of its suite.
    if (verdict === 'warn' && !report.strict) return null
    const type = verdict === 'fail' ? 'violated' : 'warning, counted as a violation (--strict)'
    return { tag: 'failure', type, message, text: evidence(requirement, exchanges) }
  }
  if (verdict === 'error') return { tag: 'error', type: 'internal error', message, text: '' }
  return skipped(`${verdictBadges[verdict].word}: ${message || 'no scenario tests it'}`, '')
}

function skipped(message: string, text: string): JUnitResult {
  return { tag: 'skipped', type: 'skipped', message: clean(message), text }
}

const width = 120

function evidence(
  requirement: RequirementResult,
  exchanges: ReadonlyMap<string, Exchange>,
): string {
  return [
    `${requirement.id} (${standingOf(requirement)}, section ${requirement.section}): ${requirement.title}`,
    `found: ${clean(requirement.message ?? 'no message')}`,
    ...adviceOn([requirement]).map((text) => plainText(text)),
    ...(requirement.scenarios.length === 0
      ? []
      : [`scenario: ${requirement.scenarios.map(printable).join(', ')}`]),
    ...evidenceLines(evidenceOf(exchanges, [requirement]), {
      chalk: new Chalk({ level: 0 }),
      width,
    }),
  ].join('\n')
}

export interface JUnitCase {
  readonly name: string
  /** Total time of its exchanges. */
  readonly timeMs: number
  /** Null if the requirement passed. */
  readonly result: JUnitResult | null
  /** Text for the output of the suite. */
  readonly output: string | null
}

export interface JUnitResult {
  readonly tag: 'failure' | 'error' | 'skipped'
  readonly type: string
  readonly message: string
  readonly text: string
}

export interface JUnitSuite {
  readonly name: string
  readonly cases: readonly JUnitCase[]
}

export interface JUnitRun {
  readonly target: { readonly baseUrl: string }
  /** ISO 8601, UTC. */
  readonly startedAt: string
  /** Result of the whole run; in every suite, because readers show each suite by itself. */
  readonly properties: Attributes
}

/** A case that takes no time, and has nothing for the output. */
export function caseOf(name: string, result: JUnitResult | null): JUnitCase {
  return { name: clean(name), timeMs: 0, result, output: null }
}

/** A case for an internal error, whose first line is its message. */
export function faultCase(name: string, fault: string): JUnitCase {
  const lines = fault.split('\n').map(clean)
  const text = lines.join('\n')
  return caseOf(name, { tag: 'error', type: 'internal error', message: lines[0] ?? '', text })
}

/** Suites of cases as Ant writes them; those without cases are left out. */
export function junitOf(suites: readonly JUnitSuite[], run: JUnitRun): string {
  const filled = suites.filter(({ cases }) => cases.length > 0)
  const lines = filled.map(({ name, cases }, id) => suite(id, name, cases, run))
  const all = suites.flatMap(({ cases }) => cases)
  const totals = element('testsuites', totalsOf(all), `\n${lines.join('\n')}\n`)
  return `<?xml version="1.0" encoding="UTF-8"?>\n${totals}\n`
}

/** Root attributes of the Jenkins schema, for readers that show one line per file. */
function totalsOf(cases: readonly JUnitCase[]) {
  return {
    tests: cases.length,
    failures: numberOf(cases, 'failure'),
    errors: numberOf(cases, 'error'),
    time: seconds(cases.reduce((sum, { timeMs }) => sum + timeMs, 0)),
  }
}

function numberOf(cases: readonly JUnitCase[], tag: string): number {
  return cases.filter(({ result }) => result?.tag === tag).length
}

function suite(id: number, name: string, cases: readonly JUnitCase[], run: JUnitRun): string {
  const { time, ...counts } = totalsOf(cases)
  const attributes: Attributes = {
    id,
    name,
    package: 'chatgen-conformance',
    hostname: hostOf(run.target.baseUrl),
    // The schema of Ant has no time zone; it is UTC.
    timestamp: run.startedAt.slice(0, 19),
    ...counts,
    skipped: numberOf(cases, 'skipped'),
    time,
  }
  const output = cases.flatMap((one) => (one.output === null ? [] : [one.output])).join('\n')
  const parts = [
    properties(run.properties),
    ...cases.map((one) => testcase(name, one)),
    `<system-out>${xmlText(output)}</system-out>`,
    '<system-err></system-err>',
  ]
  return element('testsuite', attributes, `\n${parts.join('\n')}\n`)
}

function properties(pairs: Attributes): string {
  const list = Object.entries(pairs).map(([name, value]) => element('property', { name, value }))
  return element('properties', {}, `\n${list.join('\n')}\n`)
}

function testcase(classname: string, { name, timeMs, result }: JUnitCase): string {
  const attributes = { name, classname, time: seconds(timeMs) }
  if (result === null) return element('testcase', attributes)
  const { tag, type, message, text } = result
  const reason: Attributes = tag === 'skipped' ? { message } : { type, message }
  return element('testcase', attributes, element(tag, reason, xmlText(text)))
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3)
}

function hostOf(baseUrl: string): string {
  return URL.canParse(baseUrl) ? new URL(baseUrl).hostname : 'unknown'
}
