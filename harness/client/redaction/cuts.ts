import { type Form, isOfInterface, sourceOf } from './forms.ts'
import { viewsOf } from './views.ts'

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
  /** Finds pieces of secrets anywhere. */
  readonly findPieces?: FindSecrets
}

export type FindSecrets = (text: string) => readonly Cut[]

/**
 * Finds secrets in each of their forms, with escapes of any kind in them, and parts of secrets if a text was
 * shortened or cut. Cuts are in order and do not overlap; existing marks are left alone. Takes time in
 * proportion to the text.
 */
export function createFinder(
  forms: readonly Form[],
  { mayBeCut = false, quotes = false, findPieces = () => [] }: FinderOptions = {},
): FindSecrets {
  if (forms.length === 0) return () => []
  const marks = [...new Set(forms.map(({ mark }) => mark))]
  const searches = [forms.filter(({ anyCase }) => anyCase), forms.filter(({ anyCase }) => !anyCase)]
    .filter((some) => some.length > 0)
    .map((some) => searchFor(some, marks))
  const parts = searchForParts(forms, mayBeCut, quotes ? ellipsisOrQuote : ellipsis)
  const written = forms.map(({ text }) => text).join('')
  const quoted = ['"', "'", '\\', '/', '`'].filter((one) => written.includes(one)).join('')

  const search = (text: string): Cut[] => [
    ...searches.flatMap((one) => one(text)),
    ...parts(text),
    ...findPieces(text),
  ]
  return (text) => {
    const cuts = search(text)
    for (const view of viewsOf(text, quoted)) {
      for (const { start, end, mark } of search(view.text)) {
        cuts.push({ start: view.origin(start), end: view.origin(end), mark })
      }
    }
    return joined(cuts)
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

/** Forms are in order of length, so that a secret is found before another that it begins with. */
function searchFor(forms: readonly Form[], marks: readonly string[]): (text: string) => Cut[] {
  const flags = forms.some(({ anyCase }) => anyCase) ? 'i' : ''
  const sources = forms.map(({ text }) => sourceOf(text))
  const some = new RegExp(sources.join('|'), flags)
  const skipped = marks.map((mark) => mark.replaceAll(/[.[\]-]/g, '\\$&'))
  const marksOfText = new Map<string, string>()
  for (const { text, mark } of forms.toReversed()) marksOfText.set(text, mark)
  const each = [...skipped, ...sources.map((source) => `(${source})`)].join('|')
  const all = new RegExp(each, `g${flags}`)
  return (text) => {
    // Most texts hold no secret: one search is enough.
    if (!some.test(text)) return []
    return [...text.matchAll(all)].flatMap((match) => {
      const form = forms[match.findIndex((group, at) => at > 0 && group !== undefined) - 1]
      const start = match.index
      if (form === undefined) return []
      // A key in the other letter case is also a near miss with a mark of its own.
      const mark = marksOfText.get(match[0]) ?? form.mark
      return [{ start, end: start + match[0].length, mark }]
    })
  }
}

/** An ellipsis in text, and in bytes of UTF-8 that are read as Latin-1. */
const ellipsis = /…|\.\.\.|\u00e2\u0080\u00a6/g
const ellipsisOrQuote = new RegExp(`${ellipsis.source}|["'\`]`, 'g')

/** Characters of an escape that may have been cut. */
const maxEscapeLength = 16

/** Remainder of an escape that was cut. */
const brokenEscape =
  /(?:\\{1,8}(?:u[0-9a-fA-F]{0,3}|x[0-9a-fA-F]?)?|%[0-9a-fA-F]?|&#?[0-9a-zA-Z]{0,6})$/

/** The beginning of a secret before the end of a text, and its end behind an ellipsis or a quote. */
function searchForParts(
  forms: readonly Form[],
  mayBeCut: boolean,
  textEnds: RegExp,
): (text: string) => Cut[] {
  const longer = forms.filter(({ text, shortestPart }) => text.length > shortestPart)
  const sought = { forms: longer, maxLength: longer[0]?.text.length ?? 0 }
  const endings = longer.flatMap(({ text, shortestPart }) => [
    text.slice(0, shortestPart),
    text.slice(-shortestPart),
  ])
  const some = new RegExp([...new Set(endings)].map(sourceOf).join('|') || '(?!)')
  const anyTextEnd = new RegExp(textEnds.source)
  const tailLength = sought.maxLength + maxEscapeLength
  return (text) => {
    // Where nothing was shortened, only the end of the text can be the end of a part.
    const searched = anyTextEnd.test(text) ? text : mayBeCut ? text.slice(-tailLength) : ''
    if (!some.test(searched)) return []
    const found: (Cut | undefined)[] = []
    for (const { 0: end, index } of text.matchAll(textEnds)) {
      found.push(beginningBefore(text, index, sought))
      found.push(endBehind(text, index + end.length, sought))
    }
    if (mayBeCut) {
      found.push(beginningBefore(text, text.length, sought))
      const cutLength = brokenEscape.exec(text.slice(-maxEscapeLength))?.[0].length ?? 0
      if (cutLength > 0) found.push(beginningBefore(text, text.length - cutLength, sought))
    }
    return found
      .filter((cut) => cut !== undefined)
      .filter(({ start, end }) => !isOfInterface(text.slice(start, end)))
  }
}

interface Sought {
  readonly forms: readonly Form[]
  /** Length of the maxLength form. */
  readonly maxLength: number
}

function beginningBefore(text: string, end: number, { forms, maxLength }: Sought): Cut | undefined {
  const from = Math.max(0, end - maxLength + 1)
  const tail = text.slice(from, end)
  for (const { text: form, mark, shortestPart } of forms) {
    const beginning = form.slice(0, shortestPart)
    const first = Math.max(0, tail.length - form.length + 1)
    for (let at = tail.indexOf(beginning, first); at >= 0; at = tail.indexOf(beginning, at + 1)) {
      if (form.startsWith(tail.slice(at))) return { start: from + at, end, mark }
    }
  }
  return undefined
}

function endBehind(text: string, start: number, { forms, maxLength }: Sought): Cut | undefined {
  const head = text.slice(start, start + maxLength - 1)
  for (const { text: form, mark, shortestPart } of forms) {
    const ending = form.slice(-shortestPart)
    const last = form.length - 1 - shortestPart
    for (let at = head.lastIndexOf(ending, last); at >= 0; at = head.lastIndexOf(ending, at - 1)) {
      const part = head.slice(0, at + shortestPart)
      if (form.endsWith(part)) return { start, end: start + part.length, mark }
      if (at === 0) break
    }
  }
  return undefined
}
