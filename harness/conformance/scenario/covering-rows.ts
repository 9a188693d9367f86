/** Rows of conditions: few requests that show values, and pairs of values, of many dimensions. */
import { hash } from 'node:crypto'
import { createRequire } from 'node:module'
import type * as Covertable from 'covertable'
import type { Depth } from '../run-setup.ts'
import { isPossible, plain, type Row, replacedBy, type Values, valuesOf } from './rows.ts'

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
 * rows with many triples, every other one with telling values alone.
 */
export function coveringRows(
  values: Values,
  { depth, seed, count, telling = {}, others = [] }: RowOptions,
): readonly Row[] {
  const size = Math.max(1, ...Object.values(values).map(({ length }) => length))
  if (depth !== 'full') {
    const rows = depth === 'quick' ? size : Math.max(size, count - 1)
    const balanced = balancedRows(values, rows, telling, others)
    return [plainRow(values), ...balanced].slice(0, count)
  }
  // Those of a dimension that are telling, or all if none of them is.
  const tellingValues = Object.fromEntries(
    Object.entries(values).map(([name, of]) => {
      const some = of.filter((value) => telling[name]?.includes(value))
      return [name, some.length > 0 ? some : of]
    }),
  )
  const first = [plainRow(values), ...pairwise(values, seed).flatMap(separate)]
  return [...first, ...rowsOfTriples([values, tellingValues], count, seed, first)].slice(0, count)
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

/** Rows after others, with as many triples of values as possible that are new; of each of the choices in turn. */
function rowsOfTriples(
  choices: readonly Values[],
  count: number,
  seed: string,
  before: readonly Row[],
): readonly Row[] {
  const triples = new Set<string>()
  const triplesWith = (row: Row, name: string, value: string) => {
    const others = Object.entries(row).flatMap(([other, of]) =>
      other === name ? [] : [`${other} ${of}`],
    )
    return others.flatMap((one, at) =>
      others.slice(at + 1).map((two) => [`${name} ${value}`, one, two].sort().join()),
    )
  }
  const rows = [...before]
  const note = (row: Row) => {
    for (const [name, value] of Object.entries(row))
      for (const triple of triplesWith(row, name, value)) triples.add(triple)
  }
  before.forEach(note)
  while (rows.length < count) {
    const row: Record<string, string> = {}
    const values = choices[rows.length % choices.length] ?? {}
    for (const name of sortedBy(Object.keys(values), (one) => [rank(seed, rows.length, one), 0])) {
      const isShown = (value: string) =>
        Object.entries(row).every(([other, of]) => isPossible(name, value, other, of))
      const [best = plain] = sortedBy((values[name] ?? []).filter(isShown), (value) => [
        -triplesWith(row, name, value).filter((triple) => !triples.has(triple)).length,
        rank(seed, rows.length, name, value),
      ])
      row[name] = best
    }
    note(row)
    rows.push(row)
  }
  return rows.slice(before.length)
}

/** Rows that use each value of a dimension once before they use one again, each value the one that gains most pairs. */
function balancedRows(
  values: Values,
  count: number,
  telling: Values,
  others: readonly Row[],
): readonly Row[] {
  const rows: Row[] = []
  const pairs = gainedPairs(telling, others)
  for (let at = 0; at < count; at += 1) {
    const row: Record<string, string> = {}
    const order = sortedBy(Object.keys(values), (name) => [
      Number(!(name in telling)),
      rank('normal', at, name),
    ])
    for (const name of order) {
      const of = values[name] ?? []
      const turn = Math.floor(at / of.length)
      const used = rows.slice(turn * of.length).map((one) => one[name])
      const unused = of.filter((value) => !used.includes(value))
      const [best] = sortedBy(unused, (value) => [
        at === 0 && !(name in telling) ? 0 : -pairs.gain(row, name, value),
        rank('normal', name, turn, value),
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
