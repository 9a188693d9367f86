/** The words of a text as both kinds of retrieval see them. */

/** Lower case, without accents, without words that say nothing about the subject. */
export function contentWords(text: string): string[] {
  return plainWords(text).filter((word) => !idle.has(word))
}

export function plainWords(text: string): string[] {
  return (
    text
      .normalize('NFKD')
      .replace(/\p{M}/gu, '')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  )
}

/** The sentences of a text; joined with spaces they are the text again, but for white space. */
export function sentences(text: string): string[] {
  return text.split(/(?<=[.!?])\s+/).filter((sentence) => sentence.trim() !== '')
}

const idle = new Set(
  (
    'a about an and are as at be been but by can could did do does for from had has have how i if in ' +
    'is it its may me my no not of on or our please shall should so tell than that the their them ' +
    'then there these they this those to was we were what when where which who whom why will with ' +
    'would you your'
  ).split(' '),
)
