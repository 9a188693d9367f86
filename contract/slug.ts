/** Letters a to z, digits and dashes of a text, as a part of a file name or a header. */
export function slugOf(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
}
