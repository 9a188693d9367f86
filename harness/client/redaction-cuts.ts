import { endOf, membersByName, type Segments, startOf } from './redaction-members.ts'

/** A secret in one of its encodings, and what stands in its place. */
export interface Form {
  readonly form: Buffer
  readonly mark: Buffer
}

/** Bytes from `start` to `end` that give way to a mark. */
export interface Cut {
  readonly start: number
  readonly end: number
  readonly mark: Buffer
}

/** Fewer characters of a secret would be found by chance, and help nobody who finds them. */
export const shortestPart = 6

/**
 * Where secrets stand in a body: in one piece, in pieces over the members of successive events, or
 * with their beginning at the end of a body that was cut. Cuts are in order and do not overlap.
 */
export function findSecrets(whole: Buffer, forms: readonly Form[]): readonly Cut[] {
  const cuts: Cut[] = []
  // A byte each, made when there is something to note: a target may repeat a key without end.
  let taken: Uint8Array | undefined
  const add = (found: readonly Cut[]) => {
    if (found.length === 0) return
    taken ??= new Uint8Array(whole.length)
    for (const { start, end } of found) if (taken.subarray(start, end).includes(1)) return
    for (const cut of found) {
      taken.fill(1, cut.start, cut.end)
      cuts.push(cut)
    }
  }
  for (const form of forms) for (const cut of inOnePiece(whole, form)) add([cut])
  for (const pieces of inPieces(whole, forms)) add(pieces)
  for (const form of forms) add(atTheEnd(whole, form))
  return cuts.sort((a, b) => a.start - b.start)
}

function inOnePiece(whole: Buffer, { form, mark }: Form): readonly Cut[] {
  const cuts: Cut[] = []
  for (let at = whole.indexOf(form); at >= 0; at = whole.indexOf(form, at + form.length)) {
    cuts.push({ start: at, end: at + form.length, mark })
  }
  return cuts
}

/** A model that repeats a key says it token by token: `"delta":"sk-"`, `"delta":"4711"`. */
function* inPieces(whole: Buffer, forms: readonly Form[]): Iterable<readonly Cut[]> {
  for (const segments of membersByName(whole)) {
    const { joined, places } = join(whole, segments)
    for (const form of forms) {
      for (const cut of [...inOnePiece(joined, form), ...atTheEnd(joined, form)]) {
        yield spread(segments, places, cut)
      }
    }
  }
}

/** The text of all segments in one, and where each of them begins in it. */
function join(whole: Buffer, segments: Segments) {
  const places = new Float64Array(segments.length / 2)
  let length = 0
  for (let index = 0; index < places.length; index += 1) {
    places[index] = length
    length += endOf(segments, index) - startOf(segments, index)
  }
  const joined = Buffer.allocUnsafe(length)
  for (const [index, place] of places.entries()) {
    whole.copy(joined, place, startOf(segments, index), endOf(segments, index))
  }
  return { joined, places }
}

/** From a place in the joined text back to its pieces; the mark stands in the first. */
function spread(
  segments: Segments,
  places: Float64Array,
  { start, end, mark }: Cut,
): readonly Cut[] {
  const cuts: Cut[] = []
  for (let index = lastAtOrBefore(places, start); index < places.length; index += 1) {
    const place = places[index] ?? end
    if (place >= end) break
    const shift = startOf(segments, index) - place
    const from = Math.max(start, place)
    const to = Math.min(end, endOf(segments, index) - shift)
    if (from >= to) continue
    const shown = cuts.length === 0 ? mark : Buffer.alloc(0)
    cuts.push({ start: from + shift, end: to + shift, mark: shown })
  }
  return cuts
}

/** Index of the last place that is not behind `sought`; the places are in order. */
function lastAtOrBefore(places: Float64Array, sought: number): number {
  let low = 0
  let high = places.length
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if ((places[middle] ?? 0) <= sought) low = middle
    else high = middle
  }
  return low
}

/** A body that ends within a secret: the longest part of it counts. */
function atTheEnd(whole: Buffer, { form, mark }: Form): readonly Cut[] {
  const beginning = form.subarray(0, shortestPart)
  let start = whole.indexOf(beginning, Math.max(0, whole.length - form.length + 1))
  while (start >= 0) {
    const length = whole.length - start
    if (length < form.length && whole.compare(form, 0, length, start) === 0) {
      return [{ start, end: whole.length, mark }]
    }
    start = whole.indexOf(beginning, start + 1)
  }
  return []
}
