import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { RequirementRow } from '../../contract/report/conformance.ts'
import { row } from '../test-support/reports.ts'
import { causeText, foldFindings } from './fold.ts'

const missing = 'usage is missing'

function shapeOf(rows: readonly RequirementRow[]) {
  return foldFindings(rows).map(({ common, rows }) => [common, ...rows.map(({ id }) => id)])
}

describe('rows are told together', () => {
  test('where the same was found, whatever its numbers', () => {
    const rows = [
      row('OAI-CHAT-09', 'fail', { message: 'usage of x3 is missing' }),
      row('OAI-CHAT-11', 'fail', { message: 'the media type is text/plain' }),
      row('OAI-CHAT-10', 'fail', { message: 'usage of x7 is missing' }),
    ]
    expect(shapeOf(rows)).toEqual([
      ['message', 'OAI-CHAT-09', 'OAI-CHAT-10'],
      [null, 'OAI-CHAT-11'],
    ])
    expect(foldFindings(rows).map(causeText)).toEqual([
      '2 requirements violated, same cause: usage of x3 is missing',
      null,
    ])
  })

  test('where the very same evidence shows them', () => {
    const rows = [
      row('OAI-CHAT-09', 'fail', { message: 'usage is missing', exchanges: ['x3'] }),
      row('OAI-CHAT-03', 'fail', { message: 'object is missing', exchanges: ['x3'] }),
      row('OAI-CHAT-02', 'fail', { message: 'id is missing', exchanges: ['x3', 'x4'] }),
    ]
    expect(shapeOf(rows)).toEqual([
      ['exchange', 'OAI-CHAT-09', 'OAI-CHAT-03'],
      [null, 'OAI-CHAT-02'],
    ])
  })

  test.each<[string, Partial<RequirementRow>]>([
    ['of another surface', { surface: 'v3' }],
    ['of another verdict', { verdict: 'warn' }],
    ['of a baseline', { known: true }],
    ['of nothing', { message: null }],
    ['at another event', { message: 'another', exchanges: ['x3'], event: 4 }],
  ])('and not with a row %s', (_, more) => {
    const first = row('OAI-CHAT-09', 'fail', { message: missing, exchanges: ['x3'], event: 2 })
    const second = row('OAI-CHAT-10', 'fail', { message: missing, ...more })
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
        const rows = sketches.map((sketch) => row(sketch.id, 'fail', sketch))
        const folded = foldFindings(rows).flatMap((found) => found.rows)
        expect(folded.toSorted(byPlace(rows))).toEqual(rows)
        const first = foldFindings(rows).map((found) => rows.indexOf(found.rows[0]))
        expect(first).toEqual(first.toSorted((a, b) => a - b))
      }),
    )
  })
})

function byPlace(rows: readonly RequirementRow[]) {
  return (a: RequirementRow, b: RequirementRow) => rows.indexOf(a) - rows.indexOf(b)
}
