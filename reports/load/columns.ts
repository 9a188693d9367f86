/** Rows in columns two spaces apart: the first `names` columns to the left, figures to the right. */
export function columns(rows: readonly (readonly string[])[], names = 1): readonly string[] {
  const widths = (rows[0] ?? []).map((_, at) =>
    Math.max(...rows.map((row) => (row[at] ?? '').length)),
  )
  return rows.map((row) =>
    row
      .map((cell, at) =>
        at < names ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0),
      )
      .join('  ')
      .trimEnd(),
  )
}
