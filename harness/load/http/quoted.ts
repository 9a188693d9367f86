/**
 * The first characters of what a target sent, in quotation marks and without anything that a
 * terminal or a log could take for more than text.
 */
export function quoted(text: string, maxLength = 40): string {
  const start = JSON.stringify(text.slice(0, maxLength)).replaceAll(
    /[^\x20-\x7e]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return text.length > maxLength ? `${start.slice(0, -1)}…"` : start
}
