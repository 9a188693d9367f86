import { compactIds } from '../../contract/catalog/index.ts'
import type { ConformanceReport, Verdict } from '../../contract/report/conformance.ts'
import { checkOutcome, verdictBadges } from '../conformance/summary.ts'
import { messageText } from '../conformance/violations.ts'
import type { Document, Fact, Item, Outcome, Section, Tone } from '../document/document.ts'
import { jsonText, shorten } from '../text/escape.ts'
import { count } from '../text/format.ts'
import { type Comparison, causes, type Drift, type RowChange, worseChanges } from './compare.ts'
import { type Conditions, differencesText } from './conditions.ts'

/** Two reports and what changed from the first to the second. */
export interface Compared {
  readonly comparison: Comparison
  readonly a: ConformanceReport
  readonly b: ConformanceReport
  /** Limits of the comparison, such as missing evidence. */
  readonly notes: readonly string[]
}

/** Regressions first, each change with its cause. */
export function comparisonDocument(compared: Compared): Document {
  const { comparison, a, b, notes } = compared
  const changes = (title: string, tone: Tone, rows: readonly RowChange[]): Section => ({
    title,
    badge: { word: String(rows.length), tone },
    blocks: [{ items: rows.map(itemOf) }],
  })
  return {
    kind: 'Comparison',
    target: b.target.baseUrl,
    outcome: comparisonOutcome(compared),
    remarks: notes,
    facts: [
      ['A  ', headOf(a)],
      ['B  ', headOf(b)],
    ],
    sections: [
      conditionSection(comparison.conditions),
      changes('Newly violated', 'fail', comparison.newlyViolated),
      changes('New warnings', 'warn', comparison.newlyWarned),
      {
        title: 'No longer passing',
        badge: { word: String(comparison.newlyUnproven.length), tone: 'warn' },
        blocks: [{ items: groupedItems(comparison.newlyUnproven) }],
      },
      changes('Fixed', 'pass', comparison.repaired),
      { title: 'Newly passing', blocks: [{ items: idItems(comparison.newlyProven) }] },
      changes('Other changes', 'none', comparison.otherwise),
      {
        title: 'Changed answers to open questions, not judged',
        blocks: [{ items: comparison.drift.map(driftItem) }],
      },
    ],
  }
}

function comparisonOutcome({ comparison, b }: Compared): Outcome {
  const { newlyViolated, newlyWarned, newlyUnproven, repaired, unchanged } = comparison
  const text = [
    `${newlyViolated.length} newly violated`,
    ...(b.strict ? [`${count(newlyWarned.length, 'new warning')} (--strict)`] : []),
    `${newlyUnproven.length} no longer passing`,
    `${repaired.length} fixed`,
    `${count(unchanged, 'requirement')} unchanged`,
  ].join(', ')
  if (worseChanges(comparison, b).length > 0) return { word: 'Worse', tone: 'fail', text }
  return newlyUnproven.length > 0
    ? { word: 'Fewer passing', tone: 'warn', text }
    : { word: 'Not worse', tone: 'pass', text }
}

/** The comparison as JSON, schema version 1. */
export function comparisonToJson({ comparison, a, b, notes }: Compared): string {
  const sides = { a: jsonHead(a), b: jsonHead(b) }
  return jsonText({ kind: 'comparison', schemaVersion: 1, ...sides, ...comparison, notes })
}

function jsonHead({ outcome, suite, target, seed, startedAt }: ConformanceReport) {
  return { outcome, suite, target, seed, startedAt }
}

function headOf(report: ConformanceReport): string {
  const { target, startedAt, suite } = report
  const { word, text } = checkOutcome(report)
  return `${word.toLowerCase()}, ${text}; ${target.baseUrl}, ${startedAt}, chatgen ${suite.version}`
}

function itemOf(change: RowChange): Item {
  const { id, level, before, after, known, title } = change
  const verdicts = `${verdictText(before)} → ${verdictText(after)}${known ? ', known' : ''}`
  return {
    text: `${id}  ${verdicts} (${level}): ${causeText(change)}`,
    notes: [title, ...foundNotes(change)],
  }
}

/** Groups requirements that share a reason, below what broke them; those that are absent have none. */
function groupedItems(changes: readonly RowChange[]): readonly Item[] {
  const groups = Map.groupBy(changes, ({ id, before, after, cause, members, message }) =>
    message === null && after !== null
      ? id
      : JSON.stringify([before, after, cause, members, message]),
  )
  return [...groups.values()].flatMap((group) => {
    const [first] = group
    if (first === undefined || group.length === 1) return group.map(itemOf)
    const verdicts = `${verdictText(first.before)} → ${verdictText(first.after)}`
    return {
      text: compactIds(group.map(({ id }) => id)).join(', '),
      notes: [`${verdicts}: ${causeText(first)}`, ...foundNotes(first)],
    }
  })
}

const maxMessageLength = 240

function foundNotes({ message }: RowChange) {
  return message === null ? [] : [`found: ${shorten(messageText(message), maxMessageLength)}`]
}

function verdictText(verdict: Verdict | null): string {
  return verdict === null ? 'absent' : verdictBadges[verdict].word
}

/** Cause, with the profile fields that the requirement depends on, if they differ. */
function causeText({ cause, members }: Pick<RowChange, 'cause' | 'members'>): string {
  return cause === 'profile' && members.length > 0
    ? `${causes[cause]} (${members.join(', ')})`
    : causes[cause]
}

/** Differences between the settings of the runs, shown before any verdict. */
function conditionSection(conditions: Conditions): Section {
  const { url, kit, interface: revision, selection, depth, strict, profile } = conditions
  const pairs = { URL: url, chatgen: kit, interface: revision, selection, depth, strict }
  const facts = Object.entries(pairs).flatMap(([name, pair]): readonly Fact[] =>
    pair === null ? [] : [[name.padEnd(nameWidth), `${pair.a} → ${pair.b}`]],
  )
  const profiles =
    profile === null ? 'not compared: a run has no run.json' : differencesText(profile)
  const isListed = profile === null || profile.length > 0
  return {
    title: 'The runs had different settings',
    blocks: [
      {
        facts: [...facts, ...(isListed ? [['profile'.padEnd(nameWidth), profiles] as const] : [])],
      },
    ],
  }
}

const nameWidth = 'selection  '.length

function idItems(changes: readonly RowChange[]): readonly Item[] {
  return [...Map.groupBy(changes, ({ cause }) => cause)].map(([cause, own]) => ({
    text: `${causes[cause]}: ${compactIds(own.map(({ id }) => id)).join(', ')}`,
  }))
}

function driftItem({ id, question, before, after, cause }: Drift): Item {
  const answer = (text: string | null) =>
    shorten(messageText(text ?? 'not observed'), maxMessageLength)
  return {
    text: `${id}  ${causes[cause]}`,
    notes: [question, `before: ${answer(before)}`, `after:  ${answer(after)}`],
  }
}
