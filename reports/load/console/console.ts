import { Chalk } from 'chalk'
import type { LoadReport } from '../../../contract/report/load/report.ts'
import { containerLog, containerText } from '../../text/container.ts'
import { doubtText, isEdited } from '../../text/digest.ts'
import { clean, indent, printable, wrap } from '../../text/escape.ts'
import { interval, percent, seconds } from '../../text/format.ts'
import { hanging, type Lines, list, type Page } from '../../text/page.ts'
import { outcomeText, outcomeWord, targetText } from '../outcome.ts'
import { planText, windowText } from '../plan.ts'
import {
  deliveryList,
  endpointTable,
  errorList,
  type LoadConsoleOptions,
  type LoadPage,
  latencyTable,
  rateTable,
  stallList,
  transactionTable,
  turnTable,
} from './measured.ts'
import { auditList, generatorList } from './trust.ts'

/**
 * The report of `chatgen load` for a terminal. The outcome stands first and last; between them what
 * decides it, the measurements, and the accuracy of the generator. Text from a target is escaped.
 */
export function loadToConsole(report: LoadReport, options: LoadConsoleOptions): string {
  const page: LoadPage = { ...options, chalk: new Chalk({ level: options.color ? 1 : 0 }) }
  const parts = [
    [...editedLines(page, report), ...outcomeLines(page, report), ...about(page, report)],
    sloList(page, report),
    findingList(page, report),
    rateTable(page, report),
    transactionTable(page, report),
    endpointTable(page, report),
    latencyTable(page, 'Latency in the measured window, ms', report.metrics),
    turnTable(page, report),
    stallList(page, report),
    deliveryList(page, report),
    errorList(page, report),
    options.verbose
      ? report.transactions.flatMap(({ name, metrics }) =>
          latencyTable(page, `Latency of ${printable(name)}, ms`, metrics),
        )
      : [],
    generatorList(page, report),
    auditList(page, report),
    list(page, 'Notes', report.notes),
    list(page, 'Internal errors of chatgen', report.faults),
    containerLog(report.target.container, page.width),
    [...editedLines(page, report), ...outcomeLines(page, report)],
  ]
  return `${parts
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`
}

/** The outcome alone, in one line. */
export function loadOutcome(report: LoadReport, { color }: { readonly color: boolean }): string {
  const chalk = new Chalk({ level: color ? 1 : 0 })
  return `${paintedOutcome(chalk, report)}  ${outcomeText(report)}`
}

/** Stands before the outcome, which must not be read without it. */
function editedLines(page: Page, report: LoadReport): Lines {
  const text = isEdited(report) ? doubtText(report) : null
  return text === null ? [] : hanging(page, `${page.chalk.red.bold('EDITED')}  `, text, 8)
}

function outcomeLines(page: Page, report: LoadReport): Lines {
  const margin = outcomeWord(report).length + 2
  const [first = '', ...rest] = wrap(outcomeText(report), page.width - margin)
  return [`${paintedOutcome(page.chalk, report)}  ${first}`, ...indent(rest, margin)]
}

function paintedOutcome(chalk: Page['chalk'], report: LoadReport): string {
  const { outcome } = report
  const paint =
    outcome === 'met'
      ? chalk.green.bold
      : outcome === 'missed' || outcome === 'violated'
        ? chalk.red.bold
        : chalk.yellow.bold
  return paint(outcomeWord(report).toUpperCase())
}

function about(page: Page, report: LoadReport): Lines {
  const { target, interrupted, suite } = report
  return [
    ...(report.digest?.from === 'without digest'
      ? hanging(page, 'digest: ', doubtText(report) ?? '')
      : []),
    ...(interrupted ? [page.chalk.yellow('interrupted: partial results')] : []),
    ...hanging(
      page,
      'target: ',
      `${printable(targetText(report))}, ${target.surfaces.join(' and ')}`,
    ),
    ...(target.container === undefined
      ? []
      : hanging(page, 'container: ', containerText(target.container))),
    ...hanging(page, 'load: ', printable(planText(report))),
    ...hanging(page, 'measured: ', windowText(report)),
    ...hanging(page, 'chatgen: ', `${suite.version}, interface ${suite.interface}`),
  ]
}

function sloList(page: Page, { slo }: LoadReport): Lines {
  if (slo.length === 0) return []
  const paint = {
    met: page.chalk.green,
    missed: page.chalk.red,
    undecided: page.chalk.yellow,
  }
  return [
    page.chalk.bold('SLO'),
    ...slo.flatMap(({ verdict, expression, observed, low, high, unit, message }) => [
      `  ${paint[verdict](verdict.padEnd(9))} ${printable(expression)}: ${interval(observed, low, high)} ${unit}`,
      ...indent(wrap(printable(message), page.width - 12), 12),
    ]),
  ]
}

function findingList(page: Page, { integrity }: LoadReport): Lines {
  return integrity.findings.flatMap(({ id, level, title, broken, of, rate, first }) => {
    const paint = level === 'required' ? page.chalk.red.bold : page.chalk.yellow
    const event = first.event === null ? '' : `, event ${first.event}`
    const where = `request ${first.index}.${first.step} at ${seconds(first.atMs)}, ${first.operation}${event}, X-Request-Id ${first.requestId}`
    return [
      ...hanging(
        page,
        `${paint(id)} `,
        `(${level}) violated in ${broken} of ${of}, ${percent(rate)}: ${title}`,
        id.length + 1,
      ),
      ...hanging(page, '  found: ', clean(first.why)),
      ...hanging(page, '  first: ', clean(where)),
    ]
  })
}
