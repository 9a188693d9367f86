/** Rows in columns two spaces apart: the first `names` columns to the left, figures to the right. */
export function columns(rows: readonly (readonly string[])[], names = 1): readonly string[] {
  const widths = widthsOf(rows)
  return rows.map((row) =>
    row
      .map((cell, at) =>
        at < names ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0),
      )
      .join('  ')
      .trimEnd(),
  )
}

export interface Fitted {
  readonly lines: readonly string[]
  /** Headings of the columns that there was no room for. */
  readonly without: readonly string[]
}

/**
 * The same in lines of at most `width`: columns of these headings are left out, the first of them
 * first, until the rest fits.
 */
export function fittedColumns(
  rows: readonly (readonly string[])[],
  { names, width, spare }: { names: number; width: number; spare: readonly string[] },
): Fitted {
  const heading = rows[0] ?? []
  const tooWide = (kept: readonly (readonly string[])[]) =>
    widthsOf(kept).reduce((sum, one) => sum + one + 2, -2) > width
  const [next, ...others] = spare.filter((name) => heading.includes(name))
  if (next === undefined || !tooWide(rows)) return { lines: columns(rows, names), without: [] }
  const at = heading.indexOf(next)
  const narrower = rows.map((row) => row.toSpliced(at, 1))
  const fitted = fittedColumns(narrower, { names, width, spare: others })
  return { ...fitted, without: [next, ...fitted.without] }
}

function widthsOf(rows: readonly (readonly string[])[]): readonly number[] {
  return (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => (row[at] ?? '').length)))
}
