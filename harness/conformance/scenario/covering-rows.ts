/** Rows of conditions: few requests that show values, and pairs of values, of many dimensions. */
import { createHash } from 'node:crypto'
import { createRequire } from 'node:module'
import type * as Covertable from 'covertable'
import type { Depth } from '../run-setup.ts'
import { gainedPairs, plain, type Row, replacedBy, type Values, valuesOf } from './pairs.ts'

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
    return [plainRow(values), ...balancedRows(values, rows, 'normal', telling, others)].slice(
      0,
      count,
    )
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
  return createHash('sha256').update(parts.join('/')).digest().readUInt32BE()
}
