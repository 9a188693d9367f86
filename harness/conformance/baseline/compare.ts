import { createHash } from 'node:crypto'
import { stableText, stableTextVersion } from '../../../contract/index.ts'
import {
  type BaselineProblem,
  type ConformanceReport,
  isViolation,
  type RequirementResult,
  type Verdict,
} from '../../../contract/report/conformance.ts'
import { reportOutcome } from '../report/build-report.ts'
import { type Baseline, type BaselineEntry, toBeWritten } from './file.ts'

/**
 * Applies a baseline to a report: a violation with an entry is `known` and does not count. An entry that does
 * not fit the run is a problem and makes the outcome `violated`: otherwise the file would excuse unnoticed
 * violations. Internal errors and requirements that could not be judged are never excused. Requirements
 * outside the selection are not judged, and neither are their entries.
 * @param today `2026-12-31`
 */
export function applyBaseline(
  report: ConformanceReport,
  baseline: Baseline,
  today: string,
): ConformanceReport {
  const excused: NonNullable<ConformanceReport['baseline']>['known'] = []
  const problems: BaselineProblem[] = []
  const requirements = report.requirements.map((requirement) => {
    const { id } = requirement
    const entry = baseline.entries.get(id)
    const ruling = entry && rule(requirement, entry, today, report)
    if (typeof ruling === 'object') problems.push(ruling)
    if (entry === undefined || ruling !== 'known') return { ...requirement, known: false }
    const { because, issue, owner, until } = entry
    excused.push({ id, because, issue, owner, until })
    return { ...requirement, known: true }
  })
  const outcome = reportOutcome({ ...report, requirements }, report.allowedUndecided?.ids)
  return {
    ...report,
    outcome: problems.length > 0 ? 'violated' : outcome,
    totals: { ...report.totals, known: excused.length },
    requirements,
    baseline: { file: baseline.file, known: excused, problems },
  }
}

type Ruling = 'known' | 'undecided' | BaselineProblem

function rule(
  requirement: RequirementResult,
  entry: BaselineEntry,
  today: string,
  { interrupted }: ConformanceReport,
): Ruling {
  const problem = (kind: BaselineProblem['kind'], message: string): Ruling => ({
    id: requirement.id,
    kind,
    message: `${requirement.id} ${message}`,
  })
  // A requirement that an interrupted run did not reach may still be broken.
  if (!interrupted && requirement.verdict === 'pass') {
    return problem('passes', 'passes now: delete its entry')
  }
  if (!interrupted && excusesNothing.includes(requirement.verdict)) {
    const why = requirement.message === null ? '' : ` (${requirement.message})`
    return problem('excuses nothing', `is ${requirement.verdict}${why}: its entry has no effect`)
  }
  if (entry.until !== undefined && entry.until < today) {
    return problem('expired', `has an entry that ended on ${entry.until} (${entry.because})`)
  }
  if (!isViolation(requirement)) return 'undecided'
  if (entry.because === toBeWritten) {
    return problem('unwritten', 'has an entry without a reason: fill in because')
  }
  if (entry.fingerprint !== undefined && entry.fingerprint !== fingerprintOf(requirement)) {
    const before = entry.found === undefined ? '' : `; the entry was written for: ${entry.found}`
    const how = entry.fingerprint.startsWith(fingerprintStart)
      ? 'fails differently now'
      : 'may fail differently: another version of chatgen wrote its fingerprint, compare and run --update-baseline. Now'
    return problem('differs', `${how}: ${requirement.message ?? 'no message'}${before}`)
  }
  return 'known'
}

const excusesNothing: readonly Verdict[] = ['not-applicable', 'observed', 'unclaimed']

/**
 * Digest of how a requirement is broken: of its id and its message without identifiers, nonces, times, ports
 * and counts. The same in every run, for any seed; different if the requirement fails differently. `v2-` and
 * 16 hexadecimal digits, so that YAML never reads it as a number.
 */
export function fingerprintOf({ id, message }: Pick<RequirementResult, 'id' | 'message'>): string {
  const digest = createHash('sha256').update(JSON.stringify([id, stableText(message ?? '')]))
  return `${fingerprintStart}${digest.digest('hex').slice(0, 16)}`
}

const fingerprintStart = `v${stableTextVersion}-`

/**
 * The entries that would fit a run. Text written by people is kept: reasons, issues, owners and dates, also
 * those in the past. Warnings are added only if the run counts them.
 */
export function updateBaseline(report: ConformanceReport, before: Baseline) {
  const ids = new Map(report.requirements.map((requirement) => [requirement.id, requirement]))
  // A requirement that was not judged keeps its entry.
  const over: readonly unknown[] = ['pass', ...excusesNothing]
  const removed = [...before.entries.keys()].filter((id) => over.includes(ids.get(id)?.verdict))
  const kept = [...before.entries]
    .filter(([id]) => !removed.includes(id))
    .map(([id, entry]) => [id, refreshed(entry, ids.get(id))] as const)
  const added = report.requirements
    .filter((one) => !before.entries.has(one.id) && counts(one.verdict, report.strict))
    .map((one) => [one.id, refreshed({ because: toBeWritten }, one)] as const)
  const sorted = [...kept, ...added].sort(([a], [b]) => (a < b ? -1 : 1))
  return {
    entries: new Map<string, BaselineEntry>(sorted),
    /** Ids with a violation that had no entry; their `because` must be filled in. */
    added: added.map(([id]) => id),
    /** Ids whose requirement fails differently from its entry, or whose entry had no fingerprint. */
    changed: kept
      .filter(([id, entry]) => entry.fingerprint !== before.entries.get(id)?.fingerprint)
      .map(([id]) => id),
    /** Ids that pass now or do not apply. */
    removed,
  }
}

function counts(verdict: Verdict, strict: boolean): boolean {
  return verdict === 'fail' || (strict && verdict === 'warn')
}

function refreshed(
  entry: BaselineEntry,
  requirement: RequirementResult | undefined,
): BaselineEntry {
  if (requirement === undefined || !isViolation(requirement)) return entry
  const fingerprint = fingerprintOf(requirement)
  if (entry.fingerprint === fingerprint) return entry
  return { ...entry, fingerprint, found: stableText(requirement.message ?? '') }
}
