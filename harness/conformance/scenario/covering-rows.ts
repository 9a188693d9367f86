/** Rows of conditions: few requests that show values, and pairs of values, of many dimensions. */
import { createHash } from 'node:crypto'
import { createRequire } from 'node:module'
import type * as Covertable from 'covertable'
import type { Depth } from '../run-setup.ts'

// A CommonJS module without named exports, whose default export differs between loaders.
const { make, criteria }: Pick<typeof Covertable, 'make' | 'criteria'> = createRequire(
  import.meta.url,
)('covertable')

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

interface RowOptions {
  readonly depth: Depth
  /** Varies the rows at depth `full`. */
  readonly seed: string
  /** Maximum number of rows. */
  readonly count: number
  /** Values of some dimensions with which more laws apply; rows of all further pairs have these. */
  readonly telling?: Values
}

/**
 * Begins with the plain row. `quick`: each value, in as few rows as possible; `normal`: each value as often
 * as any other of its dimension; both independent of the seed. `full`: each pair of values, then each with the
 * telling values, then random rows, which show triples.
 */
export function coveringRows(
  values: Values,
  { depth, seed, count, telling }: RowOptions,
): readonly Row[] {
  const first = Object.fromEntries(
    Object.entries(values).flatMap(([name, [value]]) =>
      value === undefined ? [] : [[name, value]],
    ),
  )
  const size = Math.max(1, ...Object.values(values).map(({ length }) => length))
  const others = tellingOnly(values, telling)
  const rows =
    depth === 'full'
      ? [
          ...pairwise(values, seed),
          ...(telling === undefined ? [] : pairwise(others, seed)),
          ...balancedRows(others, count, seed),
        ].flatMap(separate)
      : balancedRows(values, depth === 'quick' ? size : Math.max(size, count - 1), 'normal')
  return [first, ...rows].slice(0, count)
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
  const { always = [], costly = [], telling } = plan
  const isCovered = ([name]: readonly [string, unknown]) =>
    options.depth === 'full' || !costly.includes(name)
  const covered = Object.fromEntries(Object.entries(values).filter(isCovered))
  const [, ...others] = coveringRows(covered, { ...options, ...(telling && { telling }) })
  const [first = {}] = coveringRows(values, { ...options, count: 1 })
  const isKnown = ([name, value]: readonly [string, string]) => values[name]?.includes(value)
  const chosen = always.map((row) => Object.fromEntries(Object.entries(row).filter(isKnown)))
  return [first, ...chosen, ...others].map((row) => ({ ...first, ...row }))
}

/** The values of each dimension that are telling, or all if none of them is. */
function tellingOnly(values: Values, telling: Values = {}): Values {
  return Object.fromEntries(
    Object.entries(values).map(([name, of]) => {
      const some = of.filter((value) => telling[name]?.includes(value))
      return [name, some.length > 0 ? some : of]
    }),
  )
}

const partsOfText = ['characters', 'spaces', 'lines', 'outer space', 'length']

/** Dimensions whose values a value replaces, such as the kinds of a text by a text of digits. */
const replaced: Readonly<Record<string, readonly string[]>> = {
  'text of digits': partsOfText,
  'text of one character': partsOfText,
  'text true': partsOfText,
  'form stream': ['stream'],
  'form stream with usage': ['stream'],
  'input image': ['model'],
}

function replacedBy(dimension: string, value: string): readonly string[] {
  return replaced[`${dimension} ${value}`] ?? []
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

/** Rows that cycle through the values of each dimension, in a new order in each cycle. */
function balancedRows(values: Values, count: number, seed: string): readonly Row[] {
  return Array.from({ length: count }, (_, at) =>
    Object.fromEntries(
      Object.entries(values).flatMap(([name, of]) => {
        const turn = Math.floor(at / of.length)
        const order = of.toSorted((a, b) => rank(seed, name, turn, a) - rank(seed, name, turn, b))
        const value = order[at % of.length]
        return value === undefined ? [] : [[name, value]]
      }),
    ),
  )
}

function rank(...parts: readonly (string | number)[]): number {
  return createHash('sha256').update(parts.join('/')).digest().readUInt32BE()
}

/** Pairs of values of different dimensions, in words: those in the rows, or all that one request can have. */
export function pairsOf(values: Values, rows?: readonly Row[]): ReadonlySet<string> {
  const names = Object.keys(values)
  const isPossible = (one: string, a: string, other: string, b: string) =>
    !(
      (b !== plain && replacedBy(one, a).includes(other)) ||
      (a !== plain && replacedBy(other, b).includes(one))
    )
  const pairs = names.flatMap((one, at) =>
    names
      .slice(at + 1)
      .flatMap((other) =>
        rows === undefined
          ? (values[one] ?? []).flatMap((a) =>
              (values[other] ?? [])
                .filter((b) => isPossible(one, a, other, b))
                .map((b) => `${one} ${a}, ${other} ${b}`),
            )
          : rows.map((row) => `${one} ${row[one]}, ${other} ${row[other]}`),
      ),
  )
  return new Set(pairs)
}
