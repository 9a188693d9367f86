import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { RequirementResult } from '../../contract/report/conformance.ts'
import { requirement } from '../test-support/reports.ts'
import { causeText, foldFindings } from './fold.ts'

const missing = 'usage is missing'

function shapeOf(requirements: readonly RequirementResult[]) {
  return foldFindings(requirements).map(({ common, requirements }) => [
    common,
    ...requirements.map(({ id }) => id),
  ])
}

describe('rows are told together', () => {
  test('where the same was found, whatever its numbers', () => {
    const requirements = [
      requirement('OAI-CHAT-09', 'fail', { message: 'usage of x3 is missing' }),
      requirement('OAI-CHAT-11', 'fail', { message: 'the media type is text/plain' }),
      requirement('OAI-CHAT-10', 'fail', { message: 'usage of x7 is missing' }),
    ]
    expect(shapeOf(requirements)).toEqual([
      ['message', 'OAI-CHAT-09', 'OAI-CHAT-10'],
      [null, 'OAI-CHAT-11'],
    ])
    expect(foldFindings(requirements).map(causeText)).toEqual([
      '2 requirements violated, same cause: usage of x3 is missing',
      null,
    ])
  })

  test('where the very same evidence shows them', () => {
    const ids = [
      requirement('OAI-CHAT-09', 'fail', { message: 'usage is missing', exchanges: ['x3'] }),
      requirement('OAI-CHAT-03', 'fail', { message: 'object is missing', exchanges: ['x3'] }),
      requirement('OAI-CHAT-02', 'fail', { message: 'id is missing', exchanges: ['x3', 'x4'] }),
    ]
    expect(shapeOf(ids)).toEqual([
      ['exchange', 'OAI-CHAT-09', 'OAI-CHAT-03'],
      [null, 'OAI-CHAT-02'],
    ])
  })

  test.each<[string, Partial<RequirementResult>]>([
    ['of another surface', { surface: 'v3' }],
    ['of another verdict', { verdict: 'warn' }],
    ['of a baseline', { known: true }],
    ['of nothing', { message: null }],
    ['at another event', { message: 'another', exchanges: ['x3'], event: 4 }],
  ])('and not with a row %s', (_, more) => {
    const first = requirement('OAI-CHAT-09', 'fail', {
      message: missing,
      exchanges: ['x3'],
      event: 2,
    })
    const second = requirement('OAI-CHAT-10', 'fail', { message: missing, ...more })
    expect(shapeOf([first, second])).toHaveLength(2)
  })

  test('each once, and none is lost', () => {
    const some = fc.uniqueArray(
      fc.record({
        id: fc.constantFrom(...(['V3-SSE-01', 'V3-SSE-02', 'V3-SSE-03', 'OAI-CHAT-09'] as const)),
        message: fc.constantFrom('a', 'b 1', 'b 2', null),
        exchanges: fc.subarray(['x1', 'x2']),
      }),
      { selector: ({ id }) => id },
    )
    fc.assert(
      fc.property(some, (sketches) => {
        const ids = sketches.map((sketch) => requirement(sketch.id, 'fail', sketch))
        const folded = foldFindings(ids).flatMap((found) => found.requirements)
        expect(folded.toSorted(byPlace(ids))).toEqual(ids)
        const first = foldFindings(ids).map((found) => ids.indexOf(found.requirements[0]))
        expect(first).toEqual(first.toSorted((a, b) => a - b))
      }),
    )
  })
})

function byPlace(ids: readonly RequirementResult[]) {
  return (a: RequirementResult, b: RequirementResult) => ids.indexOf(a) - ids.indexOf(b)
}
