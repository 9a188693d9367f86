import { clean } from '../../text/escape.ts'
import { type Attributes, element, xmlText } from '../../text/xml.ts'

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
