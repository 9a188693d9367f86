/** Stop sequences: the text ends before the first of them, wherever the token borders fall. */

export function cutAtStop(text: string, stop: readonly string[]): string {
  const found = stop
    .filter((sequence) => sequence !== '')
    .map((sequence) => text.indexOf(sequence))
    .filter((index) => index >= 0)
  return found.length === 0 ? text : text.slice(0, Math.min(...found))
}
