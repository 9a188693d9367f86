import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { violated } from '../test-support/reports.ts'
import {
  doubtOf,
  doubtText,
  doubtWord,
  reportToJson,
  withDigest,
  withDoubt,
  withEvidence,
} from './digest.ts'

const evidence = { exchanges: 'a'.repeat(64), settings: 'c'.repeat(64) }
const stored = () => JSON.parse(reportToJson(withEvidence(violated, evidence)))

describe('a stored report', () => {
  test('matches its digest in any order and layout of its fields', () => {
    expect(doubtOf(stored(), evidence)).toBeNull()
    // A report may be copied without its evidence.
    expect(doubtOf(stored(), { exchanges: null })).toBeNull()
    const reversed = Object.fromEntries(Object.entries(stored()).reverse())
    expect(doubtOf(JSON.parse(JSON.stringify(reversed, null, 7)), evidence)).toBeNull()
  })

  test('is edited if any field differs', () => {
    const pristine = stored()
    const members = Object.keys(pristine).filter((name) => name !== 'digest')
    fc.assert(
      fc.property(fc.constantFrom(...members), fc.json(), (name, text) => {
        const value: unknown = JSON.parse(text)
        fc.pre(JSON.stringify(value) !== JSON.stringify(pristine[name]))
        return doubtOf({ ...pristine, [name]: value }, evidence) === 'edited report'
      }),
    )
    const { outcome: _, ...less } = pristine
    expect(doubtOf(less, evidence)).toBe('edited report')
    expect(doubtOf({ ...pristine, more: 1 }, evidence)).toBe('edited report')
    expect(doubtOf({ ...pristine, ['__proto__']: 1 }, evidence)).toBe('edited report')
  })

  test('reports other evidence, a missing digest or a broken one', () => {
    const other = 'b'.repeat(64)
    expect(doubtOf(stored(), { ...evidence, exchanges: other })).toBe('edited evidence')
    expect(doubtOf(stored(), { ...evidence, settings: other })).toBe('edited settings')
    const { digest: _, ...without } = stored()
    expect(doubtOf(without, evidence)).toBe('without digest')
    expect(doubtOf({ ...without, digest: 'none' }, evidence)).toBe('edited report')
  })
})

test.each(['edited report', 'edited evidence', 'edited settings', 'without digest'] as const)(
  'a report made from one with %s keeps that mark',
  (doubt) => {
    const again = JSON.parse(reportToJson(withDoubt(violated, doubt)))
    expect(doubtOf(again, evidence)).toBe(doubt)
    expect(doubtWord(again)).not.toBeNull()
    expect(doubtText(again)).not.toBeNull()
    expect(withDigest(again)).toEqual(again)
  },
)
