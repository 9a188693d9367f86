export { count } from '../../contract/text.ts'

import type { ConformanceReport } from '../../contract/report/conformance.ts'
import { count } from '../../contract/text.ts'

/** Numbers with their units, as every report prints them. */

/** Joins phrases with semicolons or another separator; empty ones are omitted. */
export function joinPhrases(
  parts: readonly (string | null | undefined | false)[],
  sign = '; ',
): string {
  return parts.filter(Boolean).join(sign)
}

/** Three significant digits; `n/a` if the value is unknown. */
export function figure(value: number | null): string {
  if (value === null) return 'n/a'
  const size = Math.abs(value)
  if (size === 0 || size >= 100) return value.toFixed(0)
  return value.toFixed(size >= 10 ? 1 : 2)
}

/** A figure with its interval: `412 [398, 431]`; an open end is a dash. */
export function withRange(value: number | null, range: readonly (number | null)[] | null): string {
  const [low = null, high = null] = range ?? []
  if (value === null || (low === null && high === null)) return figure(value)
  const end = (bound: number | null) => (bound === null ? '–' : figure(bound))
  return `${figure(value)} [${end(low)}, ${end(high)}]`
}

/** Share in percent, never rounded up to 100 %. */
export function percent(share: number): string {
  const rounded = Number((100 * share).toPrecision(share < 0.1 ? 3 : 4))
  return `${rounded === 100 && share < 1 ? 99.99 : rounded} %`
}

export function seconds(ms: number): string {
  return `${Number((ms / 1000).toFixed(1))} s`
}

/** `12.3 ms`. */
export function milliseconds(ms: number): string {
  return `${ms.toFixed(1)} ms`
}

/** `200 operations, 0 violations`. */
export function exploredText({
  operations,
  violations,
}: NonNullable<ConformanceReport['exploration']>): string {
  return `${count(operations, 'operation')}, ${count(violations, 'violation')}`
}

/** `41 (12 generations, 3 new chats, 1 upload)`: the requests that a run sent to its target. */
export function costText(cost: ConformanceReport['cost']): string {
  const { requests, generations, chats, uploads } = cost
  const parts = [
    generations > 0 && count(generations, 'generation'),
    chats > 0 && count(chats, 'new chat'),
    uploads > 0 && count(uploads, 'upload'),
  ]
  return parts.some(Boolean) ? `${requests} (${joinPhrases(parts, ', ')})` : String(requests)
}

/** `depth full, 4,380 of 4,405 pairs tried; the others are in report.json`. */
export function conditionsText(
  conditions: NonNullable<ConformanceReport['conditions']>,
  depth: string,
): string {
  const tried = conditions.reduce((sum, one) => sum + one.tried, 0)
  const pairs = conditions.reduce((sum, one) => sum + one.pairs, 0)
  const others = conditions.some(({ untried }) => untried.length > 0)
  return `depth ${depth}, ${tried} of ${count(pairs, 'pair')} tried${others ? '; the others are in report.json' : ''}`
}

type Rows = readonly (readonly string[])[]

/** Rows below their headings, in columns two spaces apart: text left-aligned, figures right-aligned. */
export function columns(rows: Rows): readonly string[] {
  const widths = widthsOf(rows)
  const figures = figureColumns(rows)
  return rows.map((row) =>
    row
      .map((cell, at) =>
        figures[at] ? cell.padStart(widths[at] ?? 0) : cell.padEnd(widths[at] ?? 0),
      )
      .join('  ')
      .trimEnd(),
  )
}

export interface Fitted {
  readonly lines: readonly string[]
  /** Headings of the columns that did not fit. */
  readonly without: readonly string[]
}

/**
 * The same in lines of at most `width`: columns with these headings are omitted in this
 * order until the rest fits.
 */
export function fittedColumns(
  rows: Rows,
  { width, spare }: { width: number; spare: readonly string[] },
): Fitted {
  const heading = rows[0] ?? []
  const tooWide = (kept: Rows) => widthsOf(kept).reduce((sum, one) => sum + one + 2, -2) > width
  const [next, ...others] = spare.filter((name) => heading.includes(name))
  if (next === undefined || !tooWide(rows)) return { lines: columns(rows), without: [] }
  const at = heading.indexOf(next)
  const narrower = rows.map((row) => row.toSpliced(at, 1))
  const fitted = fittedColumns(narrower, { width, spare: others })
  return { ...fitted, without: [next, ...fitted.without] }
}

function widthsOf(rows: Rows): readonly number[] {
  return (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => (row[at] ?? '').length)))
}

/** True for each column that contains only numbers, with units and intervals. */
export function figureColumns([head = [], ...rows]: Rows): readonly boolean[] {
  return head.map((_, at) => {
    const cells = rows.map((row) => row[at] ?? '').filter((cell) => cell !== '')
    return cells.length > 0 && cells.every(isFigure)
  })
}

/** `n/a`, `–`, `412 [398, 431] ms`, `22.0 / n/a`; neither `14:00 to 15:00` nor `turn 1`. */
function isFigure(cell: string): boolean {
  return /^(–|[^\p{L}]*\d[^\p{L}]*(\p{L}+(\/\p{L}+)?)?)$/u.test(cell.replaceAll('n/a', '0'))
}
