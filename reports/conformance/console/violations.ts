import type { RequirementRow } from '../../../contract/report/conformance.ts'
import { standingOf } from '../../catalogue/entries.ts'
import { clean, indent, printable, shorten, wrap } from '../../text/escape.ts'
import { causeText, type Findings, saysTheSame } from '../../text/fold.ts'
import type { Lines } from '../../text/page.ts'
import { statusLine } from '../../text/timeline.ts'
import { knownText } from '../summary.ts'
import { exchangeLines, isSequence } from './evidence.ts'
import type { ReportPage } from './lists.ts'

/** Violations of one cause, with everything needed to repeat and dispute them. */
export function violations(page: ReportPage, findings: Findings): Lines {
  const { chalk } = page
  const rowLines = (row: RequirementRow) => [
    ...heading(page, chalk.red.bold('FAIL'), row),
    ...(saysTheSame(findings) ? [] : indent(message(page, row), margin)),
  ]
  const details = [
    ...(saysTheSame(findings) ? message(page, findings.rows[0]) : []),
    ...scenarios(page, findings.rows),
    ...evidence(page, findings.rows),
  ]
  return [...cause(page, findings), ...findings.rows.flatMap(rowLines), ...indent(details, margin)]
}

/** A violation that a baseline names, without its evidence. */
export function knownFailure(page: ReportPage, row: RequirementRow): Lines {
  const details = [...message(page, row), ...reason(page, row)]
  return [...heading(page, page.chalk.yellow('KNOWN'), row), ...indent(details, margin)]
}

/** A violated expected requirement, and its first exchange in one line. */
export function warning(page: ReportPage, row: RequirementRow): Lines {
  const verdict = page.chalk.yellow.bold(row.known ? 'KNOWN WARN' : 'WARN')
  const lines = row.exchanges.slice(0, 1).map((id) => exchangeLine(page, id))
  const details = [...message(page, row), ...reason(page, row), ...lines]
  return [...heading(page, verdict, row), ...indent(details, margin)]
}

const margin = 4

/** `FAIL V3-IDEM-02 (required, section 4.3)` and the sentence below it. */
function heading({ chalk, width }: ReportPage, verdict: string, row: RequirementRow): Lines {
  const place = chalk.dim(`(${standingOf(row)}, section ${printable(row.section)})`)
  const sentence = wrap(printable(row.title), width - margin)
  return [`${verdict} ${chalk.bold(printable(row.id))} ${place}`, ...indent(sentence, margin)]
}

/** The common cause of several requirements. */
function cause({ chalk, width }: ReportPage, findings: Findings): Lines {
  const text = causeText(findings)
  if (text === null) return []
  return wrap(clean(text), width).map((line) => chalk.bold(line))
}

function reason({ report, width }: ReportPage, { id }: RequirementRow): Lines {
  const note = knownText(report, id)
  return note === null ? [] : wrap(clean(note), width - margin)
}

function message({ width }: ReportPage, row: RequirementRow): Lines {
  return row.message === null ? [] : wrap(`found: ${clean(row.message)}`, width - margin)
}

function scenarios({ chalk, width }: ReportPage, rows: readonly RequirementRow[]): Lines {
  const names = [...new Set(rows.flatMap((row) => row.scenarios))].map(printable).join(', ')
  return names === '' ? [] : [chalk.dim(shorten(`scenario: ${names}`, width - margin))]
}

/** The first exchange in full, since it shows the violation; one line for each of the others. */
function evidence(page: ReportPage, rows: Findings['rows']): Lines {
  const { chalk, width, exchanges } = page
  const [first, ...others] = new Set(rows.flatMap((row) => row.exchanges))
  if (first === undefined) return []
  const found = exchanges.get(first)
  const offending = rows.find((row) => row.exchanges[0] === first)?.event ?? null
  const whole =
    found === undefined
      ? [exchangeLine(page, first)]
      : exchangeLines(found, { chalk, width: width - margin, offending })
  const isWhole = isSequence(rows)
  const further = others.flatMap((id) => {
    const exchange = isWhole ? exchanges.get(id) : undefined
    if (exchange === undefined) return [exchangeLine(page, id)]
    return exchangeLines(exchange, { chalk, width: width - margin, offending: null })
  })
  return [...whole, ...further]
}

function exchangeLine({ chalk, width, exchanges }: ReportPage, id: string): string {
  const exchange = exchanges.get(id)
  if (exchange === undefined) return `${printable(id)} is not among the recorded exchanges`
  const { method, url } = exchange.request
  const line = `see ${printable(id)}: ${printable(`${method} ${url}`)} → ${statusLine(exchange)}`
  return chalk.dim(shorten(line, width - margin))
}
