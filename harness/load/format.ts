/** Formats of figures and of texts of the target, for messages and reports. */

/** The beginning of a text of the target, quoted, with everything but printable ASCII escaped. */
export function quoted(text: string, maxLength = 40): string {
  const start = JSON.stringify(text.slice(0, maxLength)).replaceAll(
    /[^\x20-\x7e]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return text.length > maxLength ? `${start.slice(0, -1)}…"` : start
}

/** Milliseconds; null without a finite value. */
export function milliseconds(ns: number | null): number | null {
  return ns === null || !Number.isFinite(ns) ? null : ns / 1e6
}

/** `8 MiB`. */
export function sizeText(bytes: number): string {
  const mebi = bytes / (1024 * 1024)
  return mebi >= 1 ? `${Number(mebi.toFixed(1))} MiB` : `${bytes} bytes`
}
