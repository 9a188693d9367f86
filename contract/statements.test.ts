import { describe, expect, test } from 'vitest'
import { exclusionIds, questionIds, requirementIds, requirements } from './catalog/index.ts'
import { statements } from './statements.ts'

describe('the list of statements', () => {
  const owned = new Set(statements().flatMap(({ owners }) => owners))

  test('names only requirements of the catalog as owners', () => {
    const ids = new Set<string>([...requirementIds, ...exclusionIds, ...questionIds])
    expect([...owned].filter((id) => !ids.has(id))).toEqual([])
  })

  test('names no owner twice for one statement', () => {
    const doubled = statements().filter(({ owners }) => new Set(owners).size < owners.length)
    expect(doubled).toEqual([])
  })

  // Requirements of level `expected` come from the contracts that the document names, not from a sentence.
  test('gives every required requirement, exclusion and open question a statement', () => {
    const required = requirementIds.filter((id) => requirements[id].level === 'required')
    const rows: readonly string[] = [...required, ...exclusionIds, ...questionIds]
    expect(rows.filter((id) => !owned.has(id))).toEqual([])
  })
})
