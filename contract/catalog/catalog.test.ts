import { describe, expect, test } from 'vitest'
import { statements } from '../statements.ts'
import {
  areaOf,
  capabilities,
  compactIds,
  excluded,
  exclusionIds,
  hintFor,
  isRequirementId,
  questionIds,
  questions,
  type RequirementId,
  requirementIds,
  requirements,
  surfaces,
} from './index.ts'

test('requirements are frozen: they may be added, their meaning may not change', () => {
  const rows = [
    ...requirementIds.map((id) => [id, requirements[id].level, requirements[id].title]),
    ...exclusionIds.map((id) => [id, 'excluded', excluded[id].title]),
    ...questionIds.map((id) => [id, 'open', questions[id].question]),
  ]
  expect(rows.map((row) => row.join(' | '))).toMatchSnapshot()
})

test('each title has one RFC 2119 word, which gives its level', () => {
  const words = (id: RequirementId) => requirements[id].title.match(/\b(MUST|SHOULD)\b/g) ?? []
  expect(requirementIds.filter((id) => new Set(words(id)).size !== 1)).toEqual([])
})

test('ids have an area and two digits, counted from 01 without gaps', () => {
  const counts = new Map<string, number>()
  for (const id of [...requirementIds, ...exclusionIds, ...questionIds]) {
    const area = areaOf(id)
    const count = (counts.get(area) ?? 0) + 1
    counts.set(area, count)
    expect(id).toBe(`${area}-${String(count).padStart(2, '0')}`)
  }
})

const needs = requirementIds.flatMap((id) => needsOf(id).map((need) => ({ id, need })))

test('requirements need only requirements that exist', () => {
  expect(needs.filter(({ need }) => !isRequirementId(need))).toEqual([])
})

test('no requirement needs itself, even indirectly', () => {
  const circular = requirementIds.filter((id) => standsOn(id).has(id))
  expect(circular).toEqual([])
})

test('required requirements do not need expected ones', () => {
  const levelOf = (id: string) => isRequirementId(id) && requirements[id].level
  const strong = needs.filter(({ id }) => levelOf(id) === 'required')
  expect(strong.filter(({ need }) => levelOf(need) === 'expected')).toEqual([])
})

test('sections of requirements have statements', () => {
  const sections = new Set(statements().map(({ section }) => section))
  const named = [
    ...requirementIds.map((id) => requirements[id].section),
    ...exclusionIds.map((id) => excluded[id].section),
    ...questionIds.map((id) => questions[id].section),
  ]
  expect(named.filter((section) => !sections.has(section))).toEqual([])
})

test('requirements have a known surface, source and capability', () => {
  const unknown = requirementIds.filter((id) => {
    const { also = 'v2', source = 'wire', capability = 'rag' } = requirements[id]
    const isKnown = surfaces.includes(also) && capabilities.includes(capability)
    return !isKnown || !['wire', 'service'].includes(source)
  })
  expect(unknown).toEqual([])
})

test('titles of requirements are unique', () => {
  const titles = requirementIds.map((id) => requirements[id].title)
  expect(titles.filter((title, at) => titles.indexOf(title) !== at)).toEqual([])
})

function needsOf(id: string): readonly string[] {
  return isRequirementId(id) ? (requirements[id].needs ?? []) : []
}

function standsOn(id: RequirementId): ReadonlySet<string> {
  const reached = new Set<string>()
  const open = [...needsOf(id)]
  for (let need = open.pop(); need !== undefined; need = open.pop()) {
    if (reached.has(need)) continue
    reached.add(need)
    open.push(...needsOf(need))
  }
  return reached
}

test('a hint is one sentence: a cause, and a fix after a semicolon', () => {
  const hints = requirementIds.flatMap((id) => hintFor(id) ?? [])
  expect(hints.length).toBeGreaterThan(150)
  expect(hints.filter((hint) => !/^[A-Za-z][^;]*; [^;]*\.$/.test(hint))).toEqual([])
  expect(hintFor('NO-SUCH-01')).toBeNull()
})

test('compactIds writes ranges of three and more ids in any order, and keeps that of areas', () => {
  const ids = ['V3-HIST-01', 'V3-HIST-02', 'V3-HIST-03', 'V3-HIST-05', 'V3-HIST-07', 'V3-HIST-08']
  expect(compactIds([...ids, 'VER-10'])).toEqual(['V3-HIST 01-03 05 07 08', 'VER 10'])
  expect(compactIds(['KB-02', 'RAG-01', 'KB-01'])).toEqual(['KB 01 02', 'RAG 01'])
})

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
  test('gives each required requirement, exclusion and open question a statement', () => {
    const required = requirementIds.filter((id) => requirements[id].level === 'required')
    const rows: readonly string[] = [...required, ...exclusionIds, ...questionIds]
    expect(rows.filter((id) => !owned.has(id))).toEqual([])
  })
})
