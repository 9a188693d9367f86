import { requirements } from '../../../contract/catalogue/index.ts'
import { operations } from '../../../contract/operations.ts'

/** Words, with a number or a sign between them, that stand in no ordinary text by chance. */
const shortestPhrase = 12

/**
 * True if a piece of a key, found at `start` of a text, gives the key away. Ordinary text does not: a word
 * of the interface or of the run's own profile, a part of another word, a date. If a recording lost it, its
 * verdicts could differ from those of the run.
 */
export function isTelling(piece: string, ordinary: string, text: string, start: number): boolean {
  const lower = piece.toLowerCase()
  if (ordinary.includes(lower) || isOfInterface(piece)) return false
  return isRandom(piece) || isPhrase(piece, text, start)
}

/** True if the requirements of the interface say it. */
export function isOfInterface(piece: string): boolean {
  const earlier = answers.get(piece)
  if (earlier !== undefined) return earlier
  const answer = interfaceText().includes(piece.toLowerCase())
  if (answers.size >= maxAnswers) answers.clear()
  answers.set(piece, answer)
  return answer
}

/** A server may repeat a piece a hundred thousand times, and the text is long. */
const answers = new Map<string, boolean>()
const maxAnswers = 1_000

/** Neither words nor figures. */
function isRandom(piece: string): boolean {
  if (/[a-z]\d|\d[a-z]/i.test(piece) || /[+!@#$%^*~|]/.test(piece)) return true
  const humps = piece.match(/[a-z][A-Z]/g)?.length ?? 0
  return humps > 1 || /[bcdfghjklmnpqrstvwxz]{6}/i.test(piece)
}

/** Several words that stand by themselves. */
function isPhrase(piece: string, text: string, start: number): boolean {
  if (piece.length < shortestPhrase) return false
  const words = piece.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '')
  const isPartOfWord =
    continuesWord(text.slice(start - 1, start + 1)) ||
    continuesWord(text.slice(start + piece.length - 1, start + piece.length + 1))
  return words.length > 1 && !isPartOfWord && /\p{L}/u.test(piece)
}

function continuesWord(pair: string): boolean {
  return /^[\p{L}\p{N}]{2}$/u.test(pair)
}

let words: string | undefined

/** The words of the interface, and chatgen's name, in lower case. */
function interfaceText(): string {
  words ??= JSON.stringify(['chatgen-conformance', operations, requirements]).toLowerCase()
  return words
}
