interface Namer {
  nonce(): string
  readonly context: { readonly setup: { readonly tag: string } }
}

/** A small text file with the tag of the run in its name, found by the nonce that its name begins with. */
export function textUpload(session: Namer, nonce = session.nonce(), more = '') {
  const text = `Notes of ${nonce}${more}.\nThe tower of ${nonce} is 47 metres high.\n`
  return {
    name: `${nonce}${more}-${session.context.setup.tag}.txt`,
    type: 'text/plain',
    bytes: new TextEncoder().encode(text),
  }
}
