import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { RequirementRow } from '../../contract/report/conformance.ts'
import { reportToConsole } from '../conformance/console/console.ts'
import { exchanges, row, violated } from '../test-support/reports.ts'
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

test('on a terminal the cause stands first, and the evidence once', () => {
  const report = {
    ...violated,
    requirements: [
      row('V3-SSE-05', 'fail', { message: 'no response.created', exchanges: ['x9'], event: 0 }),
      row('V3-SSE-09', 'fail', { message: 'no response.created', exchanges: ['x9', 'x6'] }),
      row('OAI-ERR-01', 'fail', { message: 'answered with 422', known: true }),
    ],
    observations: [],
    faults: [],
    residue: [],
    residueUnseen: null,
  }
  const text = reportToConsole(report, exchanges, { color: false, width: 90 })
  expect(text).toMatchInlineSnapshot(`
    "VIOLATED  0 passed, 3 violated (1 known), 0 undecided of 3 required requirements; 1 stale
              baseline entry
    target: http://127.0.0.1:4010, profile full
    requests sent: 41 (12 generations, 3 new chats, 1 upload) in 4.3 s
    chatgen: 0.1.0, interface 2026-01, seed seed-1

    KNOWN OAI-ERR-01 (required, section 7)
        A body that is not JSON is a bad request: it MUST be answered with 400.
        found: answered with 422
        known: because the gateway answers (CHAT-17, until 2026-12-31)

    Stale baseline entries in known.yaml (1)
      V3-HIST-01 passes now: delete its entry

    2 requirements violated, same cause: no response.created
    FAIL V3-SSE-05 (required, section 6)
        The first event MUST be response.created, and it MUST occur exactly once.
    FAIL V3-SSE-09 (required, section 6)
        A generation that succeeds and is not truncated MUST end with response.completed,
        which contains the final response.
        found: no response.created
        request (x9):
          curl -i -N -X POST http://127.0.0.1:4010/api/v3/message/generate \\
            -H "Authorization: Bearer $CHATGEN_API_KEY" \\
            -H 'content-type: application/json' \\
            --data-raw '{"input":"ping","stream":true}'
        response: 200 text/event-stream, 120 bytes in 20.0 ms, cut off by the target: other s…
          >    +10.0 ms  event: response.output_item.added  {"output_index":0}
               +11.0 ms  event: response.created  {"response":{"id":"resp_3"}}
               +20.0 ms  cut off by the target: other side closed
        x6 is not among the recorded exchanges

    VIOLATED  0 passed, 3 violated (1 known), 0 undecided of 3 required requirements; 1 stale
              baseline entry
    "
  `)
})

function byPlace(rows: readonly RequirementRow[]) {
  return (a: RequirementRow, b: RequirementRow) => rows.indexOf(a) - rows.indexOf(b)
}
