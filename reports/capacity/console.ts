import { Chalk, type ChalkInstance } from 'chalk'
import type { CapacityReport } from '../../contract/report/capacity/report.ts'
import { containerLog, containerText } from '../text/container.ts'
import { doubtText, isEdited } from '../text/digest.ts'
import { clean, printable } from '../text/escape.ts'
import { hanging, list, type Page } from '../text/page.ts'
import { answerText, capacityWord, detailLines } from './answer.ts'
import { frontierTable, probeTable } from './tables.ts'

export interface CapacityConsoleOptions {
  readonly color: boolean
  readonly width: number
  /** True to show every probe as well. */
  readonly verbose: boolean
}

/** The report of `chatgen capacity` for a terminal: the answer first and last, the frontier between. */
export function capacityToConsole(report: CapacityReport, options: CapacityConsoleOptions): string {
  const chalk = new Chalk({ level: options.color ? 1 : 0 })
  const page: Page = { ...options, chalk }
  const { target, config, seed, notes, faults, generator } = report
  const outcome = [...editedLines(page, report), ...outcomeLines(page, report)]
  const about = [
    `Target  ${clean(target.baseUrl)}`,
    ...(target.container === undefined ? [] : [`Image   ${containerText(target.container)}`]),
    `Search  ${config.slos.map(printable).join(', ') || 'no SLO'}; mix ${printable(config.mixName)}; seed ${printable(seed)}`,
  ]
  const parts = [
    [...outcome, ...about],
    detailLines(report),
    titled(page, 'Throughput and latency by load, ms', aligned(frontierTable(report))),
    options.verbose ? titled(page, 'Probes', aligned(probeTable(report))) : [],
    list(page, `Generator ${generator.verdict}`, generator.reasons.map(printable)),
    list(page, 'Notes', notes),
    list(page, 'Internal errors of chatgen', faults),
    containerLog(target.container, page.width),
    outcome,
  ]
  return `${parts
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`
}

/** The outcome alone, in one line. */
export function capacityOutcome(
  report: CapacityReport,
  { color }: { readonly color: boolean },
): string {
  const chalk = new Chalk({ level: color ? 1 : 0 })
  return `${paintOf(report, chalk)(wordOf(report))}  ${answerText(report)}`
}

function outcomeLines(page: Page, report: CapacityReport): readonly string[] {
  const word = wordOf(report)
  const lead = `${paintOf(report, page.chalk)(word)}  `
  return hanging(page, lead, answerText(report), word.length + 2)
}

function wordOf(report: CapacityReport): string {
  return capacityWord(report).toUpperCase()
}

function paintOf({ outcome, interrupted }: CapacityReport, chalk: ChalkInstance): ChalkInstance {
  const isGood = (outcome === 'found' || outcome === 'above max') && !interrupted
  return isGood ? chalk.green.bold : chalk.yellow.bold
}

function editedLines({ chalk }: Page, report: CapacityReport): readonly string[] {
  const doubt = isEdited(report) ? doubtText(report) : null
  return doubt === null ? [] : [chalk.red(doubt)]
}

function titled({ chalk }: Page, title: string, lines: readonly string[]): readonly string[] {
  return lines.length <= 1 ? [] : [chalk.bold(title), ...lines.map((line) => `  ${line}`)]
}

/** Columns as wide as their widest cell, numbers to the right. */
function aligned(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => printable(row[column] ?? '').length)),
  )
  return rows.map((row) =>
    row
      .map((text, column) => {
        const printed = printable(text)
        const width = widths[column] ?? 0
        return /^[\d.–]|^n\/a/.test(printed) ? printed.padStart(width) : printed.padEnd(width)
      })
      .join('  ')
      .trimEnd(),
  )
}
