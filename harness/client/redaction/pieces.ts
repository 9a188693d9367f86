import { type Cut, type FindSecrets, joined } from './cuts.ts'

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

const nameless = Symbol('text of events outside any member')

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
    // The sign between a name and its value: a colon, and perhaps a few spaces.
    const sign = start - 1 - wasName <= 8 ? text.slice(wasName, start - 1).trim() : ''
    if (name !== undefined && sign === ':') {
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
