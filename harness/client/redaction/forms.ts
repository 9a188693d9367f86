import { requirements } from '../../../contract/catalog/index.ts'
import { operations } from '../../../contract/operations.ts'

export interface Secret {
  /** Replacement in its place: `[name]`. */
  readonly name: string
  readonly value: string
  /** True: looked for in rendered text as well, even if the value reads like ordinary text. */
  readonly everywhere?: boolean
  /** Present for a key: its pieces are searched as well, unless this text contains them. */
  readonly ordinary?: string
}

/** One way to write a secret, before any escapes. */
export interface Form {
  readonly text: string
  readonly mark: string
  readonly anyCase: boolean
  /** True if it does not read like the words and figures of a report. */
  readonly isSure: boolean
  /** Length of the shortest part of it that is looked for if a text was cut, in characters. */
  readonly shortestPart: number
  /** Length of the shortest piece that is looked for anywhere, eight or more; infinite if pieces are not secret. */
  readonly shortestRun: number
  /**
   * The run's own text, in lower case: a piece that occurs in it is not secret. Null for encoded forms, whose
   * pieces never match by chance.
   */
  readonly ordinary: string | null
}

/** Shorter values would be found by chance in ordinary text. */
export const shortestSecret = 4

/** The same of values in base64 or hexadecimal digits, which look like any other identifier. */
export const shortestEncoded = 6

/** Fewer characters of a secret would match by chance, and are of no use to anyone who finds them. */
const shortestPart = 6
const shortestBase64Part = Math.ceil((4 / 3) * shortestPart)

/** Characters of the shortest piece of a key that is looked for. */
const shortestRun = 8
/** Base64 digits that contain bits of eight bytes and of no other, at any of the three offsets. */
const shortestBase64Run = 10

/** Every form of every secret, as text and as bytes that are read as Latin-1. */
export function formsOf(secrets: readonly Secret[]): readonly Form[] {
  return secrets
    .filter(({ value }) => value.length >= shortestSecret)
    .flatMap(({ name, value, everywhere = false, ordinary }) => {
      const anyCase = isUnmistakable(value)
      const isKey = ordinary !== undefined && value.length >= shortestRun
      const isEncoded = value.length >= shortestEncoded
      const form = (texts: readonly string[], isAnyCase: boolean, part: number, run: number) =>
        [...new Set(texts)].map((text) => ({
          ...{ text, mark: markOf(name), anyCase: isAnyCase, ordinary: null },
          ...{ isSure: everywhere || anyCase, shortestPart: part },
          shortestRun: isKey ? run : Number.POSITIVE_INFINITY,
        }))
      const hex = isEncoded ? [Buffer.from(value).toString('hex')] : []
      const escaped = isEscapedByPercent(value)
        ? [encodeURIComponent(value), JSON.stringify(value).slice(1, -1)]
        : []
      const base64 = isEncoded ? base64FormsOf(value) : []
      const texts = [value, Buffer.from(value).toString('latin1')]
      const plain = form(texts, anyCase, shortestPart, shortestRun)
      return [
        ...plain.map((one) => ({ ...one, ordinary: ordinary?.toLowerCase() ?? '' })),
        ...form(escaped, true, shortestPart, Number.POSITIVE_INFINITY),
        ...form(hex, true, 2 * shortestPart, 2 * shortestRun),
        ...form(base64, false, shortestBase64Part, shortestBase64Run),
      ]
    })
}

/** Names of headers come from a profile; a mark must be harmless in every format. */
export function markOf(name: string): string {
  return `[${name.replaceAll(/[^\w .-]/g, '_')}]`
}

/** True for a value too random to occur by chance in a report, in its words or its figures. */
export function isUnmistakable(value: string): boolean {
  return value.length >= 16 || (value.length >= 8 && /\d/.test(value) && /[a-z]/i.test(value))
}

/**
 * Escapes are resolved before a text is searched; that of the last character is misread if the text goes on
 * with what looks like another escape: `%259a` reads as `%9a`.
 */
function isEscapedByPercent(value: string): boolean {
  const last = [...value].at(-1) ?? ''
  return value.isWellFormed() && (last === '%' || last > '\u007f')
}

/** Encodes at each of the three offsets, in both alphabets. */
function base64FormsOf(value: string): string[] {
  return [0, 1, 2].flatMap((offset) => {
    // The characters at both ends also contain bits of their neighbors, so they are left out.
    const padded = Buffer.concat([Buffer.alloc(offset), Buffer.from(value)])
    const whole = padded.toString('base64').replace(/=+$/, '')
    const inner = whole.slice(
      offset === 0 ? 0 : offset + 1,
      padded.length % 3 === 0 ? undefined : -1,
    )
    return [inner, inner.replaceAll('+', '-').replaceAll('/', '_')]
  })
}

/** Length of a phrase that does not occur in ordinary text by chance, in characters. */
const shortestPhrase = 12

/**
 * True if a piece of a key, found at `start` of a text, gives the key away. Ordinary text does not: a word of
 * the interface or of the run's own profile, a part of another word, a date. Redacting it in a recording
 * could change the verdicts of a rejudge.
 */
export function isTelling(piece: string, ordinary: string, text: string, start: number): boolean {
  const lower = piece.toLowerCase()
  if (ordinary.includes(lower) || isOfInterface(piece)) return false
  return isRandom(piece) || isPhrase(piece, text, start)
}

/** True if the requirements of the interface contain the piece. */
export function isOfInterface(piece: string): boolean {
  const earlier = answers.get(piece)
  if (earlier !== undefined) return earlier
  words ??= JSON.stringify(['chatgen-conformance', operations, requirements]).toLowerCase()
  const answer = words.includes(piece.toLowerCase())
  if (answers.size >= maxAnswers) answers.clear()
  answers.set(piece, answer)
  return answer
}

/** The words of the interface, and chatgen's name, in lower case. */
let words: string | undefined

/** Cache: a server may repeat a piece a hundred thousand times, and the text is long. */
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
