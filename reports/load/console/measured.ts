import type { LoadReport } from '../../../contract/report/load/report.ts'
import { columns, fittedColumns } from '../../text/columns.ts'
import { clean, indent, printable, wrap } from '../../text/escape.ts'
import { count, figure, percent, seconds } from '../../text/format.ts'
import { hanging, type Lines, type Page } from '../../text/page.ts'
import {
  clocked,
  endpointHead,
  endpointTableRows,
  type QuantileRow,
  quantileName,
  rateRows,
  turnRows,
} from '../measures.ts'
import { connectionText, deliveryText, disturbanceText, lumpText } from '../traffic.ts'

export interface LoadConsoleOptions {
  readonly color: boolean
  /** Columns of the terminal. */
  readonly width: number
  /** True to print latencies by transaction as well. */
  readonly verbose?: boolean
}

export interface LoadPage extends Page {
  readonly verbose?: boolean
}

export function rateTable(page: LoadPage, report: LoadReport): Lines {
  const { open, left } = report
  const purposeful = Object.values(left).reduce((sum, number) => sum + number, 0)
  const beside = [
    `${count(open, 'request')} in flight at the end`,
    ...(purposeful === 0 ? [] : [`${purposeful} aborted on purpose`]),
    connectionText(report),
  ]
  return [
    page.chalk.bold('Rates in the measured window'),
    ...indent(
      columns([
        ['', 'count', 'per second'],
        ...rateRows(report).map(([name, number, perSecond]) => [
          name,
          String(number),
          figure(perSecond),
        ]),
      ]),
      2,
    ),
    ...hanging(page, '  ', beside.join('; ')),
  ]
}

export function transactionTable(page: LoadPage, { transactions }: LoadReport): Lines {
  if (transactions.length < 2) return []
  return [
    page.chalk.bold('Transactions of the whole run'),
    ...indent(
      columns([
        ['', 'started', 'completed', 'failed', 'in flight'],
        ...transactions.map(({ name, planned, completed, failed, open }) => [
          printable(name),
          ...[planned, completed, failed, open].map(String),
        ]),
      ]),
      2,
    ),
  ]
}

export function endpointTable(page: LoadPage, report: LoadReport): Lines {
  const rows = endpointTableRows(report)
  if (rows.length === 0) return []
  return [
    page.chalk.bold(`Endpoints, ${report.config.spread}`),
    ...indent(
      columns([['', ...endpointHead], ...rows.map(({ name, figures }) => [name, ...figures])]),
      2,
    ),
    ...rows.flatMap(({ name, baseUrl }) => hanging(page, `  ${name}: `, printable(baseUrl))),
  ]
}

export function latencyTable(page: LoadPage, title: string, metrics: LoadReport['metrics']): Lines {
  return quantileTable(page, title, clocked(metrics))
}

/** `ttft` of growing chats by turn; with `verbose`, all metrics. */
export function turnTable(page: LoadPage, { turns }: LoadReport): Lines {
  const rows = turnRows(turns).filter(({ metric }) => page.verbose === true || metric === 'ttft')
  const named = rows.map((row) => ({ ...row, name: `${row.metric} ${row.turn}` }))
  return quantileTable(page, 'Latency of growing chats by turn, ms', named)
}

/** Columns omitted on a narrow terminal, in this order. */
const spare = ['p75', 'p99.9', 'mean', 'p90', 'n']

function quantileTable(page: LoadPage, title: string, rows: readonly QuantileRow[]): Lines {
  const [first] = rows
  if (first === undefined) return []
  const names = first.distribution.quantiles.map(quantileName)
  const { lines, without } = fittedColumns(
    [
      ['', '', 'n', 'mean', ...names, 'max'],
      ...rows.map(({ name, clock, distribution }) => [
        name,
        clock,
        `${distribution.count}${distribution.censored === 0 ? '' : `+${distribution.censored}`}`,
        figure(distribution.mean),
        ...distribution.quantiles.map(({ value }) => figure(value)),
        figure(distribution.max),
      ]),
    ],
    { names: 2, width: page.width - 2, spare },
  )
  return [
    page.chalk.bold(title),
    ...indent(lines, 2),
    ...(without.length === 0
      ? []
      : indent(
          wrap(
            `Omitted for lack of space: ${without.join(', ')}; see report.json.`,
            page.width - 2,
          ),
          2,
        )),
    ...(rows.some(({ distribution }) => distribution.censored > 0)
      ? indent(
          wrap(
            '+n: requests still in flight at the end, included in the quantiles.',
            page.width - 2,
          ),
          2,
        )
      : []),
  ]
}

export function stallList(page: LoadPage, { stalls }: LoadReport): Lines {
  if (stalls === null) return []
  const { overMs, stalled, streams, share, longestMs, coalesced } = stalls
  const text = `${stalled} of ${count(streams, 'stream')} stalled for more than ${overMs} ms, ${percent(share)} of their time; longest gap ${figure(longestMs)} ms; ${percent(coalesced)} of the gaps are 0 ms: several chunks arrived in one read`
  return hanging(page, 'stalls: ', text)
}

export function deliveryList(page: LoadPage, report: LoadReport): Lines {
  const text = deliveryText(report)
  if (text === undefined) return []
  return [
    ...hanging(page, 'delivery: ', text),
    ...lumpText(report).flatMap((line) => hanging(page, page.chalk.yellow('  note: '), line, 8)),
  ]
}

export function errorList(page: LoadPage, { errors, disturbances }: LoadReport): Lines {
  const counts = (lead: string) => hanging(page, lead, disturbanceText(disturbances))
  if (errors.length === 0) return counts('errors: ')
  return [
    page.chalk.bold('Failed requests'),
    ...counts('  errors: '),
    ...errors.flatMap(({ kind, detail, count, share, firstIndex, firstSecond }) =>
      hanging(
        page,
        `  ${String(count).padStart(6)}  `,
        `${kind} ${clean(detail)}, ${percent(share)}, first request ${firstIndex} at ${seconds(1000 * firstSecond)}`,
      ),
    ),
  ]
}
