import { createHash } from 'node:crypto'
import { type Document, isScalar, type Pair, parseDocument, YAMLMap } from 'yaml'
import { z } from 'zod'
import { requirementIds, stableText, stableTextVersion } from '../../../contract/index.ts'
import {
  type BaselineProblem,
  type ConformanceReport,
  isViolation,
  type RequirementResult,
  type Verdict,
} from '../../../contract/report/conformance.ts'
import { exploreSlug } from '../defaults.ts'
import { checkDocument, didYouMean, readDocument, type Source } from '../profile/document.ts'
import { reportOutcome } from '../report/build-report.ts'
import { depths } from '../run-setup.ts'

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
  report: ConformanceReport,
): Ruling {
  const { interrupted } = report
  const problem = (kind: BaselineProblem['kind'], message: string): Ruling => ({
    id: requirement.id,
    kind,
    message: `${requirement.id} ${message}`,
  })
  // A requirement that an interrupted run did not reach may still be broken.
  if (!interrupted && requirement.verdict === 'pass' && triesEnough(report, entry)) {
    return problem('passes', 'passes now: delete its entry')
  }
  if (!interrupted && excusesNothing.includes(requirement.verdict)) {
    const why = requirement.message === null ? '' : ` (${requirement.message})`
    return problem('excuses nothing', `is ${requirement.verdict}${why}: its entry has no effect`)
  }
  if (entry.until !== undefined && entry.until < today) {
    return problem('expired', `has an entry that expired on ${entry.until} (${entry.because})`)
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

/** Tests if a run tries at least what showed the violation of an entry: what it does not try may still be broken. */
function triesEnough({ depth, exploration }: ConformanceReport, entry: Trials): boolean {
  const isDeep = depths.indexOf(depth ?? 'full') >= depths.indexOf(entry.depth ?? 'quick')
  return isDeep && (exploration?.operations ?? 0) >= (entry.explore ?? 0)
}

const excusesNothing: readonly Verdict[] = ['not-applicable', 'observed', 'unclaimed']

/**
 * Digest of how a requirement is broken: of its id and its message without identifiers, nonces, times, ports
 * and counts. The same in every run, for any seed; different if the requirement fails differently. `v2-` and
 * 16 hexadecimal digits, so that YAML never reads it as a number.
 */
export function fingerprintOf(
  requirement: Pick<RequirementResult, 'id' | 'message' | 'endpoints'>,
): string {
  const { id, message, endpoints } = requirement
  // What several endpoints show alone is at its end; one that passes there makes it another violation.
  const isEverywhere = endpoints && !Object.values(endpoints.alone).includes('passed')
  const text = isEverywhere ? message?.replace(/ \([^()]*\)$/, '') : message
  const digest = createHash('sha256').update(JSON.stringify([id, stableText(text ?? '')]))
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
  const isOver = ([id, entry]: readonly [string, BaselineEntry]) => {
    const verdict = ids.get(id)?.verdict
    return over.includes(verdict) && (verdict !== 'pass' || triesEnough(report, entry))
  }
  const removed = [...before.entries].filter(isOver).map(([id]) => id)
  const kept = [...before.entries]
    .filter(([id]) => !removed.includes(id))
    .map(([id, entry]) => [id, refreshed(entry, ids.get(id), report)] as const)
  const added = report.requirements
    .filter((one) => !before.entries.has(one.id) && counts(one.verdict, report.strict))
    .map((one) => [one.id, refreshed({ because: toBeWritten }, one, report)] as const)
  const sorted = [...kept, ...added].sort(([a], [b]) => (a < b ? -1 : 1))
  return {
    entries: new Map<string, BaselineEntry>(sorted),
    /** Ids with a violation that had no entry; their `because` must be filled in. */
    added: added.map(([id]) => id),
    /** Ids whose requirement fails differently from its entry, or at a lower depth, and of incomplete entries. */
    changed: kept.filter(([id, entry]) => entry !== before.entries.get(id)).map(([id]) => id),
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
  report: ConformanceReport,
): BaselineEntry {
  if (requirement === undefined || !isViolation(requirement)) return entry
  const fingerprint = fingerprintOf(requirement)
  // What showed the violation before is kept, unless this run has shown it with less.
  const isKept = (entry.depth ?? entry.explore) !== undefined && triesEnough(report, entry)
  const { depth, explore } = isKept ? entry : seenBy(requirement, report)
  const isSame = entry.depth === depth && entry.explore === explore
  if (isSame && entry.fingerprint === fingerprint) return entry
  return { ...entry, fingerprint, found: stableText(requirement.message ?? ''), depth, explore }
}

type Trials = Pick<BaselineEntry, 'depth' | 'explore'>

function seenBy(
  { brokenBy }: RequirementResult,
  { depth, exploration }: ConformanceReport,
): Trials {
  return brokenBy.join() === exploreSlug ? { explore: exploration?.operations } : { depth }
}

/** The fields of an entry in the order in which they are written. */
const entry = z.strictObject(
  {
    /** Reason why the violation is accepted for now. */
    because: z
      .string({ error: 'must give the reason for accepting the violation' })
      .trim()
      .min(1, 'must give the reason for accepting the violation'),
    issue: z.union([z.string(), z.number()]).transform(String).optional(),
    owner: z.string().optional(),
    /** Last day on which the entry counts. */
    until: z.iso.date({ error: 'must be a day such as 2026-12-31' }).optional(),
    /** Digest of how the requirement is broken; without it, any violation of the requirement is excused. */
    fingerprint: z
      .string({ error: 'must stay as --update-baseline wrote it' })
      .regex(/^v\d+-[0-9a-f]{16}$/, 'must stay as --update-baseline wrote it')
      .optional(),
    /** Finding at the time of the fingerprint; for the reader, not compared. */
    found: z.string().optional(),
    /** Lowest depth that showed the violation; a run at a lower one may pass. */
    depth: z.enum(depths).optional(),
    /** Number of random operations, if only these showed it. */
    explore: z.int().positive().optional(),
  },
  'an entry is a mapping, in which because gives the reason for accepting the violation',
)
export type BaselineEntry = z.output<typeof entry>

const requirement = z.enum(requirementIds, {
  error: ({ input }) => `there is no such requirement.${didYouMean(`${input}`, requirementIds)}`,
})

/** Known violations, by requirement id. */
export const baselineFile = z.partialRecord(requirement, entry)

export interface Baseline {
  readonly file: string
  readonly entries: ReadonlyMap<string, BaselineEntry>
}

/** The reason of an entry that `--update-baseline` has added; no run accepts it. */
export const toBeWritten = 'TO BE WRITTEN'

/**
 * Reads a baseline from YAML or JSON. `drafts` are entries whose reason is not written yet: only an update,
 * which excuses nothing by them, may keep them.
 * @throws ConfigurationError that names file, line and entry of every problem.
 */
export function loadBaseline(source: Source, drafts: 'refused' | 'kept'): Baseline {
  const { value, place } = readDocument(source, 'a baseline')
  const schema = drafts === 'kept' ? baselineFile : z.partialRecord(requirement, finished)
  const violations = checkDocument(schema, value, ([id = '']) => place([id]))
  return { file: source.name, entries: new Map(Object.entries(violations)) }
}

const finished = entry.extend({
  because: entry.shape.because.refine((text) => text !== toBeWritten, 'not filled in yet'),
})

/**
 * The file with these entries, sorted by id. YAML keeps its comments and its order of fields; a name that
 * ends in `.json` makes JSON.
 * @param text the file as it is; empty if there is none.
 */
export function baselineText(source: Source, entries: ReadonlyMap<string, BaselineEntry>): string {
  if (source.name.endsWith('.json')) {
    return `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`
  }
  const document: Document = parseDocument(
    source.text.trim() === '' ? `${introduction}{}\n` : source.text,
  )
  const map = document.contents instanceof YAMLMap ? document.contents : new YAMLMap()
  map.flow = false
  for (const id of map.items.map(keyOf)) if (!entries.has(id)) map.delete(id)
  for (const [id, entry] of entries) {
    const own = map.get(id)
    if (own instanceof YAMLMap) {
      for (const [key, value] of Object.entries(entry)) {
        if (String(own.get(key)) === String(value)) continue
        if (value === undefined) own.delete(key)
        else own.set(key, document.createNode(value))
        own.flow = false
      }
    } else map.set(document.createNode(id), document.createNode(entry))
  }
  map.items.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
  const first = map.items[0]?.key
  if (isScalar(first)) first.spaceBefore = false
  document.contents = map
  return document.toString({ lineWidth: 100 })
}

const introduction = `# Known violations by requirement id, for chatgen check --baseline. Each gives, in because, the
# reason for accepting it; issue, owner and until (the last day on which the entry is valid) are optional.

`

function keyOf({ key }: Pair): string {
  return String(isScalar(key) ? key.value : key)
}
