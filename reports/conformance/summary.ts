import {
  type ConformanceReport,
  isKnownViolation,
  type RequirementResult,
  type Traffic,
  undecidedVerdicts,
  type Verdict,
} from '../../contract/report/conformance.ts'
import type { Badge, Outcome } from '../document/document.ts'
import { clean, printable } from '../text/escape.ts'
import { count, joinPhrases } from '../text/format.ts'

/**
 * Counts of required requirements by outcome, and warnings: violated expected ones. A percentage would make untested
 * requirements look like a minor defect.
 */
export function summarize({ requirements }: ConformanceReport) {
  const required = requirements.filter((requirement) => requirement.level === 'required')
  const number = (...verdicts: readonly Verdict[]) =>
    required.filter((requirement) => verdicts.includes(requirement.verdict)).length
  const passed = number('pass')
  const violated = number('fail')
  // Not tested, inconclusive, or not judged because of an internal error.
  const undecided = number(...undecidedVerdicts)
  return {
    required: passed + violated + undecided,
    passed,
    violated,
    /** Violations that the baseline names. */
    known: required.filter(isKnownViolation).length,
    undecided,
    warnings: requirements.filter((requirement) => requirement.verdict === 'warn').length,
  }
}

type Summary = Readonly<ReturnType<typeof summarize>>

/** `3 passed, 2 violated (1 known), 2 undecided of 7 required requirements`. */
export function countsText({ passed, violated, known, undecided, required }: Summary): string {
  const excused = known === 0 ? '' : ` (${known} known)`
  return `${passed} passed, ${violated} violated${excused}, ${undecided} undecided of ${count(required, 'required requirement')}`
}

/**
 * The counts, with warnings, stale baseline entries and internal errors, which also decide the outcome, and an
 * interruption or the reason why no more requests were sent.
 */
export function outcomeText(report: ConformanceReport): string {
  const summary = summarize(report)
  const problems = report.baseline?.problems.length ?? 0
  const strict = report.strict ? ' (counted as violations: --strict)' : ''
  return joinPhrases([
    headOf(report, summary),
    selectedText(report),
    summary.warnings > 0 && count(summary.warnings, 'warning') + strict,
    problems > 0 && `${problems} stale baseline ${problems === 1 ? 'entry' : 'entries'}`,
    report.faults.length > 0 && count(report.faults.length, 'internal error'),
    report.interrupted && 'interrupted',
    report.stopped && clean(report.stopped),
  ])
}

/** `12 of 240 requirements selected`; null if all were. */
export function selectedText({ requirements, unselected = 0 }: ConformanceReport): string | null {
  const all = requirements.length + unselected
  return unselected > 0 ? `${requirements.length} of ${all} requirements selected` : null
}

function headOf({ outcome, requirements }: ConformanceReport, summary: Summary): string {
  if (summary.required > 0 || outcome === 'violated') {
    return outcome === 'conforms' && summary.known > 0
      ? `${summary.passed} passed of ${count(summary.required, 'required requirement')}`
      : countsText(summary)
  }
  const expected = requirements.filter(({ level }) => level === 'expected')
  const passed = expected.filter(({ verdict }) => verdict === 'pass')
  return `no MUST was judged, ${passed.length} of ${expected.length} SHOULD passed`
}

export function checkOutcome(report: ConformanceReport): Outcome {
  const reservation = report.outcome === 'conforms' ? reservationText(report) : ''
  return {
    ...outcomes[report.outcome],
    ...(reservation && { reservation }),
    text: outcomeText(report),
  }
}

/** `except 1 known violation and 3 undecided requirements (--allow-undecided 'KB-*')`; empty without any. */
function reservationText(report: ConformanceReport): string {
  const isExcused = ({ verdict, known }: RequirementResult) =>
    known && (verdict === 'fail' || (report.strict && verdict === 'warn'))
  const excused = report.requirements.filter(isExcused).length
  const { globs = [], ids = [] } = report.allowedUndecided ?? {}
  // All others that are undecided wait for a known violation, else the run would be incomplete.
  const waiting = summarize(report).undecided - ids.length
  const text = joinPhrases(
    [
      excused > 0 && count(excused, 'known violation'),
      waiting > 0 && `${count(waiting, 'requirement')} blocked by known violations`,
      ids.length > 0 &&
        `${count(ids.length, 'undecided requirement')} (--allow-undecided ${globs.join(',')})`,
    ],
    ' and ',
  )
  return text && `except ${text}`
}

const outcomes: Readonly<Record<ConformanceReport['outcome'], Omit<Outcome, 'text'>>> = {
  conforms: { word: 'Conforms', tone: 'pass' },
  violated: { word: 'Violated', tone: 'fail' },
  incomplete: { word: 'Incomplete', tone: 'unproven' },
}

/** `known: because the gateway is open (CHAT-17, platform, until 2026-12-31)`; null for a new violation. */
export function knownText({ baseline }: ConformanceReport, id: string): string | null {
  const entry = baseline?.known.find((one) => one.id === id)
  if (entry === undefined) return null
  const { because, issue, owner, until } = entry
  const notes = joinPhrases([issue, owner, until && `until ${until}`], ', ')
  return `known: because ${because}${notes && ` (${notes})`}`
}

/** Printed names of the stored verdicts, with their colors. */
export const verdictBadges: Readonly<Record<Verdict, Badge>> = {
  pass: { word: 'passed', tone: 'pass' },
  fail: { word: 'violated', tone: 'fail' },
  warn: { word: 'warning', tone: 'warn' },
  observed: { word: 'observed', tone: 'none' },
  inconclusive: { word: 'undecided', tone: 'unproven' },
  unproven: { word: 'undecided', tone: 'unproven' },
  'not-applicable': { word: 'not applicable', tone: 'none' },
  error: { word: 'undecided', tone: 'unproven' },
  unclaimed: { word: 'undecided', tone: 'unproven' },
}

/** The label of a requirement with its color; a violation that the baseline names is marked. */
export function badgeOf({ verdict, known }: Pick<RequirementResult, 'verdict' | 'known'>): Badge {
  const badge = verdictBadges[verdict]
  return known ? { word: `known: ${badge.word}`, tone: 'warn' } : badge
}

/** Explanations of the verdicts for a first-time reader. */
export const meanings: Readonly<Record<Verdict, string>> = {
  pass: 'At least one observation confirms it, and none contradicts it.',
  fail: 'The target violates a sentence of the interface document.',
  warn: 'The interface document is silent, but the contract it refers to requires this, and real clients depend on it.',
  observed: 'The interface document leaves this open; the behavior of the target is recorded.',
  inconclusive: 'The run could not decide it.',
  unproven: 'The target profile lacks a setting, or the behavior never occurred.',
  'not-applicable': 'The target profile declares that the target does not have the feature.',
  error: 'chatgen itself failed.',
  unclaimed: 'No scenario of the run tests it.',
}

/** Value of a filter: verdicts with the same label share it. */
export function verdictTag(verdict: Verdict): string {
  return undecidedVerdicts.includes(verdict) ? 'undecided' : verdict
}

/**
 * Transport errors and retries in one sentence: `3 of 1,206 responses were 502; 1 request got no response;
 * 4 requests were retried`. Empty without any.
 */
export function trafficText({ traffic }: Pick<ConformanceReport, 'traffic'>): string {
  const { unanswered, cut, timeouts, retries } = traffic
  return joinPhrases([
    statusText(traffic),
    unanswered > 0 && `${count(unanswered, 'request')} got no response`,
    cut > 0 && `${count(cut, 'response')} ${cut === 1 ? 'was' : 'were'} cut off`,
    timeouts > 0 && `${count(timeouts, 'request')} timed out`,
    retries > 0 && `${count(retries, 'request')} ${retries === 1 ? 'was' : 'were'} retried`,
  ])
}

export function trafficNumbers({ traffic }: Pick<ConformanceReport, 'traffic'>): {
  readonly [name: string]: number
} {
  const { answers, statuses, unanswered, cut, timeouts, retries } = traffic
  const serverErrors = Object.entries(statuses).filter(([status]) => status.startsWith('5'))
  return {
    'traffic.answers': answers,
    'traffic.429': statuses['429'] ?? 0,
    'traffic.5xx': serverErrors.reduce((sum, [, times]) => sum + times, 0),
    'traffic.unanswered': unanswered,
    'traffic.cut': cut,
    'traffic.timeouts': timeouts,
    'traffic.retries': retries,
  }
}

function statusText({ answers, statuses }: Traffic): string | null {
  const [first, ...others] = Object.entries(statuses).sort(([a], [b]) => (a < b ? -1 : 1))
  if (first === undefined) return null
  const verb = (times: number) => (times === 1 ? 'was' : 'were')
  const all = answers.toLocaleString('en-US')
  const of = `${first[1]} of ${all} responses ${verb(first[1])} ${first[0]}`
  return [of, ...others.map(([status, times]) => `${times} ${verb(times)} ${status}`)].join(', ')
}

/** Endpoints and network settings of the run, one phrase each; empty for a direct connection to one. */
export function networkPhrases({
  network,
  endpoints = [],
}: ConformanceReport['target']): readonly string[] {
  const { insecure = false, httpVersion = null, proxy = null, resolve = [] } = network ?? {}
  return [
    ...endpoints.map(
      ({ name, baseUrl, requests }) =>
        `endpoint ${name} ${printable(baseUrl)}, ${count(requests, 'request')}`,
    ),
    ...(insecure ? ['certificate NOT verified (--insecure)'] : []),
    ...(httpVersion === null ? [] : [`HTTP/${httpVersion === 1 ? '1.1' : '2'} only`]),
    ...(proxy === null ? [] : [`via proxy ${printable(proxy)}`]),
    ...(resolve.length === 0 ? [] : [`at ${resolve.map(printable).join(', ')} (--resolve)`]),
  ]
}
