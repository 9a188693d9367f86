import { conditions } from './conditions.ts'

/**
 * A message without the parts that vary between runs, depths and models: identifiers, nonces, times, ports,
 * counts, quoted text, conditions of requests. Messages about the same behavior become equal; the status of a
 * response stays, since another status is another behavior.
 */
export function stableText(message: string): string {
  const text = replacements.reduce(
    (rest, [pattern, mark]) => rest.replaceAll(pattern, mark),
    message
      .slice(0, maxLength)
      .replaceAll(underConditions, '')
      .replaceAll(ansi, '')
      .replaceAll(cut, '<text>')
      .replaceAll(quoted, unquoted),
  )
  const kept = aboutStatus.test(text)
  return text
    .replaceAll(number, (digits) => (kept && status.test(digits) ? digits : '<n>'))
    .replaceAll(/\s+/g, ' ')
    .trim()
}

/** Increases with every change of `stableText` or of the wording of messages, because older digests are no longer comparable. */
export const stableTextVersion = 4

// biome-ignore lint/suspicious/noControlCharactersInRegex: assertion messages are colored by them
const ansi = /\u001b\[[\d;]*m/g

/** No message of a judge or a claim is this long; an internal error may be. */
const maxLength = 2_000

const condition = Object.values(conditions)
  .flatMap((dimensions) => Object.entries<object>(dimensions))
  .flatMap(([name, values]) => Object.keys(values).map((value) => `${name} ${value}`))
  .join('|')

/** The conditions of a request, and the operations of a random sequence. */
const underConditions = new RegExp(
  `(?: \\(|(?<=a request) with )(?:plain request|(?:${condition})(?:, (?:${condition}))*)(?:\\)|(?= \\())|, after: .*`,
  'gs',
)

/** A value that a judge has truncated, up to its length; its quotes are not closed. */
const cut = /["'{[][^\n]{0,60}… \(\d+ characters\)/g

/** A JSON string, with its field name if it has one. */
const quoted = /("\w+":)?"(?:[^"\\\n]|\\.)*"/g

/** Removes quoted model text, which is not behavior; a single word in quotes may be. */
function unquoted(text: string, member: string | undefined): string {
  if (member !== undefined) return `${member}<text>`
  return /\s/.test(text) ? '<text>' : text
}

/** Replacements in order: longer and more specific patterns come first. */
const replacements: readonly (readonly [RegExp, string])[] = [
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi, '<id>'],
  [/\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?[\d.]*(Z|[+-]\d\d:?\d\d)?/g, '<time>'],
  [/\b(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d \w{3} \d{4} [\d:]{8} GMT/g, '<time>'],
  [/(?<=^|[\s[(,])'[^'\n]*\s[^'\n]*'(?=$|[\s\]),:.])/g, '<text>'],
  // The tag of a run and the words that it plants.
  [/\bchatgen-[\w.-]*\w/g, 'chatgen-<run>'],
  [/\b(?:[bdfgklmnprstvz][aeiou]){3}\d{4}\b/gi, '<word>'],
  [/(?<=\/\/[^\s/:]+|localhost|127\.0\.0\.1|\[::1\]):\d{1,5}\b/g, ':<port>'],
  [/\b(?![A-Z]+-[A-Z]+-\d\d\b)[A-Za-z]{1,12}[-_](?=[0-9A-Za-z_-]*\d)[0-9A-Za-z_-]{8,}/g, '<id>'],
  [/\b(?=\w*\d)(?=\w*[A-Za-z])\w{16,}/g, '<id>'],
  [/\bx\d+\b/g, '<exchange>'],
  [/\b\d+(?:\.\d+)? ?(?:ms|milliseconds?|s|seconds?)\b/g, '<duration>'],
  // A list of texts and names of a run, of any length.
  [
    /(?:(?:, )?(?:<text>|"[^"<\s]*<(?:id|word|run|time)>[^"\s]*"))+(?:, … \(\d+ in all\))?/g,
    ' <text>',
  ],
]

const number = /(?<![\w.-])-?\d+(?:\.\d+)?(?![\w-])/g
const aboutStatus =
  /\bstatus\b|\bexpected (?:success|a refusal)\b|\banswered\b|\brefus|\bdeclin|\bHTTP\b|\b(?:is|not) an? \d{3}\b/i
const status = /^[1-5]\d\d$/

/** `1 request`, `2 requests`. */
export function count(number: number | string, noun: string): string {
  return `${number} ${noun}${Number(number) === 1 ? '' : 's'}`
}

/** The message of a thrown error; for any other thrown value, its string form. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

export function swapLetterCase(text: string): string {
  return text.replace(/[a-z]/gi, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  )
}

/** Reduces a text to a-z, digits and dashes, for use in a file name or a header. */
export function slugOf(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
}

/** Matches a whole text against a glob, ignoring case: `*` is any text, including spaces, `?` is any character. */
export function matchesGlob(text: string, glob: string): boolean {
  const pattern = glob
    .replaceAll(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.')
  return new RegExp(`^${pattern}$`, 'i').test(text)
}
