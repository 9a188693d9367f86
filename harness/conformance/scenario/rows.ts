/** Requests by their conditions: a value of each dimension. */

/** Values by dimension, beginning with that of a plain request. */
export type Values = Readonly<Record<string, readonly string[]>>

/** A value of each dimension. */
export type Row = Readonly<Record<string, string>>

/** Value of a dimension that leaves the request unchanged. */
export const plain = 'plain'

/** The values of a row that change the request. */
export function valuesOf(row: Row): readonly (readonly [string, string])[] {
  return Object.entries(row).filter(([, value]) => value !== plain)
}

/** `form stream, model alias`, for messages. */
export function describeRow(row: Row): string {
  const values = valuesOf(row).map(([name, value]) => `${name} ${value}`)
  return values.join(', ') || 'plain request'
}

/** Pairs of values of different dimensions, in words: those in the rows, or all that one request can have. */
export function pairsOf(values: Values, rows?: readonly Row[]): ReadonlySet<string> {
  const names = Object.keys(values)
  const pairs = names.flatMap((one, at) =>
    names.slice(at + 1).flatMap((other) => {
      if (rows !== undefined) return rows.map((row) => `${one} ${row[one]}, ${other} ${row[other]}`)
      return (values[one] ?? []).flatMap((a) =>
        (values[other] ?? [])
          .filter((b) => isPossible(one, a, other, b))
          .map((b) => `${one} ${a}, ${other} ${b}`),
      )
    }),
  )
  return new Set(pairs)
}

/** Tests if one request can show both values. */
export function isPossible(one: string, a: string, other: string, b: string): boolean {
  return !(
    (b !== plain && replacedBy(one, a).includes(other)) ||
    (a !== plain && replacedBy(other, b).includes(one))
  )
}

const partsOfText = ['characters', 'spaces', 'lines', 'outer space', 'length']
/** Dimensions that do not show with a text that asks for nothing: neither a limit nor the use of tools does. */
const byShortText = [...partsOfText, 'max_tokens', 'tools']

/** Dimensions whose values a value replaces or hides, such as the kinds of a text by a text of digits. */
const replaced: Readonly<Record<string, readonly string[]>> = {
  'text of digits': byShortText,
  'text of one character': byShortText,
  'text a literal': byShortText,
  'form stream': ['stream'],
  'form stream with usage': ['stream'],
  'input image': ['model'],
}

export function replacedBy(dimension: string, value: string): readonly string[] {
  return replaced[`${dimension} ${value}`] ?? []
}
