/** Recorded exchanges of a whole run, mutated by the ten thousand (transcript mutation). */
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type Exchange,
  type Judgement,
  requestJson,
  succeeded,
} from '../../../../contract/index.ts'
import { judge } from '../../../judges/index.ts'
import { type Recording, recordRun } from '../recording.ts'
import { acrossMutations } from './across.ts'
import { legalEdits, type Mutants, type Mutation, mutations } from './index.ts'

/** Maximum number of mutants of a class; of more, a random choice is taken. */
const maxPerClass = 60

let recording: Recording
let judgeable: readonly Exchange[]
let judged = 0
let broken: ReturnType<typeof oneOfEachClass> | undefined

beforeAll(async () => {
  recording = await recordRun()
  judgeable = recording.exchanges.filter(
    (exchange) =>
      succeeded(exchange) &&
      exchange.labels.role !== 'negative' &&
      exchange.labels.repeatOf === undefined &&
      !asksForMore(exchange),
  )
}, 180_000)
afterAll(() => recording.close())

const named = (all: readonly Mutation[]) =>
  all.map((one) => [`${one.kind}: ${one.what}`, one] as const)

test('without a mutation nothing is broken', () => {
  expect(recording.live.red).toEqual([])
  expect(judgeable.flatMap(brokenBy)).toEqual([])
  expect(judgeable.length).toBeGreaterThan(400)
})

describe('a mutation breaks the row that its class names, and no other', () => {
  const illegal = mutations.filter(({ row }) => row !== null)
  test.each(named(illegal))('%s', (_, mutation) => {
    eachMutant(mutation, (mutant) => expect(brokenBy(mutant)).toEqual([mutation.row]))
  })
})

describe('a legal mutation breaks nothing', () => {
  const legal = mutations.filter((one) => one.row === null && !legalEdits.includes(one))
  test.each(named(legal))('%s', (_, mutation) => {
    eachMutant(mutation, (mutant) => expect(brokenBy(mutant)).toEqual([]))
  })
})

describe('another way to write the same changes no finding', () => {
  test.each(named(legalEdits))('%s', (_, edit) => {
    eachMutant(edit, (mutant, original) => expect(verdictsOf(mutant)).toEqual(verdictsOf(original)))
  })

  test.each(named(legalEdits))('%s, of what is broken', (_, edit) => {
    broken ??= oneOfEachClass()
    let edited = 0
    for (const { exchange, rows } of broken) {
      const mutants = edit.of(exchange)
      if (mutants === undefined) continue
      edited += 1
      expect(brokenBy(mutants.at(mutants.count >> 1))).toEqual(rows)
    }
    judged += edited
    expect(edited).toBeGreaterThan(10)
  })
})

test('ten thousand mutations were judged', () => {
  expect(judged).toBeGreaterThanOrEqual(10_000)
})

describe('what shows only beside other exchanges', () => {
  const rows = [...new Set(acrossMutations.map(({ row }) => row))]

  test('passes as it was recorded', async () => {
    const { passed, faults } = await recording.judge(recording.exchanges, { only: rows })
    expect(passed.toSorted()).toEqual(rows.toSorted())
    expect(faults).toEqual([])
  }, 60_000)

  test.each(acrossMutations)(
    '$kind: $what turns $row red',
    async ({ row, change }) => {
      const mutated = recording.exchanges.map((exchange) => change(exchange, recording.exchanges))
      expect(mutated.some((exchange, at) => exchange !== recording.exchanges[at])).toBe(true)
      const { red, faults } = await recording.judge(mutated, { only: [row] })
      expect({ red, faults }).toEqual({ red: [row], faults: [] })
    },
    60_000,
  )

  // What arrives when is not edited, and what two answers have in common is not in one of them alone.
  const skip = ['V3-SSE-30', 'OAI-STREAM-11', 'V3-GEN-04', 'KB-04']

  test.each([0, 1, 2, 3])(
    'what is only written otherwise turns nothing red (%i)',
    async (turn) => {
      const mutated = recording.exchanges.map((exchange, at) =>
        writtenOtherwise(exchange, at + turn),
      )
      const { red, passed, faults } = await recording.judge(mutated, { skip })
      expect({ red, faults }).toEqual({ red: [], faults: [] })
      expect(passed).toEqual(recording.live.passed.filter((row) => !skip.includes(row)))
    },
    60_000,
  )
})

/** Rewrites an exchange in one of the ways that there are to write it. */
function writtenOtherwise(exchange: Exchange, turn: number): Exchange {
  const ways = legalEdits.flatMap((edit) => {
    const mutants = edit.of(exchange)
    if (mutants === undefined) return []
    const place = edit.kind === 'add' ? mutants.count - 1 : 0
    return [() => mutants.at(place)]
  })
  return ways[turn % ways.length]?.() ?? exchange
}

/** All mutants of a class, or as many as are judged of one. */
function eachMutant(
  mutation: Mutation,
  look: (mutant: Exchange, original: Exchange) => void,
): void {
  const mutants = mutantsOfAll(mutation)
  expect(mutants.count).toBeGreaterThan(0)
  const numRuns = Math.min(mutants.count, maxPerClass)
  const place = fc.nat(mutants.count - 1)
  const examples = Array.from({ length: numRuns }, (_, at): [number] => [at])
  fc.assert(
    fc.property(place, (at) => {
      const { mutant, original } = mutants.at(at)
      judged += 1
      look(mutant(), original)
    }),
    // The same mutants in each run: which of them are legal was decided by hand.
    { numRuns, seed: 1, ...(mutants.count === numRuns ? { examples } : {}) },
  )
}

/** A tool call has no text, and the usage of several choices is their sum. */
function asksForMore(exchange: Exchange): boolean {
  const request = requestJson(exchange)
  return typeof request === 'object' && request !== null && ('tools' in request || 'n' in request)
}

/** An exchange that each class has broken, and the rows. */
function oneOfEachClass() {
  return mutations.flatMap((mutation) => {
    if (mutation.row === null) return []
    const exchange = mutantsOfAll(mutation).at(0).mutant()
    return [{ exchange, rows: brokenBy(exchange) }]
  })
}

interface Found {
  readonly original: Exchange
  readonly mutant: () => Exchange
}

function mutantsOfAll(mutation: Mutation) {
  const parts = judgeable.flatMap((original): (Mutants & { original: Exchange })[] => {
    const mutants = mutation.of(original)
    return mutants === undefined ? [] : [{ ...mutants, original }]
  })
  const count = parts.reduce((sum, part) => sum + part.count, 0)
  function at(place: number): Found {
    let left = place
    for (const part of parts) {
      const here = left
      if (here < part.count) return { original: part.original, mutant: () => part.at(here) }
      left -= part.count
    }
    throw new RangeError(`there is no mutant ${place}`)
  }
  return { count, at }
}

function brokenBy(exchange: Exchange): string[] {
  return rowsWith(judge(exchange), 'broken')
}

function verdictsOf(exchange: Exchange): Record<string, string[]> {
  const judgement = judge(exchange)
  return { held: rowsWith(judgement, 'held'), broken: rowsWith(judgement, 'broken') }
}

function rowsWith({ findings }: Judgement, expected: string): string[] {
  return findings
    .filter(({ verdict }) => verdict === expected)
    .map(({ row }) => row)
    .toSorted()
}
