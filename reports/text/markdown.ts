import { figureColumns } from './columns.ts'
import { clean, printable } from './escape.ts'

/** Text from outside, made safe for GitHub's Markdown. */

/** Escapes prose: nothing in it is markup, a link, a mention or HTML. */
export function escaped(text: string): string {
  return (
    printable(text)
      .replace(/[\\`*_[\]|~$]|^[#+-]|(?<=^\d+)[.)](?=\s)/g, '\\$&')
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      // Prevents mentions, references and automatic links.
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

/** Lines folded below a title; nothing without lines. */
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
