/** Rows of conditions: few requests that show values, and pairs of values, of many dimensions. */
import { hash } from 'node:crypto'
import { createRequire } from 'node:module'
import type * as Covertable from 'covertable'
import type { Depth } from '../run-setup.ts'

// A CommonJS module without named exports, whose default export differs between loaders.
const { make, criteria }: Pick<typeof Covertable, 'make' | 'criteria'> = createRequire(
  import.meta.url,
)('covertable')

interface RowOptions {
  readonly depth: Depth
  /** Varies the rows at depth `full`. */
  readonly seed: string
  /** Maximum number of rows. */
  readonly count: number
  /** Values of some dimensions with which more laws apply; rows of all further pairs have these. */
  readonly telling?: Values
  /** Rows that are tried in addition, whose pairs need not occur again. */
  readonly others?: readonly Row[]
}

/**
 * Begins with the plain row. `quick`: each value, in as few rows as possible; `normal`: each value as often as any
 * other of its dimension, in rows with many pairs; both independent of the seed. `full`: each pair of values, then
 * each with the telling values, then random rows, which show triples.
 */
export function coveringRows(
  values: Values,
  { depth, seed, count, telling = {}, others = [] }: RowOptions,
): readonly Row[] {
  const size = Math.max(1, ...Object.values(values).map(({ length }) => length))
  if (depth !== 'full') {
    const rows = depth === 'quick' ? size : Math.max(size, count - 1)
    const balanced = balancedRows(values, rows, 'normal', telling, others)
    return [plainRow(values), ...balanced].slice(0, count)
  }
  // Those of a dimension that are telling, or all if none of them is.
  const tellingValues = Object.fromEntries(
    Object.entries(values).map(([name, of]) => {
      const some = of.filter((value) => telling[name]?.includes(value))
      return [name, some.length > 0 ? some : of]
    }),
  )
  const rows = [
    ...pairwise(values, seed),
    ...(Object.keys(telling).length === 0 ? [] : pairwise(tellingValues, seed)),
    ...balancedRows(tellingValues, count, seed),
  ]
  return [plainRow(values), ...rows.flatMap(separate)].slice(0, count)
}

function plainRow(values: Values): Row {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, [value]]) =>
      value === undefined ? [] : [[name, value]],
    ),
  )
}

/** The plain row, rows that every depth tries, and those that cover all values; costly ones only at `full`. */
export function rowsToTry(
  values: Values,
  plan: {
    readonly always?: readonly Row[]
    readonly costly?: readonly string[]
    readonly telling?: Values
  },
  options: Omit<RowOptions, 'telling'>,
): readonly Row[] {
  const { always = [], costly = [], telling = {} } = plan
  const isCovered = ([name]: readonly [string, unknown]) =>
    options.depth === 'full' || !costly.includes(name)
  const covered = Object.fromEntries(Object.entries(values).filter(isCovered))
  const first = plainRow(values)
  const isKnown = ([name, value]: readonly [string, string]) => values[name]?.includes(value)
  const chosen = always.map((row) => ({
    ...first,
    ...Object.fromEntries(Object.entries(row).filter(isKnown)),
  }))
  const [, ...others] = coveringRows(covered, { ...options, telling, others: chosen })
  return [first, ...chosen, ...others].map((row) => ({ ...first, ...row }))
}

/** Two rows instead of one with a value that replaces others: with these, and with that value alone. */
function separate(row: Row): readonly Row[] {
  for (const [name, value] of valuesOf(row)) {
    const replaced = replacedBy(name, value).filter((other) => (row[other] ?? plain) !== plain)
    if (replaced.length === 0) continue
    const alone = { ...row, ...Object.fromEntries(replaced.map((other) => [other, plain])) }
    return [...separate({ ...row, [name]: plain }), ...separate(alone)]
  }
  return [row]
}

/** Rows in which any two values of different dimensions occur together; the same for the same seed. */
function pairwise(values: Values, seed: string): readonly Row[] {
  const factors = Object.fromEntries(
    Object.entries(values).map(([name, of]): [string, string[]] => [name, [...of]]),
  )
  const names = Object.keys(factors)
  if (names.length > 1) return make(factors, { seed, criterion: criteria.simple })
  return names.flatMap((name) => (factors[name] ?? []).map((value) => ({ [name]: value })))
}

/** Rows that use each value of a dimension once before they use one again, each value the one that gains most pairs. */
function balancedRows(
  values: Values,
  count: number,
  seed: string,
  telling: Values = {},
  others: readonly Row[] = [],
): readonly Row[] {
  const rows: Row[] = []
  const pairs = gainedPairs(telling, others)
  for (let at = 0; at < count; at += 1) {
    const row: Record<string, string> = {}
    const order = sortedBy(Object.keys(values), (name) => [
      Number(!(name in telling)),
      rank(seed, at, name),
    ])
    for (const name of order) {
      const of = values[name] ?? []
      const turn = Math.floor(at / of.length)
      const used = rows.slice(turn * of.length).map((one) => one[name])
      const unused = of.filter((value) => !used.includes(value))
      const [best] = sortedBy(unused, (value) => [
        at === 0 && !(name in telling) ? 0 : -pairs.gain(row, name, value),
        rank(seed, name, turn, value),
      ])
      if (best !== undefined) row[name] = best
    }
    rows.push(row)
    pairs.add(row)
  }
  return rows
}

function sortedBy(list: readonly string[], keys: (one: string) => readonly [number, number]) {
  return list
    .map((one) => ({ one, keys: keys(one) }))
    .toSorted((a, b) => a.keys[0] - b.keys[0] || a.keys[1] - b.keys[1])
    .map(({ one }) => one)
}

function rank(...parts: readonly (string | number)[]): number {
  return hash('sha256', parts.join('/'), 'buffer').readUInt32BE()
}

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

/** Pairs of values in some rows; those in a row of telling values count twice, because more laws judge them. */
function gainedPairs(telling: Values, rows: readonly Row[]) {
  const gained = new Set<string>()

  /** The possible pairs of a value with those of a row; one of a plain value is worth less than one of two changes. */
  function pairsWith(row: Row, name: string, value: string): (readonly [string, number])[] {
    const others = Object.entries(row).filter(([other]) => other !== name)
    const isTelling = [...others, [name, value] as const].every(
      ([dimension, of]) => telling[dimension]?.includes(of) ?? true,
    )
    return others.flatMap(([other, of]) => {
      if (!isPossible(name, value, other, of)) return []
      const pair = [`${name} ${value}`, `${other} ${of}`].sort().join(', ')
      const worth = of === plain || value === plain ? 1 : 3
      return [[pair, worth] as const, ...(isTelling ? [[`telling: ${pair}`, worth] as const] : [])]
    })
  }

  function add(row: Row): void {
    for (const [name, value] of Object.entries(row)) {
      for (const [pair] of pairsWith(row, name, value)) gained.add(pair)
    }
  }
  for (const row of rows) add(row)

  return {
    add,
    gain: (row: Row, name: string, value: string): number =>
      pairsWith(row, name, value).reduce(
        (gain, [pair, worth]) => (gained.has(pair) ? gain : gain + worth),
        0,
      ),
  }
}

function isPossible(one: string, a: string, other: string, b: string): boolean {
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

function replacedBy(dimension: string, value: string): readonly string[] {
  return replaced[`${dimension} ${value}`] ?? []
}
