import { Chalk, type ChalkInstance } from 'chalk'
import type { CatalogEntry, EntryKind } from './entries.ts'

export interface TextOptions {
  readonly color: boolean
}

/** One line for each entry: id, kind, surface, section, source, sentence; in columns. */
export function catalogToText(
  rows: readonly CatalogEntry[],
  { color }: TextOptions = { color: false },
): string {
  const chalk = new Chalk({ level: color ? 1 : 0 })
  const columns = rows.map(({ id, kind, surface, section, source }) => [
    ...[id, kind, surface ?? '', section, source ?? ''],
  ])
  const widths = [0, 1, 2, 3, 4].map((at) =>
    Math.max(0, ...columns.map((cells) => cells[at]?.length ?? 0)),
  )
  return rows
    .map(({ kind, text }, row) => {
      const cells = (columns[row] ?? []).map((cell, at) => cell.padEnd(widths[at] ?? 0))
      const [id = '', level = '', ...others] = cells
      return `${[chalk.bold(id), paint(chalk, kind)(level), ...others, text].join('  ')}\n`
    })
    .join('')
}

function paint(chalk: ChalkInstance, kind: EntryKind): ChalkInstance {
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
