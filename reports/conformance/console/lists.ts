import type { Exchange } from '../../../contract/index.ts'
import type {
  ConformanceReport,
  Leftover,
  RequirementRow,
  Verdict,
} from '../../../contract/report/conformance.ts'
import { compactIds } from '../../../contract/requirement-ids.ts'
import { requirementOf } from '../../catalogue/entries.ts'
import { clean, indent, printable, shorten, wrap } from '../../text/escape.ts'
import { count } from '../../text/format.ts'
import { hanging, type Lines, type Page } from '../../text/page.ts'

/** The report that is written, its evidence, and the terminal to write for. */
export interface ReportPage extends Page {
  readonly report: ConformanceReport
  readonly exchanges: ReadonlyMap<string, Exchange>
}

export function withVerdict({ report }: ReportPage, verdict: Verdict): readonly RequirementRow[] {
  return report.requirements.filter((row) => row.verdict === verdict)
}

/** Undecided requirements, grouped by reason. */
export function undecidedList(page: ReportPage, verdict: Verdict, title: string): Lines {
  const rows = withVerdict(page, verdict)
  if (rows.length === 0) return []
  const groups = [...Map.groupBy(rows, reasonOf)]
  return [
    page.chalk.bold(`${title} (${byLevel(rows)})`),
    ...groups.flatMap(([reason, own]) => [
      ...indent(wrap(`${reason}:`, page.width - 2), 2),
      ...idLines(page, '    ', own),
    ]),
  ]
}

/** `17`; with expected requirements, which the outcome does not count, `17: 12 required, 5 expected`. */
function byLevel(rows: readonly RequirementRow[]): string {
  const required = rows.filter(({ level }) => level === 'required').length
  const expected = rows.length - required
  if (expected === 0) return String(required)
  return required === 0
    ? `${expected} expected`
    : `${rows.length}: ${required} required, ${expected} expected`
}

function reasonOf({ id, blockedBy, message, verdict }: RequirementRow): string {
  if (blockedBy !== null) return `blocked by ${printable(blockedBy)}`
  if (message !== null) return clean(message)
  const member = verdict === 'unproven' ? requirementOf(id)?.member : undefined
  return member ? `set ${member} in the target profile to test this` : 'no reason was recorded'
}

export function rowList(page: ReportPage, title: string, rows: readonly RequirementRow[]): Lines {
  if (rows.length === 0) return []
  return [page.chalk.bold(`${title} (${byLevel(rows)})`), ...idLines(page, '  ', rows)]
}

/** Ids by area, wrapped between areas; an area is broken only where it is wider than a line. */
export function idLines({ width }: Page, lead: string, rows: readonly RequirementRow[]): Lines {
  const areas = compactIds(rows.map((row) => row.id))
  const margin = lead.trim() === '' ? lead.length : 4
  const [last = '', ...before] = wrap(lead.trimEnd(), width).toReversed()
  const lines: string[] = before.toReversed()
  let line = lead.trim() === '' ? lead : `${last} `
  for (const [at, area] of areas.entries()) {
    const text = at < areas.length - 1 ? `${area}, ` : area
    if (line.trim() !== '' && line.length + text.trimEnd().length > width) {
      lines.push(line.trimEnd())
      line = ' '.repeat(margin)
    }
    line += text
  }
  return [...lines, line]
}

export function observationList(page: ReportPage): Lines {
  const { observations: rows } = page.report
  if (rows.length === 0) return []
  return [
    page.chalk.bold(`Observed, open questions (${rows.length})`),
    ...rows.flatMap(({ id, question, answer }) =>
      hanging(
        page,
        `  ${id}  `,
        `${printable(question)} ${shorten(clean(answer), 3 * page.width)}`,
      ),
    ),
  ]
}

export function faultList(page: ReportPage): Lines {
  const { faults: rows } = page.report
  if (rows.length === 0) return []
  return [
    page.chalk.magenta.bold(`Internal errors of chatgen, not violations (${rows.length})`),
    ...rows.flatMap(({ scenario, message }) => [
      `  ${printable(scenario)}`,
      ...indent(wrap(clean(message), page.width - 4), 4),
    ]),
  ]
}

/** Stale entries of the baseline; one is enough for exit code 1. */
export function baselineList(page: ReportPage): Lines {
  const { baseline } = page.report
  if (baseline === undefined || baseline.problems.length === 0) return []
  const title = `Stale baseline entries in ${printable(baseline.file)} (${baseline.problems.length})`
  return [
    page.chalk.red.bold(title),
    ...baseline.problems.flatMap(({ message }) => hanging(page, '  ', clean(message))),
  ]
}

/** Leftovers on the target: chats one by one, the number of those that no route deletes. */
export function residueList(page: ReportPage): Lines {
  const { residue, residueUnseen } = page.report
  const chats = residue.filter(({ kind }) => kind === 'chat')
  const others = residue.filter(({ kind }) => kind !== 'chat')
  return [
    ...(chats.length === 0 ? [] : chatLines(page, chats)),
    ...(others.length === 0 ? [] : otherLines(page, others)),
    ...(residueUnseen === null
      ? []
      : hanging(page, 'leftover check incomplete: ', clean(residueUnseen))),
  ]
}

function chatLines(page: ReportPage, chats: readonly Leftover[]): Lines {
  return [
    page.chalk.yellow.bold(
      `Not deleted from the target, not a violation (${count(chats.length, 'chat')})`,
    ),
    ...chats.flatMap(({ name, id, why }) =>
      hanging(page, '  ', `${printable(id ?? 'no id')}, ${printable(name)}: ${clean(why)}`),
    ),
    ...hanging(page, '  ', 'Retry: chatgen cleanup journal.ndjson (in the folder of the results)'),
  ]
}

function otherLines(page: ReportPage, others: readonly Leftover[]): Lines {
  const numbers = [...Map.groupBy(others, ({ kind }) => kind)].map(([kind, all]) =>
    count(all.length, kind),
  )
  const text = `${numbers.join(', ')} (the interface has no route that deletes them)`
  return hanging(page, 'not deleted: ', text)
}
