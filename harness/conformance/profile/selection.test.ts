import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { areaOf, requirementIds } from '../../../contract/index.ts'
import { ConfigurationError } from '../errors.ts'
import { profileNames, type Selection, selectRequirements, surfacesOf } from './selection.ts'

function select(more: Partial<Selection>) {
  return selectRequirements({ profile: 'full', only: [], skip: [], ...more })
}

describe('a selection', () => {
  test('of nothing in particular is the whole catalog, in its order', () => {
    expect(select({})).toEqual(requirementIds)
  })

  test.each(profileNames)('of the profile %s has requirements of its surfaces only', (profile) => {
    const surfaces: readonly string[] =
      profile === 'full' ? ['openai', 'v2', 'v3'] : [profile === 'wire' ? 'openai' : profile]
    const requirements = select({ profile })
    expect(requirements.length).toBeGreaterThan(20)
    expect(requirements.flatMap(surfacesOf).every((surface) => surfaces.includes(surface))).toBe(
      true,
    )
  })

  test('of the profile wire lacks what the interface document alone demands', () => {
    const wire = select({ profile: 'wire' })
    expect(wire).toContain('OAI-CHAT-01')
    const rest = select({ profile: 'openai' }).filter((id) => !wire.includes(id))
    expect(rest).toEqual([
      ...['OAI-AUTH-03', 'OAI-TEMP-02', 'OAI-ERR-01', 'OAI-ERR-02'],
      ...['OAI-MODELS-02', 'OAI-MODELS-03', 'OAI-MODELS-04'],
    ])
  })

  test.each([
    ['an id', 'V3-IDEM-02', ['V3-IDEM-02']],
    ['an id in lower case', 'v3-idem-02', ['V3-IDEM-02']],
    ['an area', 'OAI-TEMP', ['OAI-TEMP-01', 'OAI-TEMP-02']],
    ['a glob', 'OAI-TEMP-*', ['OAI-TEMP-01', 'OAI-TEMP-02']],
    ['a glob with a question mark', 'OAI-TEMP-0?', ['OAI-TEMP-01', 'OAI-TEMP-02']],
    ['words of a title', '*temperature outside*', ['OAI-TEMP-02']],
  ])('takes %s', (_, glob, rows) => {
    expect(select({ only: [glob] })).toEqual(rows)
  })

  test('leaves out what is skipped, also where it was asked for', () => {
    expect(select({ only: ['OAI-TEMP'], skip: ['*-02'] })).toEqual(['OAI-TEMP-01'])
  })

  test.each([
    ['V3-IDME-02', 'V3-IDEM-02'],
    ['OAI-STRAEM', 'OAI-STREAM'],
    ['v3-hsit', 'V3-HIST'],
  ])('of %s asks whether %s was meant', (glob, suggestion) => {
    expect(() => select({ only: [glob] })).toThrow(`Did you mean ${suggestion}?`)
    expect(() => select({ skip: [glob] })).toThrow(ConfigurationError)
  })

  test('of what is like nothing makes no guess', () => {
    expect(() => select({ only: ['weather'] })).toThrow(/nothing in the catalog matches weather\.$/)
  })

  test('that leaves nothing is a mistake', () => {
    expect(() => select({ profile: 'openai', only: ['V3-IDEM'] })).toThrow('no requirement is left')
    expect(() => select({ skip: ['*'] })).toThrow(ConfigurationError)
  })

  test('names every glob that matches nothing', () => {
    const names = () => select({ only: ['weather'], skip: ['climate'] })
    expect(names).toThrow('weather')
    expect(names).toThrow('climate')
  })
})

test('a glob is text but for * and ?, whatever it holds', () => {
  fc.assert(
    fc.property(fc.string(), (glob) => {
      try {
        const ids = select({ only: [glob] })
        expect(ids.length).toBeGreaterThan(0)
      } catch (error) {
        expect(error).toBeInstanceOf(ConfigurationError)
      }
    }),
  )
})

test('every id and every area selects itself', () => {
  for (const id of requirementIds) {
    expect(select({ only: [id] })).toEqual([id])
    expect(select({ only: [areaOf(id)] })).toContain(id)
  }
})
