import { type Form, isOfInterface, isTelling } from './forms.ts'
import { escapesWith, viewsOf } from './views.ts'

/** A part of a text, or of bytes that are read as Latin-1, that is replaced by a mark. */
export interface Cut {
  readonly start: number
  readonly end: number
  readonly mark: string
}

export interface FinderOptions {
  /** True: the text may end in the middle of a secret. */
  readonly mayBeCut?: boolean
  /** True: quoted texts may end in the middle of a secret, like a response that `max_tokens` cut. */
  readonly quotes?: boolean
  /** True: pieces of keys are found anywhere. */
  readonly pieces?: boolean
  /** True: of secrets that read like ordinary text, only pieces are found. */
  readonly sureOnly?: boolean
}

export type FindSecrets = (text: string) => readonly Cut[]

/** Characters that are compared at once. */
const tripleLength = 3
const hashes = 1 << 16

interface Place {
  readonly form: Form
  readonly position: number
}

/**
 * Finds secrets in each of their forms, with escapes of any kind in them, parts of secrets if a text was
 * shortened or cut, and pieces of keys. Cuts are in order and do not overlap; existing marks are left alone.
 * Takes time in proportion to the text.
 */
export function finderOf(forms: readonly Form[]): (options: FinderOptions) => FindSecrets {
  if (forms.length === 0) return () => () => []
  const places = placesByHash(forms.toSorted((a, b) => b.text.length - a.text.length))
  const isKnown = new Uint8Array(hashes)
  for (const hash of places.keys()) isKnown[hash] = 1
  const marks = [...new Set(forms.map(({ mark }) => mark))]
  const marksOfText = new Map(forms.toReversed().map(({ text, mark }) => [text, mark]))
  const written = forms.map(({ text }) => text).join('')
  const quoted = ['"', "'", '\\', '/', '`'].filter((one) => written.includes(one)).join('')
  const escapes = escapesWith(quoted)
  // The shortest text that is found contains one of the triples that are compared, wherever it begins.
  const lengths = forms.flatMap(({ text, shortestPart }) => [text.length, shortestPart])
  const stride = Math.min(...lengths) - tripleLength + 1

  return (options) => {
    const search = (text: string): Cut[] => {
      const cuts: Cut[] = []
      /** Ends of the stretches that were compared with a form, by their place against it. */
      const compared = new Map<Form, Map<number, number>>()
      for (let at = 0; at + tripleLength <= text.length; at += stride) {
        const hash = hashAt(text, at)
        if (isKnown[hash] === 0) continue
        let end = 0
        const first = cuts.length
        for (const place of places.get(hash) ?? []) {
          const { form, position } = place
          // Other triples may have the same hash.
          if (!isSame(text, at + 2, form, position + 2)) continue
          const stretches = stretchesOf(compared, form)
          // What the rest of a stretch gives is known.
          if (at < (stretches.get(at - position) ?? 0)) continue
          const behind = common(text, at, form, position, 1)
          if (behind < tripleLength) continue
          stretches.set(at - position, at + behind)
          const cut = cutAround(text, at, behind, place, options)
          if (cut === undefined || isMarked(text, cut, marks)) continue
          // A key in the other letter case is also a near miss with a mark of its own.
          const mark = marksOfText.get(text.slice(cut.start, cut.end)) ?? cut.mark
          // A whole secret has its own mark, not that of a longer one that it is a part of.
          const isWhole = cut.end - cut.start === place.form.text.length
          cuts.splice(isWhole ? first : cuts.length, 0, { ...cut, mark })
          end = Math.max(end, cut.end)
        }
        // Another secret may begin with the last characters of this one.
        at = Math.max(at, end - tripleLength + 1 - stride)
      }
      return cuts
    }
    return (text) => {
      const cuts = search(text)
      for (const view of viewsOf(text, escapes)) {
        for (const { start, end, mark } of search(view.text)) {
          cuts.push({ start: view.origin(start), end: view.origin(end), mark })
        }
      }
      return joined(cuts)
    }
  }
}

/** Cuts in order, with overlapping ones merged; the first mark is kept. */
export function joined(cuts: readonly Cut[]): readonly Cut[] {
  const sorted = cuts.toSorted((a, b) => a.start - b.start || b.end - a.end)
  const result: Cut[] = []
  for (const cut of sorted) {
    const last = result.at(-1)
    if (last === undefined || cut.start >= last.end) result.push(cut)
    else {
      const end = Math.max(last.end, cut.end)
      result[result.length - 1] = { start: last.start, end, mark: last.mark || cut.mark }
    }
  }
  return result
}

function placesByHash(forms: readonly Form[]): ReadonlyMap<number, readonly Place[]> {
  const places = new Map<number, Place[]>()
  for (const form of forms) {
    for (let position = 0; position + tripleLength <= form.text.length; position += 1) {
      const hash = hashAt(form.text, position)
      places.set(hash, [...(places.get(hash) ?? []), { form, position }])
    }
  }
  return places
}

/** Starts anew from time to time, as a text may have any number of stretches. */
function stretchesOf(compared: Map<Form, Map<number, number>>, form: Form): Map<number, number> {
  const stretches = compared.get(form)
  if (stretches !== undefined && stretches.size <= 2 * form.text.length) return stretches
  const none = new Map<number, number>()
  compared.set(form, none)
  return none
}

/** The same for both letter cases, and for a space and the plus sign that a form of HTML writes for it. */
function hashAt(text: string, at: number): number {
  const start = folded(text, at) * 31 + folded(text, at + 1)
  return (start * 31 + folded(text, at + 2)) & (hashes - 1)
}

function folded(text: string, at: number): number {
  const code = text.charCodeAt(at)
  return code === 0x2b ? 0x20 : code | 0x20
}

/** The secret, or the part or piece of it, that the text has in common with a form around a place. */
function cutAround(
  text: string,
  at: number,
  behind: number,
  { form, position }: Place,
  options: FinderOptions,
): Cut | undefined {
  const before = common(text, at - 1, form, position - 1, -1)
  const start = at - before
  const length = before + behind
  const end = start + length
  const { mark, shortestRun, ordinary } = form
  const from = position - before
  const isSought = form.isSure || !options.sureOnly
  if (isSought && length === form.text.length) return { start, end, mark }
  if (options.pieces && length >= shortestRun) {
    const piece = form.text.slice(from, from + length)
    if (ordinary === null || isTelling(piece, ordinary, text, start)) return { start, end, mark }
  }
  return isSought ? partOf(text, start, end, from, form, options) : undefined
}

/** The beginning of a form before the end of a text, or its end behind an ellipsis or a quote. */
function partOf(
  text: string,
  start: number,
  end: number,
  from: number,
  { text: form, mark, shortestPart }: Form,
  options: FinderOptions,
): Cut | undefined {
  const isPart = (part: string) => form.includes(part) && !isOfInterface(part)
  const signs = options.quotes ? [...ellipses, ...quotationMarks] : ellipses
  if (from === 0) {
    for (let last = end; last >= start + shortestPart; last -= 1) {
      const isBefore = signs.some((sign) => text.startsWith(sign, last))
      if (!isBefore && !endsAt(text, last, options.mayBeCut)) continue
      return isPart(text.slice(start, last)) ? { start, end: last, mark } : undefined
    }
  }
  if (from + end - start === form.length) {
    for (let first = start; first <= end - shortestPart; first += 1) {
      if (!signs.some((sign) => text.endsWith(sign, first))) continue
      return isPart(text.slice(first, end)) ? { start: first, end, mark } : undefined
    }
  }
  return undefined
}

/** An ellipsis in text, and in bytes of UTF-8 that are read as Latin-1. */
const ellipses = ['…', '...', '\u00e2\u0080\u00a6']
const quotationMarks = ['"', "'", '`']

/** Remainder of an escape that was cut. */
const brokenEscape =
  /^(?:\\{1,8}(?:u[0-9a-fA-F]{0,3}|x[0-9a-fA-F]?)?|%[0-9a-fA-F]?|&#?[0-9a-zA-Z]{0,6})$/

/** Characters of an escape that may have been cut. */
const maxEscapeLength = 16

function endsAt(text: string, at: number, mayBeCut = false): boolean {
  if (!mayBeCut || text.length - at > maxEscapeLength) return false
  return at === text.length || brokenEscape.test(text.slice(at))
}

/** Tests if a cut lies in a mark that was made before. */
function isMarked(text: string, { start, end }: Cut, marks: readonly string[]): boolean {
  return marks.some((mark) =>
    text.slice(Math.max(0, end - mark.length), start + mark.length).includes(mark),
  )
}

/** Length of what both have in common from a place on, in one direction. */
function common(text: string, at: number, form: Form, position: number, step: 1 | -1): number {
  let length = 0
  while (isSame(text, at + step * length, form, position + step * length)) length += 1
  return length
}

function isSame(text: string, at: number, form: Form, position: number): boolean {
  // Outside either text, the code is NaN, which does not equal itself.
  const code = text.charCodeAt(at)
  const other = form.text.charCodeAt(position)
  if (code === other) return true
  if (other === 0x20 && code === 0x2b) return true
  if (!form.anyCase) return false
  const lower = code | 0x20
  if (code < 0x80) return (code ^ other) === 0x20 && lower >= 0x61 && lower <= 0x7a
  return other >= 0x80 && lowerCase(code) === lowerCase(other)
}

function lowerCase(code: number): string {
  return String.fromCharCode(code).toLowerCase()
}
