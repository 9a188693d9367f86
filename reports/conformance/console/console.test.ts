import { expect, test } from 'vitest'
import { requirementIds, requirements } from '../../../contract/index.ts'
import {
  type ConformanceReport,
  conformanceReport,
  type RequirementRow,
} from '../../../contract/report/conformance.ts'
import { eventsOf, exchangeOf } from '../../test-support/exchanges.ts'
import { reportToJson, sealed } from '../../text/digest.ts'
import { summarize } from '../summary.ts'
import { reportToConsole } from './console.ts'

const exchanges = new Map(
  [
    exchangeOf({
      id: 'x4',
      headers: [
        ['idempotency-key', 'turn-1'],
        ['x-request-id', 'cg-1/v3-idem/2'],
      ],
      body: '{"chat_id":"0b6e…","input":"ping","stream":false}',
      answer: '{"id":"resp_2","output":[],"note":"\u001b[2Jwiped \u202etxt"}',
    }),
    exchangeOf({
      id: 'x5',
      method: 'GET',
      url: 'http://127.0.0.1:4010/api/v3/message?chat_id=0b6e',
    }),
    exchangeOf({
      id: 'x9',
      body: '{"input":"ping","stream":true}',
      events: eventsOf(
        ['response.output_item.added', { output_index: 0 }],
        ['response.created', { response: { id: 'resp_3' } }],
        ['response.completed', { response: { id: 'resp_3' } }],
      ),
      ending: { kind: 'cut', atMs: 20, error: 'other side closed' },
    }),
  ].map((exchange) => [exchange.id, exchange]),
)

const report: ConformanceReport = {
  kind: 'conformance-report',
  schemaVersion: 1,
  outcome: 'violated',
  interrupted: false,
  suite: { version: '0.1.0', interface: '2026-01' },
  target: {
    baseUrl: 'http://127.0.0.1:4010',
    profile: 'full',
    capabilities: { images: true, video: false },
  },
  seed: 'seed-1',
  strict: false,
  startedAt: '2026-01-02T03:04:05.000Z',
  durationMs: 4321,
  totals: {
    pass: 7,
    fail: 3,
    warn: 1,
    observed: 1,
    'not-applicable': 1,
    inconclusive: 2,
    error: 1,
    unproven: 2,
    known: 1,
  },
  traffic: { answers: 41, statuses: {}, unanswered: 0, cut: 0, timeouts: 0, retries: 0 },
  cost: { requests: 41, generations: 12, chats: 3, uploads: 1 },
  requirements: [
    ...(['V3-HIST-01', 'V3-HIST-02', 'V3-HIST-03', 'V3-HIST-05', 'V3-HIST-07'] as const).map((id) =>
      row(id, 'pass'),
    ),
    row('OAI-CHAT-01', 'pass'),
    row('OAI-CHAT-02', 'pass'),
    row('V3-IDEM-02', 'fail', {
      message: 'the history has \u001b[32m2\u001b[39m steps for one key',
      scenarios: ['v3-idempotency/a-repeat'],
      exchanges: ['x4', 'x5', 'x6'],
    }),
    row('V3-SSE-05', 'fail', {
      message: 'the first event is response.output_item.added',
      exchanges: ['x9'],
      event: 0,
    }),
    row('OAI-ERR-01', 'fail', { message: 'answered with 422', known: true }),
    row('V3-SSE-07', 'warn', { message: 'sequence_number 3 follows 3', exchanges: ['x9'] }),
    row('V3-GEN-03', 'inconclusive', { message: 'blocked by V3-SSE-09', blockedBy: 'V3-SSE-09' }),
    row('V3-HIST-13', 'inconclusive', { message: 'the target answered 503 three times' }),
    row('V2-MSG-01', 'unproven', { message: 'set v2Chat in the target profile to test this' }),
    row('V2-MSG-02', 'unproven'),
    row('V3-CHAT-10', 'observed', { message: 'our guess of the body was refused with 422' }),
    row('V3-GEN-08', 'not-applicable', {
      message: 'the target profile has capabilities.video: false',
    }),
    row('V3-IDEM-05', 'error', { message: 'TypeError: turns is undefined' }),
    row('KB-01', 'unclaimed'),
    row('KB-02', 'unclaimed'),
  ],
  observations: [
    {
      id: 'OPEN-28',
      question: 'How is a repeat with the same Idempotency-Key answered?',
      answer: '200 with the same response id',
      exchanges: ['x4'],
    },
  ],
  faults: [{ scenario: 'v3-idempotency/racing', message: 'TypeError: turns is undefined\n  at x' }],
  residueUnseen: null,
  residue: [
    {
      kind: 'chat',
      name: 'Tavoru7316 chatgen-seed-1',
      id: '35921114-a1f2-4b07-ae7e-854423984a0f',
      why: 'it can still be read (DELETE: 500, then GET: 200)',
    },
    {
      kind: 'chat',
      name: 'Petazi6683 chatgen-seed-1',
      id: null,
      why: 'GET /chat was answered 500',
    },
    { kind: 'attachment', name: 'a.txt', id: 'a1', why: 'no route deletes it' },
    { kind: 'v2 chat', name: 'v', id: 'v1', why: 'no route deletes it' },
    { kind: 'v2 chat', name: 'w', id: 'w1', why: 'no route deletes it' },
  ],
}

test('the report of a run with verdicts of every kind', () => {
  expect(reportToConsole(report, exchanges, { color: false, width: 90 })).toMatchInlineSnapshot(`
    "VIOLATED  7 passed, 3 violated (1 known), 5 undecided of 15 required requirements; 1
              warning
    not applicable (the target profile has capabilities.video: false): V3-GEN 08
    target: http://127.0.0.1:4010, profile full
    requests sent: 41 (12 generations, 3 new chats, 1 upload) in 4.3 s
    chatgen: 0.1.0, interface 2026-01, seed seed-1

    Observed, open questions (1)
      OPEN-28  How is a repeat with the same Idempotency-Key answered? 200 with the same
               response id

    No scenario yet, not counted (2)
      KB 01 02

    Observed only (1)
      our guess of the body was refused with 422:
        V3-CHAT 10

    Not tested (2)
      set v2Chat in the target profile to test this:
        V2-MSG 01 02

    Inconclusive (2)
      blocked by V3-SSE-09:
        V3-GEN 03
      the target answered 503 three times:
        V3-HIST 13

    Not judged because of an internal error (1)
      TypeError: turns is undefined:
        V3-IDEM 05

    Not deleted from the target, not a violation (2 chats)
      35921114-a1f2-4b07-ae7e-854423984a0f, Tavoru7316 chatgen-seed-1: it can still be read
      (DELETE: 500, then GET: 200)
      no id, Petazi6683 chatgen-seed-1: GET /chat was answered 500
      Retry: chatgen cleanup journal.ndjson (in the folder of the results)
    not deleted: 1 attachment, 2 v2 chats (the interface has no route that deletes them)

    Internal errors of chatgen, not violations (1)
      v3-idempotency/racing
        TypeError: turns is undefined\\n  at x

    WARN V3-SSE-07 (expected, section 6)
        sequence_number SHOULD increase strictly.
        found: sequence_number 3 follows 3
        see x9: POST http://127.0.0.1:4010/api/v3/message/generate → 200 text/event-stream, 1…

    KNOWN OAI-ERR-01 (required, section 7)
        A body that is not JSON is a bad request: it MUST be answered with 400.
        found: answered with 422

    FAIL V3-IDEM-02 (required, section 4.3)
        A repeat with the same Idempotency-Key MUST NOT add a second step (JSON body).
        found: the history has 2 steps for one key
        scenario: v3-idempotency/a-repeat
        request (x4, cg-1/v3-idem/2):
          curl -i -X POST http://127.0.0.1:4010/api/v3/message/generate \\
            -H "Authorization: Bearer $CHATGEN_API_KEY" \\
            -H 'content-type: application/json' \\
            -H 'idempotency-key: turn-1' \\
            --data-raw '{"chat_id":"0b6e…","input":"ping","stream":false}'
        response: 200 application/json, 53 bytes in 12.3 ms
          {"id":"resp_2","output":[],"note":"\\x1b[2Jwiped \\u202etxt"}
        see x5: GET http://127.0.0.1:4010/api/v3/message?chat_id=0b6e → 200 application/json,…
        x6 is not among the recorded exchanges

    FAIL V3-SSE-05 (required, section 6)
        The first event MUST be response.created, and it MUST occur exactly once.
        found: the first event is response.output_item.added
        request (x9):
          curl -i -N -X POST http://127.0.0.1:4010/api/v3/message/generate \\
            -H "Authorization: Bearer $CHATGEN_API_KEY" \\
            -H 'content-type: application/json' \\
            --data-raw '{"input":"ping","stream":true}'
        response: 200 text/event-stream, 182 bytes in 20.0 ms, cut off by the target: other s…
          >    +10.0 ms  event: response.output_item.added  {"output_index":0}
               +11.0 ms  event: response.created  {"response":{"id":"resp_3"}}
               +12.0 ms  event: response.completed  {"response":{"id":"resp_3"}}
               +20.0 ms  cut off by the target: other side closed

    VIOLATED  7 passed, 3 violated (1 known), 5 undecided of 15 required requirements; 1
              warning
    "
  `)
})

test('verbose, the report names every requirement of the catalogue, whatever its verdict', () => {
  const verdicts = ['pass', 'warn', 'unproven', 'unclaimed', 'observed', 'error'] as const
  for (const verdict of verdicts) {
    const rows = requirementIds.map((id) => row(id, verdict))
    const text = reportToConsole({ ...report, requirements: rows }, exchanges, {
      color: false,
      width: 80,
      verbose: true,
    })
    expect(requirementIds.filter((id) => !namesOf(text).has(id))).toEqual([])
  }
})

test('passed requirements are listed only with --verbose', () => {
  const style = { color: false, width: 90 }
  const brief = reportToConsole(report, exchanges, style)
  const verbose = reportToConsole(report, exchanges, { ...style, verbose: true })
  const passed = 'Passed (7)\n  V3-HIST 01-03 05 07, OAI-CHAT 01 02\n\n'
  expect(verbose).toContain(passed)
  expect(brief).toBe(verbose.replace(passed, ''))
})

test('nothing that a target or an assertion said reaches the terminal as a control character', () => {
  const text = reportToConsole(report, exchanges, { color: false, width: 90 })
  expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u)
})

test('the outcome stands first and last', () => {
  const lines = reportToConsole(report, exchanges, { color: false, width: 120 })
    .trimEnd()
    .split('\n')
  expect(lines[0]).toBe(lines.at(-1))
  expect(lines[0]).toMatchInlineSnapshot(
    `"VIOLATED  7 passed, 3 violated (1 known), 5 undecided of 15 required requirements; 1 warning"`,
  )
})

test('the three numbers add up and leave out what does not count', () => {
  expect(summarize(report)).toMatchInlineSnapshot(`
    {
      "known": 1,
      "passed": 7,
      "required": 15,
      "undecided": 5,
      "violated": 3,
      "warnings": 1,
    }
  `)
})

test('an interrupted and a strict run say so', () => {
  const text = reportToConsole({ ...report, interrupted: true, strict: true }, exchanges, {
    color: false,
    width: 120,
  })
  expect(text).toContain('interrupted: partial results')
  expect(text.replaceAll(/\n +/g, ' ')).toContain('1 warning (counted as violations: --strict)')
})

test('what was not looked for is said', () => {
  const spent = { ...report, residueUnseen: 'the budget of 60 requests (--max-requests) is spent' }
  const text = reportToConsole(spent, exchanges, { color: false, width: 120 })
  expect(text).toContain(
    'leftover check incomplete: the budget of 60 requests (--max-requests) is spent',
  )
})

test('report.json is the model, and reads back', () => {
  const text = reportToJson(report)
  expect(conformanceReport.parse(JSON.parse(text))).toEqual(sealed(report))
  expect(text.endsWith('}\n')).toBe(true)
})

function row(
  id: (typeof requirementIds)[number],
  verdict: RequirementRow['verdict'],
  more: Partial<RequirementRow> = {},
): RequirementRow {
  const { level, surface, section, title } = requirements[id]
  return {
    id,
    level,
    surface,
    section,
    verdict,
    known: false,
    title,
    message: null,
    blockedBy: null,
    scenarios: [],
    brokenBy: [],
    exchanges: [],
    event: null,
    ...more,
  }
}

/** Ids as a reader finds them: whole, or as an area and its numbers. */
function namesOf(text: string): ReadonlySet<string> {
  const names = new Set(text.match(/\b[A-Z][A-Z0-9-]*-\d\d\b/g))
  for (const [, area, numbers = ''] of text.matchAll(/\b([A-Z][A-Z0-9-]*) ((?:\d\d[ -]?)+)/g)) {
    for (const run of numbers.trim().split(' ')) {
      const [first = '', last = first] = run.split('-')
      for (let number = Number(first); number <= Number(last); number += 1) {
        names.add(`${area}-${String(number).padStart(2, '0')}`)
      }
    }
  }
  return names
}
