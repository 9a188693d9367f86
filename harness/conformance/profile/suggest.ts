import { closest, distance } from 'fastest-levenshtein'

/** ` Did you mean X?`, or nothing where no candidate is near. */
export function didYouMean(word: string, candidates: readonly string[]): string {
  if (candidates.length === 0) return ''
  const near = closest(
    word.toLowerCase(),
    candidates.map((candidate) => candidate.toLowerCase()),
  )
  const found = candidates.find((candidate) => candidate.toLowerCase() === near)
  const tolerance = word.length < 4 ? 1 : Math.max(2, Math.floor(word.length / 3))
  if (!found || distance(word.toLowerCase(), near) > tolerance) return ''
  return ` Did you mean ${found}?`
}
