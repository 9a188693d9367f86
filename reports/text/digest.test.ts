import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { violated } from '../test-support/reports.ts'
import {
  doubtOf,
  doubtText,
  doubtWord,
  reportToJson,
  sealed,
  withDoubt,
  withEvidence,
} from './digest.ts'

const evidence = { exchanges: 'a'.repeat(64), settings: 'c'.repeat(64) }
const stored = () => JSON.parse(reportToJson(withEvidence(violated, evidence)))

describe('a stored report', () => {
  test('fits its digest, in whatever order and layout its members stand', () => {
    expect(doubtOf(stored(), evidence)).toBeNull()
    // A report may be copied without its evidence.
    expect(doubtOf(stored(), { exchanges: null })).toBeNull()
    const reversed = Object.fromEntries(Object.entries(stored()).reverse())
    expect(doubtOf(JSON.parse(JSON.stringify(reversed, null, 7)), evidence)).toBeNull()
  })

  test('does not if anything in it was edited', () => {
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

  test('tells other evidence, a missing digest and a broken one', () => {
    const other = 'b'.repeat(64)
    expect(doubtOf(stored(), { ...evidence, exchanges: other })).toBe('edited evidence')
    expect(doubtOf(stored(), { ...evidence, settings: other })).toBe('edited settings')
    const { digest: _, ...without } = stored()
    expect(doubtOf(without, evidence)).toBe('without digest')
    expect(doubtOf({ ...without, digest: 'none' }, evidence)).toBe('edited report')
  })
})

test.each(['edited report', 'edited evidence', 'edited settings', 'without digest'] as const)(
  'what is made from a report that is %s says so for good',
  (doubt) => {
    const again = JSON.parse(reportToJson(withDoubt(violated, doubt)))
    expect(doubtOf(again, evidence)).toBe(doubt)
    expect(doubtWord(again)).not.toBeNull()
    expect(doubtText(again)).not.toBeNull()
    expect(sealed(again)).toEqual(again)
  },
)
