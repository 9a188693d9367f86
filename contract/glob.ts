/** Matches a whole text against a glob, ignoring case: `*` is any text, spaces included, `?` any one character. */
export function matchesGlob(text: string, glob: string): boolean {
  const pattern = glob
    .replaceAll(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.')
  return new RegExp(`^${pattern}$`, 'i').test(text)
}
