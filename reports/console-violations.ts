import { answerText, exchangeLines } from './console-evidence.ts'
import { clean, type Lines, type Page } from './console-page.ts'
import type { RequirementRow } from './model.ts'
import { indent, printable, shorten, wrap } from './text.ts'

/** A violation with all that is needed to repeat and dispute it. */
export function violation(page: Page, row: RequirementRow): Lines {
  const { chalk } = page
  const details = [...message(page, row), ...scenarios(page, row), ...evidence(page, row)]
  return [...heading(page, chalk.red.bold('FAIL'), row), ...indent(details, margin)]
}

/** A violation that a baseline names: the reader has seen its evidence before. */
export function knownFailure(page: Page, row: RequirementRow): Lines {
  return [...heading(page, page.chalk.yellow('KNOWN'), row), ...indent(message(page, row), margin)]
}

/** What breaks an expected row, and the exchange that shows it by one line. */
export function warning(page: Page, row: RequirementRow): Lines {
  const verdict = page.chalk.yellow.bold(row.known ? 'KNOWN WARN' : 'WARN')
  const shown = row.exchanges.slice(0, 1).map((id) => exchangeLine(page, id))
  return [...heading(page, verdict, row), ...indent([...message(page, row), ...shown], margin)]
}

const margin = 4

/** `FAIL V3-IDEM-02 (required, section 4.3)` and the sentence below it. */
function heading({ chalk, width }: Page, verdict: string, row: RequirementRow): Lines {
  const place = chalk.dim(`(${row.level}, section ${row.section})`)
  const sentence = wrap(printable(row.title), width - margin)
  return [`${verdict} ${chalk.bold(row.id)} ${place}`, ...indent(sentence, margin)]
}

function message({ width }: Page, row: RequirementRow): Lines {
  return row.message === null ? [] : wrap(`found: ${clean(row.message)}`, width - margin)
}

function scenarios({ chalk, width }: Page, row: RequirementRow): Lines {
  if (row.scenarios.length === 0) return []
  const names = row.scenarios.map(printable).join(', ')
  return [chalk.dim(shorten(`scenario: ${names}`, width - margin))]
}

/** The first exchange whole, since it shows the violation; the others by a line each. */
function evidence(page: Page, row: RequirementRow): Lines {
  const { chalk, width, exchanges } = page
  const [first, ...others] = row.exchanges
  if (first === undefined) return []
  const found = exchanges.get(first)
  const whole =
    found === undefined
      ? [exchangeLine(page, first)]
      : exchangeLines(found, { chalk, width: width - margin, offending: row.event })
  return [...whole, ...others.map((id) => exchangeLine(page, id))]
}

function exchangeLine({ chalk, width, exchanges }: Page, id: string): string {
  const exchange = exchanges.get(id)
  if (exchange === undefined) return `${printable(id)} is not among the recorded exchanges`
  const { method, url } = exchange.request
  const line = `see ${id}: ${method} ${printable(url)} → ${answerText(exchange)}`
  return chalk.dim(shorten(line, width - margin))
}
