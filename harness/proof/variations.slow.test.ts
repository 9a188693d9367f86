import { beforeAll, describe, expect, test } from 'vitest'
import { dimensions, isRequirementId, requirementIds, variations } from '../../contract/index.ts'
import { faults } from '../../reference-server/deviations/index.ts'
import { observedVariations } from './test-support/observed-variations.ts'

describe('the dimensions of requirements', () => {
  let observed: Awaited<ReturnType<typeof observedVariations>>
  beforeAll(async () => {
    observed = await observedVariations()
  }, 60_000)

  test('are shown by the exchanges of a run, each declared value', () => {
    const unseen = requirementIds.flatMap((id) =>
      pairsOf(variations[id] ?? {})
        .filter((pair) => !pairsOf(observed.get(id)?.values ?? {}).includes(pair))
        .map((pair) => `${id}: ${pair}`),
    )
    expect(unseen).toEqual([])
  })

  test('have values of theirs, and more than one', () => {
    for (const [id, variation] of Object.entries(variations)) {
      expect(isRequirementId(id)).toBe(true)
      for (const [name, values] of Object.entries(variation)) {
        expect(values.length, `${id} ${name}`).toBeGreaterThan(1)
      }
    }
  })

  test('have faults of their own: those of one value break requirements that are shown with it', () => {
    const limited = faults.filter(({ only }) => only !== undefined)
    expect(limited.length).toBeGreaterThan(30)
    const strangers = limited.flatMap(({ name, only = {}, breaks }) =>
      pairsOf(only)
        .filter(
          (pair) => !breaks.some((id) => pairsOf(observed.get(id)?.values ?? {}).includes(pair)),
        )
        .map((pair) => `${name}: ${pair}`),
    )
    expect(strangers).toEqual([])
    const pairs = new Set(limited.flatMap(({ only = {} }) => pairsOf(only)))
    expect([...pairs].toSorted()).toEqual([
      'form: JSON',
      'form: stream',
      'input: items',
      'input: text',
      'occurrence: repeat',
      'page size: above 20',
      'page: third or later',
      'think: with think',
    ])
    expect(Object.keys(dimensions)).toHaveLength(9)
  })
})

function pairsOf(variation: Readonly<Record<string, readonly string[]>>): string[] {
  return Object.entries(variation).flatMap(([name, values]) =>
    values.map((value) => `${name}: ${value}`),
  )
}
