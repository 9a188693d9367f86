/** A text with its escapes resolved, and the positions in the original. */
export interface View {
  readonly text: string
  /** Position in the original at which the character of this view begins. */
  origin(at: number): number
}

/** Escapes of escapes, such as a JSON text in a JSON text in a query. */
const maxDepth = 3

/**
 * The forms of a text in which a secret may hide: with JSON and JavaScript escapes, percent codes and
 * character references resolved, once and repeatedly.
 */
export function* viewsOf(text: string, escapes: RegExp): Iterable<View> {
  let view: View = { text, origin: (at) => at }
  for (let depth = 0; depth < maxDepth; depth += 1) {
    const next = resolved(view, escapes)
    if (next === undefined) return
    yield next
    view = next
  }
}

// Repetitions are bounded: otherwise a target could use their product for an attack.
const backslashes = '\\\\{1,8}'
const hex = '[0-9a-fA-F]'
const patterns = [
  `${backslashes}(?:u\\{0{0,8}(?<braced>${hex}{1,6})\\}|u(?<unit>${hex}{4})|x(?<byte>${hex}{2}))`,
  `%(?:25){0,4}(?<percent>${hex}{2})`,
  `&(?:amp;){0,4}(?:#[xX]0{0,8}(?<hex>${hex}{1,6});?|#0{0,8}(?<decimal>\\d{1,7});?|(?<named>amp|lt|gt|quot|apos);)`,
].join('|')

/** @param quoted characters of the secrets that a writer may put a backslash before */
export function escapesWith(quoted: string): RegExp {
  const set = quoted.replaceAll(/[\\\]^-]/g, '\\$&')
  return new RegExp(quoted === '' ? patterns : `${patterns}|${backslashes}(?<quoted>[${set}])`, 'g')
}

const named: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
}

/** The characters that every escape begins with. */
const escapeSigns = /[\\%&]/

function resolved(view: View, escapes: RegExp): View | undefined {
  // Most texts have no escape: one search is enough.
  if (!escapeSigns.test(view.text)) return undefined
  const parts: string[] = []
  /** Start of each copied or resolved part in the new text, and in the old one. */
  const starts: number[] = []
  const sources: number[] = []
  let length = 0
  let at = 0
  const add = (part: string, source: number) => {
    if (part === '') return
    parts.push(part)
    starts.push(length)
    sources.push(source)
    length += part.length
  }
  for (const match of view.text.matchAll(escapes)) {
    add(view.text.slice(at, match.index), at)
    add(characterOf(match.groups ?? {}), match.index)
    at = match.index + match[0].length
  }
  if (at === 0) return undefined
  add(view.text.slice(at), at)
  // The end of the text, and of an escape resolved there.
  starts.push(length)
  sources.push(view.text.length)
  return {
    text: parts.join(''),
    origin: (place) => {
      const part = lastAtMost(starts, place)
      const start = sources[part] ?? 0
      return view.origin(Math.min(start + place - (starts[part] ?? 0), sources[part + 1] ?? start))
    },
  }
}

function characterOf(groups: Readonly<Record<string, string | undefined>>): string {
  const digits = groups['braced'] ?? groups['hex']
  if (digits !== undefined) return codePoint(Number.parseInt(digits, 16))
  const { unit, byte, percent, decimal } = groups
  const code = unit ?? byte ?? percent
  if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16))
  if (decimal !== undefined) return codePoint(Number(decimal))
  return groups['quoted'] ?? named[groups['named'] ?? ''] ?? ''
}

function codePoint(code: number): string {
  return code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd'
}

/** Index of the last of ascending numbers that is no greater. */
function lastAtMost(ascending: readonly number[], value: number): number {
  let low = 0
  let high = ascending.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((ascending[middle] ?? 0) <= value) low = middle
    else high = middle - 1
  }
  return low
}
