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
  const add = (found: readonly Cut[]) => {
    const overlaps = found.some((a) => cuts.some((b) => a.start < b.end && a.end > b.start))
    if (!overlaps) cuts.push(...found)
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

interface Segment {
  readonly start: number
  readonly end: number
}

/** A model that repeats a key says it token by token: `"delta":"sk-"`, `"delta":"4711"`. */
function* inPieces(whole: Buffer, forms: readonly Form[]): Iterable<readonly Cut[]> {
  for (const segments of membersByName(whole)) {
    const joined = Buffer.concat(segments.map(({ start, end }) => whole.subarray(start, end)))
    for (const form of forms) {
      for (const { start, end } of [...inOnePiece(joined, form), ...atTheEnd(joined, form)]) {
        yield spread(segments, start, end, form.mark)
      }
    }
  }
}

/** From a place in the joined text back to its pieces; the mark stands in the first. */
function spread(
  segments: readonly Segment[],
  start: number,
  end: number,
  mark: Buffer,
): readonly Cut[] {
  const cuts: Cut[] = []
  let at = 0
  for (const segment of segments) {
    const from = Math.max(start, at)
    const to = Math.min(end, at + segment.end - segment.start)
    if (from < to) {
      const shift = segment.start - at
      const shown = cuts.length === 0 ? mark : Buffer.alloc(0)
      cuts.push({ start: from + shift, end: to + shift, mark: shown })
    }
    at += segment.end - segment.start
  }
  return cuts
}

/** Texts of the `data:` lines of a stream, by the name of their member, in the order of arrival. */
function membersByName(whole: Buffer): Iterable<readonly Segment[]> {
  // Latin-1 maps bytes to characters one to one.
  const text = whole.toString('latin1')
  const byName = new Map<string, Segment[]>()
  for (const { 0: line, index } of text.matchAll(/^data:.*$/gm)) {
    for (const member of line.matchAll(/"([^"\\]+)"\s*:\s*"((?:[^"\\]|\\.)*)"/g)) {
      const [found, name = '', value = ''] = member
      const start = index + member.index + found.length - 1 - value.length
      const segments = byName.get(name) ?? []
      segments.push({ start, end: start + value.length })
      byName.set(name, segments)
    }
  }
  return byName.values()
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
