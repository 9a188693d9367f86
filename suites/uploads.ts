/** A small text file whose name and content are found by their nonce. */
export function textUpload(nonce: string, more = '') {
  const text = `Notes of ${nonce}${more}.\nThe tower of ${nonce} is 47 metres high.\n`
  return {
    name: `${nonce}${more}.txt`,
    type: 'text/plain',
    bytes: new TextEncoder().encode(text),
  }
}
