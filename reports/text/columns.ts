type Rows = readonly (readonly string[])[]

/** Rows below their heading in columns two spaces apart: words to the left, figures to the right. */
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

/** True for each column that has nothing but numbers, with their units and intervals. */
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
