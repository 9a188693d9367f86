/** Planting a fact and asking for it, in the words of the profile; wording is never judged. */
export function recallOf(
  profile: { readonly recall: { readonly tell: string; readonly ask: string } },
  nonce: string,
): { readonly tell: string; readonly ask: string } {
  const { tell, ask } = profile.recall
  return { tell: tell.replaceAll('{nonce}', nonce), ask }
}
