/** Text that came from elsewhere, made fit for GitHub's Markdown. */

/** Prose: nothing in it is markup, a link, a mention or HTML. */
export function escaped(text: string): string {
  return (
    text
      .replace(/[\\`*_[\]|~$]|^[#+-]/g, '\\$&')
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      // Neither a mention nor a link by itself.
      .replace(/@|:\/\//g, (mark) => `${mark.charAt(0)}<span></span>${mark.slice(1)}`)
  )
}

/** A code span in a cell of a table, where a pipe would end the cell. */
export function cell(text: string): string {
  return code(text).replaceAll('|', '\\|')
}

/** A code span. */
export function code(text: string): string {
  if (text === '') return ''
  const fence = '`'.repeat(longestRun(text) + 1)
  const space = /^`|`$|^ .* $/.test(text) ? ' ' : ''
  return `${fence}${space}${text}${space}${fence}`
}

/** A block of code that no line in it can end. */
export function codeBlock(lines: readonly string[]): string {
  const fence = '`'.repeat(Math.max(3, longestRun(lines.join('\n')) + 1))
  return [`${fence}text`, ...lines, fence].join('\n')
}

function longestRun(text: string): number {
  return Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
}
