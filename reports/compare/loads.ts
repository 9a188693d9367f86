import { Chalk, type ChalkInstance } from 'chalk'
import type {
  ComparedFigure,
  ComparedSide,
  FigureVerdict,
  LoadComparison,
} from '../../contract/report/load/comparison.ts'
import { columns } from '../text/columns.ts'
import { indent, printable, printableJson, wrap } from '../text/escape.ts'
import { count, figure, percent } from '../text/format.ts'
import { joinParts } from '../text/page.ts'
import type { CompareTextOptions } from './writers.ts'

/** The comparison of two load runs or capacity searches for a terminal. */
export function loadComparisonToText(
  comparison: LoadComparison,
  { color, width, notes }: CompareTextOptions,
): string {
  const chalk = new Chalk({ level: color ? 1 : 0 })
  const { a, b, differences, figures } = comparison
  const parts: readonly (readonly string[])[] = [
    [headOf('A', a), headOf('B', b)],
    differences.length === 0
      ? []
      : [
          chalk.bold('The runs had different settings'),
          ...columns(
            differences.map(({ name, a, b, decisive }) => [
              `  ${name}`,
              `${printable(a)} → ${printable(b)}${decisive ? ' (no verdicts)' : ''}`,
            ]),
          ),
        ],
    figures.length === 0 ? [] : figureTable(figures, chalk),
    messageList(figures, width),
    [...notes, ...comparison.notes].flatMap((note) => wrap(printable(note), width)),
    [
      ...wrap(
        `${comparison.method}. All verdicts together are wrong with a probability of at most ${percent(comparison.familyError)} (Holm); intervals are those of each figure by itself, 95 %.`,
        width,
      ),
    ],
    [lastLine(comparison, chalk)],
  ]
  return joinParts(parts)
}

function headOf(name: string, { baseUrl, startedAt, version, requests, generator }: ComparedSide) {
  const quality = generator === 'valid' ? '' : `, generator ${generator}`
  return `${name}  ${printable(baseUrl)}, ${printable(startedAt)}, chatgen ${printable(version)}, ${count(requests, 'request')}${quality}`
}

function figureTable(figures: readonly ComparedFigure[], chalk: ChalkInstance): readonly string[] {
  const paint: Readonly<Record<FigureVerdict, (text: string) => string>> = {
    regression: chalk.red.bold,
    improvement: chalk.green,
    'no change': (text) => text,
    undecided: chalk.yellow,
  }
  const rows = figures.map(({ name, unit, a, b, ratio, low, high, tolerance }) => [
    name,
    valueText(a, unit),
    valueText(b, unit),
    ratioText(ratio),
    ratio === null ? '' : `[${boundText(low)}, ${boundText(high)}]`,
    `±${Number((100 * tolerance).toPrecision(3))}%`,
  ])
  const head = ['', 'A', 'B', 'B / A', '95 %', 'tolerance']
  const lines = columns([head, ...rows])
  const width = Math.max(...lines.map(({ length }) => length))
  return lines.map((line, index) => {
    const verdict = figures[index - 1]?.verdict
    return verdict === undefined ? line : `${line.padEnd(width)}  ${paint[verdict](verdict)}`
  })
}

/** Figures that share a message are listed together. */
function messageList(figures: readonly ComparedFigure[], width: number): readonly string[] {
  const groups = Map.groupBy(figures, ({ message }) => message)
  return [...groups].flatMap(([message, own]) => {
    if (message === '') return []
    const names = own.map(({ name }) => name).join(', ')
    return indent(wrap(`${names}: ${printable(message)}`, width - 2), 2)
  })
}

function valueText(value: number | null, unit: ComparedFigure['unit']): string {
  if (value === null) return 'n/a'
  if (unit === 'share') return percent(value)
  return `${figure(value)} ${unit}`.replace(' /', '/')
}

function ratioText(ratio: number | null): string {
  return ratio === null ? 'n/a' : ratio.toFixed(3)
}

function boundText(bound: number | null): string {
  return bound === null ? '–' : bound.toFixed(3)
}

function lastLine({ outcome, figures }: LoadComparison, chalk: ChalkInstance): string {
  const of = (verdict: FigureVerdict) => figures.filter((row) => row.verdict === verdict).length
  const parts = (['regression', 'improvement', 'no change', 'undecided'] as const).flatMap(
    (verdict) => (of(verdict) === 0 ? [] : [`${of(verdict)} ${verdict}`]),
  )
  const word = {
    regression: chalk.red.bold('REGRESSION'),
    undecided: chalk.yellow.bold('UNDECIDED'),
    invalid: chalk.red.bold('INVALID'),
    'no regression': chalk.green.bold('NO REGRESSION'),
  }[outcome]
  const text = parts.length === 0 ? 'the load generator was the bottleneck' : parts.join(', ')
  return `${word}  ${text}`
}

/** The comparison as JSON, schema version 1. */
export function loadComparisonToJson(comparison: LoadComparison, notes: readonly string[]): string {
  const value = { ...comparison, notes: [...notes, ...comparison.notes] }
  return `${printableJson(JSON.stringify(value, null, 2))}\n`
}
