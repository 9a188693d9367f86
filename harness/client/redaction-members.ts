/** Start and end of each segment, in turn: numbers alone, for there may be millions of them. */
export type Segments = readonly number[]

export function startOf(segments: Segments, index: number): number {
  return segments[2 * index] ?? 0
}

export function endOf(segments: Segments, index: number): number {
  return segments[2 * index + 1] ?? 0
}

/**
 * Texts of the `data:` lines of a stream, by the name of their member, in the order of arrival. Read
 * by hand: an expression that allows for escapes exhausts the stack of its matcher on a long line.
 */
export function membersByName(whole: Buffer): Iterable<Segments> {
  // Latin-1 maps bytes to characters one to one.
  const text = whole.toString('latin1')
  const byName = new Map<string, number[]>()
  for (let from = 0; from < text.length; ) {
    const lineFeed = text.indexOf('\n', from)
    const end = lineFeed < 0 ? text.length : lineFeed
    if (text.startsWith('data:', from)) readLine(text.slice(from, end), from, byName)
    from = end + 1
  }
  return byName.values()
}

/** Every `"name": "text"` of a line, as far as a scan can tell without knowing where it began. */
function readLine(line: string, offset: number, byName: Map<string, number[]>): void {
  let backslash = -1
  let quote = line.indexOf('"')
  while (quote >= 0) {
    const nameEnd = line.indexOf('"', quote + 1)
    if (nameEnd < 0) return
    if (backslash < quote) backslash = indexOrEnd(line, '\\', quote)
    const start = nameEnd === quote + 1 || backslash < nameEnd ? -1 : valueAfter(line, nameEnd + 1)
    const end = start < 0 ? -1 : endOfString(line, start)
    if (end < 0) {
      quote = nameEnd
      continue
    }
    const name = line.slice(quote + 1, nameEnd)
    const segments = byName.get(name)
    if (segments === undefined) byName.set(name, [offset + start, offset + end])
    else segments.push(offset + start, offset + end)
    quote = line.indexOf('"', end + 1)
  }
}

/** Where the text begins behind a colon and a quote; -1 where they do not follow. */
function valueAfter(text: string, from: number): number {
  const colon = afterSpace(text, from)
  if (text[colon] !== ':') return -1
  const quote = afterSpace(text, colon + 1)
  return text[quote] === '"' ? quote + 1 : -1
}

function afterSpace(text: string, from: number): number {
  let at = from
  while (text[at] === ' ' || text[at] === '\t' || text[at] === '\r') at += 1
  return at
}

/** Where the quote stands that closes a string; -1 where its line ends before. */
function endOfString(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === '"') return at
    if (text[at] === '\\') at += 1
  }
  return -1
}

function indexOrEnd(text: string, sought: string, from: number): number {
  const at = text.indexOf(sought, from)
  return at < 0 ? text.length : at
}
