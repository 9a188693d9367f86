import { Chalk, type ChalkInstance } from 'chalk'
import type { ConformanceReport, Verdict } from '../../contract/report/conformance.ts'
import { compactIds } from '../../contract/requirement-ids.ts'
import { outcomeText } from '../conformance/summary.ts'
import { verdictLabels } from '../conformance/words.ts'
import { indent, printable, printableJson, shorten, wrap } from '../text/escape.ts'
import { count } from '../text/format.ts'
import { joinParts, type Lines } from '../text/page.ts'
import type { Cause, Comparison, Drift, RowChange } from './compare.ts'
import { type Conditions, differencesText } from './conditions.ts'

export interface CompareTextOptions {
  readonly color: boolean
  /** Columns of a line. */
  readonly width: number
  /** Limits of the comparison, such as missing evidence. */
  readonly notes: readonly string[]
}

interface Page extends CompareTextOptions {
  readonly chalk: ChalkInstance
}

/** The comparison for a terminal: regressions first, each change with its cause. */
export function comparisonToText(
  comparison: Comparison,
  a: ConformanceReport,
  b: ConformanceReport,
  options: CompareTextOptions,
): string {
  const page: Page = { ...options, chalk: new Chalk({ level: options.color ? 1 : 0 }) }
  const { chalk } = page
  const parts: readonly Lines[] = [
    [headOf('A', a), headOf('B', b), ...options.notes.flatMap((note) => wrap(note, page.width))],
    conditionList(page, comparison.conditions),
    changeList(page, chalk.red.bold('Newly violated'), comparison.newlyViolated),
    changeList(page, chalk.yellow.bold('New warnings'), comparison.newlyWarned),
    unprovenList(page, chalk.yellow.bold('No longer passing'), comparison.newlyUnproven),
    changeList(page, chalk.green.bold('Fixed'), comparison.repaired),
    idList(page, 'Newly passing', comparison.newlyProven),
    changeList(page, chalk.bold('Other changes'), comparison.otherwise),
    driftList(page, comparison.drift),
    [lastLine(page, comparison)],
  ]
  return joinParts(parts)
}

function headOf(name: string, report: ConformanceReport): string {
  const { target, startedAt, suite, outcome } = report
  const version = `chatgen ${printable(suite.version)}`
  return `${name}  ${outcome}, ${outcomeText(report)}\n   ${printable(target.baseUrl)}, ${printable(startedAt)}, ${version}`
}

function changeList(page: Page, title: string, changes: readonly RowChange[]): Lines {
  if (changes.length === 0) return []
  return [`${title} (${changes.length})`, ...changes.flatMap(change(page))]
}

function change(page: Page): (row: RowChange) => Lines {
  return ({ id, level, before, after, cause, members, known, title, message }) => [
    `  ${page.chalk.bold(printable(id))}  ${verdictText(before)} → ${verdictText(after)}${known ? ', known' : ''} (${level}): ${causeText({ cause, members })}`,
    ...indent(wrap(printable(title), page.width - 6), 6),
    ...found(page, message),
  ]
}

/** Requirements that share a reason are grouped; what broke them stands above. */
function unprovenList(page: Page, title: string, changes: readonly RowChange[]): Lines {
  if (changes.length === 0) return []
  const groups = Map.groupBy(changes, ({ id, before, after, cause, members, message }) =>
    message === null ? id : JSON.stringify([before, after, cause, members, message]),
  )
  return [
    `${title} (${changes.length})`,
    ...[...groups.values()].flatMap((group) => {
      const [first] = group
      if (first === undefined || group.length === 1) return group.flatMap(change(page))
      const { before, after, message } = first
      const ids = compactIds(group.map(({ id }) => id)).join(', ')
      const line = `${verdictText(before)} → ${verdictText(after)}: ${causeText(first)}`
      return [
        ...indent(wrap(printable(ids), page.width - 2), 2),
        ...indent([line], 6),
        ...found(page, message),
      ]
    }),
  ]
}

function found({ width }: Page, message: string | null): Lines {
  if (message === null) return []
  return indent(wrap(shorten(`found: ${printable(message)}`, 3 * width), width - 6), 6)
}

const causes: Readonly<Record<Cause, string>> = {
  target: 'the target changed',
  kit: 'chatgen changed',
  both: 'the target and chatgen changed',
  selection: 'the selections differ',
  profile: 'the profiles differ',
  address: 'different target URL',
  'target or profile': 'the target or its profile changed',
  unknown: 'unknown whether the target or chatgen changed',
}

function verdictText(verdict: Verdict | null): string {
  return verdict === null ? 'absent' : verdictLabels[verdict]
}

/** Requirement with the profile members that the requirement depends on, where they differ. */
function causeText({ cause, members }: Pick<RowChange, 'cause' | 'members'>): string {
  return cause === 'profile' && members.length > 0
    ? `${causes[cause]} (${members.map(printable).join(', ')})`
    : causes[cause]
}

/** Differences between the settings of the runs; they stand before any verdict. */
function conditionList({ chalk, width }: Page, conditions: Conditions): Lines {
  const { url, kit, interface: revision, selection, strict, profile } = conditions
  const pairs = { URL: url, chatgen: kit, interface: revision, selection, strict }
  const rows = [
    ...Object.entries(pairs).flatMap(([name, pair]) =>
      pair === null ? [] : [[name, `${pair.a} → ${pair.b}`] as const],
    ),
    ...(profile === null ? [['profile', 'not compared: a run has no run.json'] as const] : []),
    ...(profile !== null && profile.length > 0
      ? [['profile', differencesText(profile)] as const]
      : []),
  ]
  if (rows.length === 0) return []
  const margin = 2 + 'selection'.length + 2
  return [
    chalk.bold('The runs had different settings'),
    ...rows.flatMap(([name, text]) => {
      const [first = '', ...rest] = wrap(printable(text), width - margin)
      return [`  ${name.padEnd(margin - 2)}${first}`, ...indent(rest, margin)]
    }),
  ]
}

function idList({ width }: Page, title: string, changes: readonly RowChange[]): Lines {
  if (changes.length === 0) return []
  const groups = [...Map.groupBy(changes, ({ cause }) => cause)]
  return [
    `${title} (${changes.length})`,
    ...groups.flatMap(([cause, own]) =>
      indent(
        wrap(`${causes[cause]}: ${compactIds(own.map(({ id }) => id)).join(', ')}`, width - 2),
        2,
      ),
    ),
  ]
}

function driftList({ chalk, width }: Page, drift: readonly Drift[]): Lines {
  if (drift.length === 0) return []
  const answer = (name: string, text: string | null) =>
    indent(wrap(shorten(`${name} ${printable(text ?? 'not observed')}`, 3 * width), width - 6), 6)
  return [
    chalk.bold(`Changed answers to open questions, not judged (${drift.length})`),
    ...drift.flatMap(({ id, question, before, after, cause }) => [
      `  ${printable(id)}  ${causes[cause]}`,
      ...indent(wrap(printable(question), width - 6), 6),
      ...answer('before:', before),
      ...answer('after: ', after),
    ]),
  ]
}

function lastLine({ chalk }: Page, comparison: Comparison): string {
  const { newlyViolated, newlyUnproven, repaired, unchanged } = comparison
  const parts = [
    `${newlyViolated.length} newly violated`,
    `${newlyUnproven.length} no longer passing`,
    `${repaired.length} fixed`,
    `${count(unchanged, 'requirement')} unchanged`,
  ]
  const verdict = newlyViolated.some(({ known }) => !known)
    ? chalk.red.bold('WORSE')
    : newlyUnproven.length > 0
      ? chalk.yellow.bold('FEWER PASSING')
      : chalk.green.bold('NOT WORSE')
  return `${verdict}  ${parts.join(', ')}`
}

/** The comparison as JSON, schema version 1. */
export function comparisonToJson(
  comparison: Comparison,
  a: ConformanceReport,
  b: ConformanceReport,
  notes: readonly string[],
): string {
  const value = {
    kind: 'comparison',
    schemaVersion: 1,
    a: jsonHead(a),
    b: jsonHead(b),
    ...comparison,
    notes,
  }
  return `${printableJson(JSON.stringify(value, null, 2))}\n`
}

function jsonHead({ outcome, suite, target, seed, startedAt }: ConformanceReport) {
  return { outcome, suite, target, seed, startedAt }
}
