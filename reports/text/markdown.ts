import { figureColumns } from './columns.ts'
import { clean, printable } from './escape.ts'

/** Text that came from elsewhere, made fit for GitHub's Markdown. */

/** Prose: nothing in it is markup, a link, a mention or HTML. */
export function escaped(text: string): string {
  return (
    printable(text)
      .replace(/[\\`*_[\]|~$]|^[#+-]|(?<=^\d+)[.)](?=\s)/g, '\\$&')
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      // Neither a mention, nor a reference, nor a link by itself.
      .replace(/@|:(?=\/\/)|#(?=\w)|\bGH-(?=\d)|\bwww(?=\.)/gi, '$&<span></span>')
  )
}

/** A code span. */
export function code(text: string): string {
  if (text === '') return ''
  const printed = printable(text)
  const fence = '`'.repeat(maxRunLength(printed) + 1)
  const space = /^`|`$|^ .* $/.test(printed) ? ' ' : ''
  return `${fence}${space}${printed}${space}${fence}`
}

/** A block of code that no line in it can end. */
export function codeBlock(lines: readonly string[]): string {
  const fence = '`'.repeat(Math.max(3, maxRunLength(lines.join('\n')) + 1))
  return [`${fence}text`, ...lines, fence].join('\n')
}

/** A heading above lines; nothing without lines. */
export function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : `### ${title}\n\n${lines.join('\n')}`
}

/** Lines behind a title that opens them; nothing without lines. */
export function folded(title: string, lines: readonly string[]): string {
  if (lines.length === 0) return ''
  return `<details><summary>${title}</summary>\n\n${lines.join('\n')}\n\n</details>`
}

/** A table of texts, the first row of which is its head: words to the left, figures to the right. */
export function table(rows: readonly (readonly string[])[]): readonly string[] {
  const rule = figureColumns(rows).map((isFigure) => (isFigure ? '---:' : '---'))
  const [head = [], ...others] = rows.map((row) => row.map((text) => escaped(clean(text))))
  return [head, rule, ...others].map((cells) => `| ${cells.join(' | ')} |`)
}

function maxRunLength(text: string): number {
  return Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
}
