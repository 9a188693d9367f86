import { Chalk } from 'chalk'
import { areaOf, type Exchange } from '../../contract/index.ts'
import type { ConformanceReport, RequirementResult } from '../../contract/report/conformance.ts'
import { standingOf } from '../catalog/entries.ts'
import { plainText } from '../document/document.ts'
import { evidenceLines } from '../document/evidence.ts'
import { caseOf, faultCase, type JUnitCase, type JUnitResult, junitOf } from '../document/junit.ts'
import { doubtWord } from '../text/digest.ts'
import { type Attributes, clean, printable } from '../text/escape.ts'
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
  const areas = Map.groupBy(report.requirements, ({ id }) => areaOf(id))
  const suites = [
    ...[...areas].map(([area, requirements]) => ({
      name: area,
      cases: requirements.map((requirement): JUnitCase => {
        const { id, title, verdict, known, message } = requirement
        return {
          name: `${id} ${title}`,
          timeMs: requirement.exchanges.reduce((sum, one) => sum + (times.get(one) ?? 0), 0),
          result: resultOf(requirement, report, exchanges),
          output: verdict === 'warn' && !known ? `warning: ${id} ${clean(message ?? title)}` : null,
        }
      }),
    })),
    {
      name: 'baseline',
      cases: (report.baseline?.problems ?? []).map(({ id, kind, message }) => {
        const found = { type: `baseline: ${kind}`, message: clean(message), text: '' }
        return caseOf(`baseline entry of ${id}`, { tag: 'failure', ...found })
      }),
    },
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
    ...(report.unselected === undefined ? {} : { unselected: report.unselected }),
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
