import { Chalk, type ChalkInstance } from 'chalk'
import { clean } from '../console-page.ts'
import type { LoadReport } from '../model/load.ts'
import { count, indent, printable, wrap } from '../text.ts'
import { columns } from './columns.ts'
import {
  clocked,
  figure,
  interval,
  outcomeText,
  percent,
  planText,
  quantileName,
  rateRows,
  seconds,
  windowText,
} from './words.ts'

export interface LoadConsoleOptions {
  readonly color: boolean
  /** Columns of the terminal. */
  readonly width: number
  /** Also what each transaction measured, and the same run as other tools define it. */
  readonly verbose?: boolean
}

interface Page extends LoadConsoleOptions {
  readonly chalk: ChalkInstance
}

type Lines = readonly string[]

/**
 * The report of `chatgen load` for a terminal. The outcome stands first and last; between them what
 * decides it, then what was measured, then how far the measurement can be trusted. Nothing that a
 * target sent reaches the terminal unescaped.
 */
export function loadToConsole(report: LoadReport, options: LoadConsoleOptions): string {
  const page: Page = { ...options, chalk: new Chalk({ level: options.color ? 1 : 0 }) }
  const parts = [
    [outcomeLine(page, report), ...about(page, report)],
    sloList(page, report),
    findingList(page, report),
    rateTable(page, report),
    latencyTable(page, 'Latency in the measured window, ms', report.metrics),
    stallList(page, report),
    errorList(page, report),
    options.verbose
      ? report.transactions.flatMap(({ name, metrics }) =>
          latencyTable(page, `Latency of ${printable(name)}, ms`, metrics),
        )
      : [],
    options.verbose ? otherToolTable(page, report) : [],
    generatorList(page, report),
    auditList(page, report),
    list(page, 'Notes', report.notes),
    list(page, 'Faults of the kit itself', report.faults),
    [outcomeLine(page, report)],
  ]
  return `${parts
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`
}

/** The outcome alone. */
export function loadOutcome(report: LoadReport, { color }: { readonly color: boolean }): string {
  return outcomeLine({ chalk: new Chalk({ level: color ? 1 : 0 }) }, report)
}

function outcomeLine({ chalk }: Pick<Page, 'chalk'>, report: LoadReport): string {
  const paint = {
    met: chalk.green.bold,
    missed: chalk.red.bold,
    violated: chalk.red.bold,
    invalid: chalk.yellow.bold,
  }[report.outcome]
  return `${paint(report.outcome.toUpperCase())}  ${outcomeText(report)}`
}

function about(page: Page, report: LoadReport): Lines {
  const { target, interrupted, suite } = report
  return [
    ...(interrupted ? [page.chalk.yellow('interrupted: holds only what was found so far')] : []),
    ...hanging(page, 'target: ', `${printable(target.baseUrl)}, ${target.surfaces.join(' and ')}`),
    ...hanging(page, 'load: ', printable(planText(report))),
    ...hanging(page, 'measured: ', windowText(report)),
    ...hanging(page, 'kit: ', `${suite.version}, interface ${suite.interface}`),
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
      ...indent(wrap(message, page.width - 12), 12),
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
        `(${level}) broken in ${broken} of ${of}, ${percent(rate)}: ${title}`,
        id.length + 1,
      ),
      ...hanging(page, '  found: ', clean(first.why)),
      ...hanging(page, '  first: ', clean(where)),
    ]
  })
}

function rateTable(page: Page, report: LoadReport): Lines {
  const { open, left, connections } = report
  const purposeful = Object.values(left).reduce((sum, number) => sum + number, 0)
  const beside = [
    `${count(open, 'request')} open at the end`,
    ...(purposeful === 0 ? [] : [`${purposeful} left on purpose`]),
    `${count(connections.opened, 'connection')} opened, ${connections.reused} requests found one open`,
  ]
  return [
    page.chalk.bold('Rates in the measured window'),
    ...indent(
      columns([
        ['', 'count', 'a second'],
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

function latencyTable(page: Page, title: string, metrics: LoadReport['metrics']): Lines {
  const rows = clocked(metrics)
  const [first] = rows
  if (first === undefined) return []
  const names = first.distribution.quantiles.map(quantileName)
  return [
    page.chalk.bold(title),
    ...indent(
      columns(
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
        2,
      ),
      2,
    ),
    ...(rows.some(({ distribution }) => distribution.censored > 0)
      ? indent(
          wrap('+n: so many were still running; they are in the quantiles.', page.width - 2),
          2,
        )
      : []),
  ]
}

function stallList(page: Page, { stalls }: LoadReport): Lines {
  if (stalls === null) return []
  const { overMs, stalled, streams, share, longestMs, coalesced } = stalls
  const text = `${stalled} of ${count(streams, 'stream')} stalled for more than ${overMs} ms, ${percent(share)} of their time; longest gap ${figure(longestMs)} ms; ${percent(coalesced)} of the gaps are 0, one read brought several pieces`
  return hanging(page, 'stalls: ', text)
}

function errorList(page: Page, { errors }: LoadReport): Lines {
  if (errors.length === 0) return []
  return [
    page.chalk.bold('Failed requests'),
    ...errors.flatMap(({ kind, detail, count, share, firstIndex, firstSecond }) =>
      hanging(
        page,
        `  ${String(count).padStart(6)}  `,
        `${kind} ${clean(detail)}, ${percent(share)}, first request ${firstIndex} at ${seconds(1000 * firstSecond)}`,
      ),
    ),
  ]
}

function otherToolTable(page: Page, { otherTools }: LoadReport): Lines {
  if (otherTools.length === 0) return []
  return [
    page.chalk.bold('The whole run as other tools define it'),
    ...indent(
      columns(
        [
          ['', '', 'mean', 'p50', 'p99', 'unit'],
          ...otherTools.map(({ tool, metric, unit, mean, p50, p99 }) => [
            tool,
            metric,
            figure(mean),
            figure(p50),
            figure(p99),
            unit,
          ]),
        ],
        2,
      ),
      2,
    ),
    ...otherTools.flatMap(({ tool, metric, definition }) =>
      hanging(page, '  ', `${tool} ${metric}: ${definition}`, 4),
    ),
  ]
}

function generatorList(page: Page, { generator }: LoadReport): Lines {
  const { verdict, reasons, timestampError, scheduleDelay, eventLoopUtilization } = generator
  const paint = {
    valid: page.chalk.green,
    degraded: page.chalk.yellow,
    invalid: page.chalk.red,
  }[verdict]
  const spread = (name: string, found: typeof timestampError) =>
    found === null
      ? `${name} not known`
      : `${name} p50 ${figure(found.p50)}, p99 ${figure(found.p99)}, max ${figure(found.max)} ms`
  const figures = [
    spread('stamps late by', timestampError),
    spread('sent late by', scheduleDelay),
    `busiest event loop ${percent(eventLoopUtilization)}`,
    `${figure(generator.eventsPerSecond)} events/s`,
    ...(generator.eventsPerCpuSecond === null
      ? []
      : [`${figure(generator.eventsPerCpuSecond)} a CPU second`]),
  ]
  return [
    `${page.chalk.bold('Generator')} ${paint(verdict)}`,
    ...reasons.flatMap((reason) => hanging(page, '  because ', reason)),
    ...hanging(page, '  ', figures.join('; ')),
  ]
}

function auditList(page: Page, { audits }: LoadReport): Lines {
  if (audits.length === 0) return []
  return [
    page.chalk.bold('Audits'),
    ...audits.flatMap(({ name, verdict, message }) => {
      const word = verdict === 'not-applicable' ? 'n/a' : verdict
      const painted = verdict === 'fail' ? page.chalk.red(word.padEnd(4)) : word.padEnd(4)
      return hanging(page, `  ${painted} `, `${name}: ${message}`, 7)
    }),
  ]
}

function list(page: Page, title: string, texts: readonly string[]): Lines {
  if (texts.length === 0) return []
  return [page.chalk.bold(title), ...texts.flatMap((text) => hanging(page, '  ', clean(text), 4))]
}

/** Text after a lead, its further lines below it; a painted lead is wider than it looks. */
function hanging(page: Page, lead: string, text: string, margin = lead.length): Lines {
  const [first = '', ...rest] = wrap(text, page.width - margin)
  return [lead + first, ...indent(rest, margin)]
}
