import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, test } from 'vitest'
import { requirementIds } from '../../../contract/index.ts'
import { toSlug } from '../scenario/declaration.ts'
import { profileOf } from '../test-support/check.ts'
import type { Scenario } from './collector.ts'
import { listScenarios, planConformance } from './suites.ts'

const suites = fileURLToPath(new URL('../../../suites', import.meta.url))

test('suites/index.scenario.ts imports all scenario files', () => {
  const contents = readFileSync(`${suites}/index.scenario.ts`, 'utf8')
  const listed = [...contents.matchAll(/^import '\.\/(.*)'$/gm)].map(([, file]) => file)
  const files = globSync('*/**/*.scenario.ts', { cwd: suites })
  expect(listed.toSorted()).toEqual(files.toSorted())
})

describe('the scenarios', () => {
  let scenarios: readonly Scenario[]
  beforeAll(async () => {
    scenarios = await listScenarios()
  })

  test('have unique slugs', () => {
    const slugs = scenarios.map(({ slug }) => slug)
    expect(slugs.filter((slug, at) => slugs.indexOf(slug) !== at)).toEqual([])
    for (const { slug, title } of scenarios) {
      expect(slug).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/)
      expect(slug).toBe(toSlug(title))
    }
  })

  test('cover requirements of the catalog, none twice', () => {
    for (const { title, requirements } of scenarios) {
      expect(requirements.length, title).toBeGreaterThan(0)
      expect(new Set(requirements).size, title).toBe(requirements.length)
      expect(requirementIds, title).toEqual(expect.arrayContaining([...requirements]))
    }
  })

  test('declare their cost', () => {
    for (const { title, cost, lawCosts } of scenarios) {
      expect((lawCosts?.full ?? cost).requests, title).toBeGreaterThan(0)
      expect(cost.generations, title).toBeLessThanOrEqual(cost.requests)
    }
  })

  test('are planned if one of their requirements is selected and testable', async () => {
    const profile = profileOf({ baseUrl: 'http://localhost', capabilities: { images: false } })
    const plan = (only: readonly string[]) =>
      planConformance(profile, { profile: 'full', only, skip: [] })
    expect((await plan(['V3-IDEM-06'])).map(({ slug }) => slug)).toEqual([
      'any-string-must-be-a-valid-key-and-another-key-must-add-another-step',
    ])
    expect(await plan(['V3-GEN-07'])).toEqual([])
  })
})
