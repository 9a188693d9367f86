import { Chalk, type ChalkInstance } from 'chalk'
import type { CatalogueRow, RowKind } from './entries.ts'

export interface TextOptions {
  readonly color: boolean
}

/** One line for each entry: id, kind, surface and section, sentence; in columns. */
export function catalogueToText(
  rows: readonly CatalogueRow[],
  { color }: TextOptions = { color: false },
): string {
  const chalk = new Chalk({ level: color ? 1 : 0 })
  const columns = rows.map((row) => [row.id, row.kind, row.surface ?? '', row.section] as const)
  const widths = [0, 1, 2, 3].map((at) =>
    Math.max(0, ...columns.map((cells) => cells[at]?.length ?? 0)),
  )
  const pad = (text: string, at: number) => text.padEnd(widths[at] ?? 0)
  return rows
    .map(({ id, kind, surface, section, text }) =>
      [
        chalk.bold(pad(id, 0)),
        paint(chalk, kind)(pad(kind, 1)),
        pad(surface ?? '', 2),
        pad(section, 3),
        text,
      ].join('  '),
    )
    .map((line) => `${line}\n`)
    .join('')
}

function paint(chalk: ChalkInstance, kind: RowKind): ChalkInstance {
  switch (kind) {
    case 'required':
      return chalk.red
    case 'expected':
      return chalk.yellow
    case 'open':
      return chalk.cyan
    case 'excluded':
      return chalk.dim
  }
}
