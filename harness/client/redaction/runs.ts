import type { Cut, FindSecrets } from './cuts.ts'
import type { RunForm } from './forms.ts'
import { isTelling } from './telling.ts'

/** Characters that are compared at once, and the steps between: eight in a row hold such a triple anywhere. */
const tripleLength = 3
const stride = 6

interface Place {
  readonly form: RunForm
  readonly position: number
}

/**
 * Finds pieces of secrets anywhere in a text, as of a server that shows the first characters of a key. A
 * piece that may well be ordinary text is left alone: a recording without it could be judged otherwise.
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
    const before = commonBefore(text, at, form, position)
    const length = before + commonFrom(text, at, form, position)
    const start = at - before
    if (length < form.shortestRun) continue
    if (maxCut !== undefined && maxCut.end - maxCut.start >= length) continue
    const piece = form.text.slice(position - before, position - before + length)
    if (form.ordinary !== null && !isTelling(piece, form.ordinary, text, start)) continue
    maxCut = { start, end: start + length, mark: form.mark }
  }
  return maxCut
}

function commonBefore(text: string, at: number, form: RunForm, position: number): number {
  let length = 0
  while (isSame(text, at - length - 1, form, position - length - 1)) length += 1
  return length
}

function commonFrom(text: string, at: number, form: RunForm, position: number): number {
  let length = 0
  while (isSame(text, at + length, form, position + length)) length += 1
  return length
}

function isSame(text: string, at: number, form: RunForm, position: number): boolean {
  // Outside of either, the code is not a number, and unlike itself.
  const code = text.charCodeAt(at)
  const other = form.text.charCodeAt(position)
  if (code === other) return true
  return form.anyCase && (code ^ other) === 0x20 && isLetter(code)
}

function isLetter(code: number): boolean {
  const lower = code | 0x20
  return lower >= 0x61 && lower <= 0x7a
}
