import { doubtWord } from '../text/digest.ts'
import { type Attributes, clean, element, xmlText } from '../text/escape.ts'
import { type Document, nameOf, plainText, type Section, type Text, type Tone } from './document.ts'

/** Members of a report that its document lacks. */
interface Report {
  readonly outcome: string
  readonly target: { readonly baseUrl: string }
  /** ISO 8601, UTC. */
  readonly startedAt: string
  readonly durationMs: number
}

/**
 * JUnit XML of a document: a case for the outcome, for each section with a verdict and for each item with one. What is
 * violated, missed or undecided is a `<failure>`, an internal error an `<error>`. Details do not fail: probes of a
 * search are expected to miss an SLO.
 * @param passed names of further cases, which passed
 */
export function toJUnit(
  document: Document,
  report: Report,
  passed: readonly string[] = [],
): string {
  const { outcome, remarks = [], facts = [], settings = [], sealed = {} } = document
  const doubt = doubtWord(sealed)
  const whole = { ...caseOfText('outcome', outcome, outcome.text), timeMs: report.durationMs }
  const type = whole.result && { ...whole.result, type: report.outcome }
  const reservation = { word: 'reservation', tone: 'none' } as const
  const suites = [
    {
      name: 'outcome',
      cases: [
        { ...whole, result: type },
        ...remarks.map((remark) => caseOfText('reservation', reservation, remark)),
      ],
    },
    ...document.sections
      .filter(({ detail }) => detail !== 'verbose')
      .map((section) => ({ name: section.title, cases: casesOf(section) })),
    { name: 'passed', cases: passed.map((name) => caseOf(name, null)) },
  ]
  const properties = {
    outcome: report.outcome,
    ...(doubt === null ? {} : { digest: doubt }),
    ...Object.fromEntries(
      [...facts, ...settings].map((fact) => [nameOf(fact), clean(plainText(fact[1]))]),
    ),
  }
  return junitOf(suites, { ...report, properties })
}

function casesOf({ title, badge, blocks, isInternal = false }: Section): readonly JUnitCase[] {
  const reasons = blocks.flatMap((block) => ('facts' in block ? block.facts : []))
  const lines = reasons.map((fact) => plainText(fact[1]))
  return [
    ...(badge === undefined ? [] : [caseOfText(title, badge, lines.join('\n'))]),
    ...blocks
      .flatMap((block) => ('items' in block ? block.items : []))
      .flatMap(({ badge, text, notes = [] }) => {
        if (isInternal) return [faultCase(title, plainText(text))]
        // Items without a verdict are not test cases.
        if (badge === undefined || badge.tone === 'none') return []
        const parts = [text, ...notes].map((part) => plainText(part))
        return [caseOfText(subjectOf(text), badge, parts.join('\n'))]
      }),
  ]
}

/** Name of an item, without its figures: its first code or link, or its text until a colon. */
function subjectOf(text: Text): string {
  if (typeof text === 'string') return text.replace(/: .*/s, '')
  const subject = text.find((piece) => typeof piece !== 'string')
  return subject === undefined ? plainText(text) : plainText([subject])
}

function caseOfText(
  name: string,
  { word, tone }: { readonly word: string; readonly tone: Tone },
  text: string,
): JUnitCase {
  const lines = text.split('\n').map(clean)
  const message = `${word}: ${lines[0]}`
  const one = caseOf(name, null)
  if (tone === 'pass' || tone === 'warn') return { ...one, output: message }
  const tag = tone === 'none' ? 'error' : 'failure'
  return { ...one, result: { tag, type: word, message, text: lines.join('\n') } }
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

/** A case that takes no time, and has nothing for the output. */
export function caseOf(name: string, result: JUnitResult | null): JUnitCase {
  return { name: clean(name), timeMs: 0, result, output: null }
}

/** A case for an error, whose first line is its message. */
export function faultCase(name: string, fault: string, type = 'internal error'): JUnitCase {
  const lines = fault.split('\n').map(clean)
  return caseOf(name, { tag: 'error', type, message: lines[0] ?? '', text: lines.join('\n') })
}

/**
 * Suites of cases as Ant writes them; those without cases are left out. The properties are those of the whole run, in
 * every suite, because readers show each suite by itself.
 */
export function junitOf(
  suites: readonly { readonly name: string; readonly cases: readonly JUnitCase[] }[],
  {
    target: { baseUrl },
    startedAt,
    properties,
  }: Pick<Report, 'target' | 'startedAt'> & { readonly properties: Attributes },
): string {
  const pairs = Object.entries(properties).map(([name, value]) =>
    element('property', { name, value }),
  )
  const lines = suites
    .filter(({ cases }) => cases.length > 0)
    .map(({ name, cases }, id) => {
      const { time, ...counts } = totalsOf(cases)
      const attributes = {
        ...{ id, name, package: 'chatgen-conformance' },
        hostname: URL.canParse(baseUrl) ? new URL(baseUrl).hostname : 'unknown',
        // The schema of Ant has no time zone; it is UTC.
        timestamp: startedAt.slice(0, 19),
        ...{ ...counts, skipped: numberOf(cases, 'skipped'), time },
      }
      const parts = [
        element('properties', {}, `\n${pairs.join('\n')}\n`),
        ...cases.map((one) => testcase(name, one)),
        `<system-out>${xmlText(cases.flatMap(({ output }) => output ?? []).join('\n'))}</system-out>`,
        '<system-err></system-err>',
      ]
      return element('testsuite', attributes, `\n${parts.join('\n')}\n`)
    })
  const totals = totalsOf(suites.flatMap(({ cases }) => cases))
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element('testsuites', totals, `\n${lines.join('\n')}\n`)}\n`
}

/** Root attributes of the Jenkins schema as well, for readers that show one line per file. */
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
