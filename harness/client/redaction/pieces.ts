import { type Cut, type FindSecrets, joined } from './cuts.ts'
import { isTelling, type RunForm } from './forms.ts'

/**
 * Finds secrets in bytes that are read as Latin-1, also those that a model spreads token by token over the
 * fields of successive events, `"delta":"sk-"`, `"delta":"4711"`, or over events that are not JSON. `pieced`:
 * the secrets whose pieces do not match by chance.
 */
export function findInBytes(text: string, whole: FindSecrets, pieced: FindSecrets): readonly Cut[] {
  const cuts = [...whole(text)]
  for (const segments of membersByName(text)) {
    if (segments.length < 4) continue
    const parts: string[] = []
    for (let at = 0; at < segments.length; at += 2) {
      parts.push(text.slice(segments[at], segments[at + 1]))
    }
    const together = parts.join('')
    for (const cut of spread(segments, pieced(together))) cuts.push(cut)
  }
  return joined(cuts)
}

/** Start and end of each segment, in turn: numbers alone, for there may be millions of them. */
type Segments = number[]

/** Maps cuts of the joined text to its segments; the first segment gets the mark. */
function spread(segments: Segments, found: readonly Cut[]): Cut[] {
  const cuts: Cut[] = []
  let from = 0
  let at = 0
  for (const { start, end, mark } of found) {
    let replacement = mark
    for (; from < segments.length; from += 2) {
      const segmentStart = segments[from] ?? 0
      const length = (segments[from + 1] ?? 0) - segmentStart
      const first = Math.max(start, at)
      const last = Math.min(end, at + length)
      const shift = segmentStart - at
      if (first < last) {
        cuts.push({ start: first + shift, end: last + shift, mark: replacement })
        replacement = ''
      }
      // The next cut may begin in the same segment.
      if (end <= at + length) break
      at += length
    }
  }
  return cuts
}

const nameless = Symbol('text of events that is no member')

/** Texts of fields by name, and data that is not JSON, in the order of arrival. */
function membersByName(text: string): Iterable<Segments> {
  const byName = new Map<string | symbol, Segments>()
  const add = (name: string | symbol, start: number, end: number) => {
    const existing = byName.get(name)
    if (existing === undefined) byName.set(name, [start, end])
    else existing.push(start, end)
  }
  let name: string | undefined
  let wasName = -1
  eachText(text, (start, end) => {
    if (name !== undefined && isMemberSign(text, wasName, start - 1)) {
      add(name, start, end)
      name = undefined
    } else {
      name = end - start <= maxNameLength ? text.slice(start, end) : undefined
      wasName = end + 1
    }
  })
  for (const match of text.matchAll(/^data: ?([^{[\s].*)$/gm)) {
    const end = match.index + match[0].length
    add(nameless, end - (match[1]?.length ?? 0), end)
  }
  return byName.values()
}

const maxNameLength = 100

/** Tests for the sign between a name and its value: a colon, and perhaps a few spaces. */
function isMemberSign(text: string, from: number, to: number): boolean {
  return to - from <= 8 && text.slice(from, to).trim() === ':'
}

/** The JSON strings of a text, without their quotes; none spans a line. */
function eachText(text: string, use: (start: number, end: number) => void): void {
  let at = text.indexOf('"')
  while (at >= 0) {
    const start = at + 1
    const end = endOfText(text, start)
    if (end === undefined) {
      // An unclosed quote: the search resumes on the next line.
      const line = text.indexOf('\n', start)
      if (line < 0) return
      at = text.indexOf('"', line)
      continue
    }
    use(start, end)
    at = text.indexOf('"', end + 1)
  }
}

function endOfText(text: string, start: number): number | undefined {
  for (let at = start; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === 0x22) return at
    if (code === 0x0a) return undefined
    if (code === 0x5c) at += 1
  }
  return undefined
}

/** Characters that are compared at once, and the steps between: eight in a row hold such a triple anywhere. */
const tripleLength = 3
const stride = 6

interface Place {
  readonly form: RunForm
  readonly position: number
}

/**
 * Finds pieces of secrets anywhere in a text, such as the first characters of a key that a server shows. A
 * piece that may be ordinary text is left alone: without it, a recording could be judged differently.
 */
export function createRunFinder(forms: readonly RunForm[]): FindSecrets {
  if (forms.length === 0) return () => []
  const places = placesByHash(forms)
  const isKnown = new Uint8Array(hashes)
  for (const hash of places.keys()) isKnown[hash] = 1
  return (text) => {
    const cuts: Cut[] = []
    const last = text.length - tripleLength
    let at = 0
    while (at <= last) {
      const hash = hashAt(text, at)
      const cut = isKnown[hash] === 0 ? undefined : pieceAround(text, at, places.get(hash) ?? [])
      if (cut === undefined) at += stride
      else {
        cuts.push(cut)
        at = Math.max(at + stride, cut.end)
      }
    }
    return cuts
  }
}

const hashes = 1 << 16

/** The same for both letter cases. */
function hashAt(text: string, at: number): number {
  const first = text.charCodeAt(at) | 0x20
  const second = text.charCodeAt(at + 1) | 0x20
  const third = text.charCodeAt(at + 2) | 0x20
  return ((first * 31 + second) * 31 + third) & (hashes - 1)
}

function placesByHash(forms: readonly RunForm[]): ReadonlyMap<number, readonly Place[]> {
  const places = new Map<number, Place[]>()
  for (const form of forms) {
    for (let position = 0; position + tripleLength <= form.text.length; position += 1) {
      const hash = hashAt(form.text, position)
      places.set(hash, [...(places.get(hash) ?? []), { form, position }])
    }
  }
  return places
}

function pieceAround(text: string, at: number, places: readonly Place[]): Cut | undefined {
  let maxCut: Cut | undefined
  for (const { form, position } of places) {
    const before = common(text, at - 1, form, position - 1, -1)
    const length = before + common(text, at, form, position, 1)
    const start = at - before
    if (length < form.shortestRun) continue
    if (maxCut !== undefined && maxCut.end - maxCut.start >= length) continue
    const piece = form.text.slice(position - before, position - before + length)
    if (form.ordinary !== null && !isTelling(piece, form.ordinary, text, start)) continue
    maxCut = { start, end: start + length, mark: form.mark }
  }
  return maxCut
}

/** Length of what both have in common from a place on, in one direction. */
function common(text: string, at: number, form: RunForm, position: number, step: 1 | -1): number {
  let length = 0
  while (isSame(text, at + step * length, form, position + step * length)) length += 1
  return length
}

function isSame(text: string, at: number, form: RunForm, position: number): boolean {
  // Outside either text, the code is NaN, which does not equal itself.
  const code = text.charCodeAt(at)
  const other = form.text.charCodeAt(position)
  if (code === other) return true
  return form.anyCase && (code ^ other) === 0x20 && isLetter(code)
}

function isLetter(code: number): boolean {
  const lower = code | 0x20
  return lower >= 0x61 && lower <= 0x7a
}
