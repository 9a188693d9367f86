/** Dialects as such: their names, and how they combine. */
import { describe, expect, it } from 'vitest'
import { combineDialects } from './combination.ts'
import { dialects } from './index.ts'

describe('dialects', () => {
  it('have names of their own, in kebab case', () => {
    const names = dialects.map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
    expect(names.filter((name) => !/^[a-z0-9]+(-[a-z0-9]+)+$|^slow$/.test(name))).toEqual([])
  })

  it('exclude dialects that exist', () => {
    const names = new Set(dialects.map(({ name }) => name))
    expect(dialects.flatMap(({ excludes = [] }) => excludes).filter((n) => !names.has(n))).toEqual(
      [],
    )
  })
})

describe('combineDialects', () => {
  const seeds = Array.from({ length: 300 }, (_, seed) => seed)
  const chosenBy = (seed: number) => combineDialects(seed).summary.split(', ')

  it('makes the same server of the same seed, and others of others', () => {
    expect(seeds.map(chosenBy)).toEqual(seeds.map(chosenBy))
    expect(new Set(seeds.map((seed) => combineDialects(seed).summary)).size).toBeGreaterThan(290)
    expect(new Set(seeds.flatMap(chosenBy)).size).toBe(dialects.length)
  })

  it('never joins what contradicts each other', () => {
    for (const seed of seeds) {
      const chosen = dialects.filter(({ name }) => chosenBy(seed).includes(name))
      const names = chosen.map(({ name }) => name)
      expect(chosen.length).toBeGreaterThanOrEqual(3)
      const excluded = new Set(chosen.flatMap(({ excludes = [] }) => excludes))
      expect(names.filter((name) => excluded.has(name))).toEqual([])
    }
  })

  it('keeps all that the profiles say', () => {
    const both = seeds
      .map((seed) => ({ chosen: chosenBy(seed), profile: combineDialects(seed).profile }))
      .filter(({ chosen }) => chosen.includes('chat-needs-a-folder'))
    expect(both).not.toEqual([])
    for (const { profile } of both) {
      expect(profile).toMatchObject({ requests: { createChat: { folder: 'inbox' } } })
    }
  })
})
