/** Matches all of a text with a glob, whatever the case: `*` is any text, spaces included, `?` any one character. */
export function matchesGlob(text: string, glob: string): boolean {
  const pattern = glob
    .replaceAll(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.')
  return new RegExp(`^${pattern}$`, 'i').test(text)
}
