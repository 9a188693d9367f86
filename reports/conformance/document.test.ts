import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type RequirementId, requirementIds } from '../../contract/index.ts'
import type { ConformanceReport, RequirementResult } from '../../contract/report/conformance.ts'
import { toHtml } from '../document/html.ts'
import { toMarkdown } from '../document/markdown.ts'
import { toTerminal } from '../document/terminal.ts'
import {
  conforming,
  eventsOf,
  exchangeOf,
  exchanges,
  reportOf,
  requirement,
  resultOf,
  violated,
} from '../test-support/reports.ts'
import { conformanceDocument } from './document.ts'

function terminal(report: ConformanceReport, { width = 90, verbose = false } = {}): string {
  return toTerminal(conformanceDocument(report, exchanges), { color: false, width, verbose })
}

/** Rows of a terminal, for violations in a results folder. */
function rowsOf(violations: readonly RequirementResult[], width: number): number {
  const stored = Object.assign(new Map(exchanges), { folder: 'chatgen-results' })
  const text = toTerminal(conformanceDocument(reportOf(violations), stored), {
    color: false,
    width,
  })
  return text
    .split('\n')
    .reduce((rows, line) => rows + Math.max(1, Math.ceil(line.length / width)), 0)
}

test('a terminal report has violations in detail and one line per other list', () => {
  expect(terminal(violated)).toMatchInlineSnapshot(`
    "VIOLATED  3 passed, 5 violated (1 known), 5 undecided of 13 required requirements; 1
              warning; 1 stale baseline entry; 1 internal error
    target: http://127.0.0.1:4010, profile full
    requests sent: 41 (12 generations, 3 new chats, 1 upload) in 4.3 s
    chatgen: 0.1.0, interface 2026-01, seed seed-1

    Stale baseline entries in known.yaml
      V3-HIST-01 passes now: delete its entry

    Fix first
      V3-SSE-05: the first event is response.output_item.added; 1 requirement waits for it

    Violated
      violated  V3-SSE-05 (1 requirement waits for it) The first event MUST be
                response.created, and it MUST occur exactly once.
                found: the first event is response.output_item.added
                likely cause and fix: Events are sent as the model produces them, without the
                events that enclose them; emit the added event before the first delta and the…
                document: section 6, Events: The v3 stream is made of server-sent events in
                the Responses style: an event: line, data: lines with JSON and an empty line.…
                curl -i -N -X POST http://127.0.0.1:4010/api/v3/message/generate -H "Authorization: Bearer $CHATGEN_API_KEY" -H 'content-type: application/json' --data-raw '{"input":"ping","stream":true}'
                → 200  +10.0 ms  event: response.output_item.added  {"output_index":0}

      violated  V3-IDEM-02 A repeat with the same Idempotency-Key MUST NOT add a second step
                (JSON body).
                found: the history has 2 steps & <b>one</b> key \`\`
                likely cause and fix: The Idempotency-Key is not stored, or only after the run
                has ended; store key and run atomically before the generation starts, and ans…
                document: section 4.3, Native v3, /api/v3: A generation in a chat needs an
                Idempotency-Key, any string, and a repeat with the same key creates no duplic…
                curl -i -X POST http://127.0.0.1:4010/api/v3/message/generate -H "Authorization: Bearer $CHATGEN_API_KEY" -H 'content-type: application/json' -H 'idempotency-key: turn-1' --data-raw '{"chat_id":"0b6e","input":"ping"}'
                → 200  {"note":"\\x1b[2J</td></system-out>]]>\\uffff\`\`\`\\n::error::x"}

      violated  2 requirements violated, same cause
                OAI-CHAT-09 The usage of a completion MUST have prompt_tokens,
                  completion_tokens and total_tokens, all integers.
                OAI-CHAT-06 The choices of a completion MUST be an array that contains the
                  answer, and each choice MUST have an integer index.
                found: usage is missing
                likely cause and fix: The usage of the model is not passed on; add
                prompt_tokens, completion_tokens and total_tokens to every completion.
                likely cause and fix: A member of the completion is missing or has another
                type; compare the body in the evidence with section 2.2.
                document: section 2.2, Chat completion: The object of a non-streamed
                completion: id, object (chat.completion), created in Unix seconds, model, cho…
                x1 is not among the recorded exchanges

    Internal errors of chatgen, not violations
      v3-idempotency/racing
        TypeError: turns is undefined\\n  at x

    known violations: OAI-ERR 01
    warnings: V3-SSE 07
    undecided: 5: 1 waits for violated requirements; 2 need v2Chat in the profile; TypeError:
               turns is undefined: V3-IDEM 05; no reason was recorded: KB 01
    not applicable: V3-GEN 08
    not deleted from the target: 1 chat; retry: chatgen cleanup with journal.ndjson of the
                                 results
    open questions: 1 observed, not judged (--verbose)

    VIOLATED  3 passed, 5 violated (1 known), 5 undecided of 13 required requirements; 1
              warning; 1 stale baseline entry; 1 internal error
    "
  `)
})

test('a Markdown report has the same sections with collapsed evidence', () => {
  const text = toMarkdown(conformanceDocument(violated, exchanges))
  expect(text.match(/^### .*|<summary>.*(?=<\/summary>)/gm)).toMatchInlineSnapshot(`
    [
      "### Stale baseline entries in known.yaml",
      "### Fix first",
      "### Violated",
      "<summary>Evidence",
      "<summary>Evidence",
      "<summary>Evidence",
      "### Internal errors of chatgen, not violations",
      "### Known violations",
      "### Warnings",
      "### Undecided",
      "<summary>Not applicable",
      "### Not deleted from the target",
      "<summary>Open questions",
    ]
  `)
})

describe('length of a terminal report', () => {
  test.each([60, 80])('is at most 30 lines at %i columns if the run conforms', (width) => {
    const requirements = requirementIds.map((id, at) =>
      requirement(id, at % 9 === 0 ? 'not-applicable' : 'pass', { message: `reason ${at % 3}` }),
    )
    const report = { ...conforming, requirements, residue: violated.residue }
    expect(terminal(report, { width }).trimEnd().split('\n').length).toBeLessThanOrEqual(30)
  })

  test('is at most 12 rows per violation for any message', () => {
    const id = fc.constantFrom(...requirementIds)
    const words = fc.array(fc.constantFrom('expected', 'a', 'x'.repeat(70), '{"a":1}\n'), {
      maxLength: 60,
    })
    fc.assert(
      fc.property(
        fc.uniqueArray(id, { minLength: 1, maxLength: 5 }),
        words,
        fc.constantFrom(60, 80),
        (ids, message, width) => {
          const evidence = { exchanges: ['x4', 'x9'], event: 0 }
          const violations = ids.map((id, at) =>
            requirement(id, 'fail', { message: `${at} ${message.join(' ')}`, ...evidence }),
          )
          // An empty line before each violation, and the heading.
          const maxRows = rowsOf([], width) + 1 + 13 * ids.length
          expect(rowsOf(violations, width)).toBeLessThanOrEqual(maxRows)
        },
      ),
    )
  })
})

test('violations are sorted by the number of requirements that wait for them', () => {
  const blocked = (id: string, blockedBy: string) =>
    resultOf({ id, verdict: 'inconclusive', blockedBy, message: `blocked by ${blockedBy}` })
  const text = terminal(
    reportOf([
      resultOf({ id: 'OAI-CHAT-01', verdict: 'fail', message: 'answered with 404' }),
      resultOf({ id: 'V3-HIST-01', verdict: 'fail', message: 'pagination is missing' }),
      blocked('V3-HIST-07', 'V3-HIST-01'),
      blocked('V3-CTX-01', 'V3-HIST-07'),
      blocked('OAI-CHAT-02', 'OAI-CHAT-01'),
    ]),
  )
  expect(text).toContain(
    [
      'Fix first',
      '  V3-HIST-01: pagination is missing; 2 requirements wait for it',
      '  OAI-CHAT-01: answered with 404; 1 requirement waits for it',
    ].join('\n'),
  )
  expect(text.match(/violated {2}\S+/g)).toEqual(['violated  V3-HIST-01', 'violated  OAI-CHAT-01'])
  expect(text).toContain('undecided: 3 wait for violated requirements')
})

test('--verbose names all requirements with any verdict', () => {
  for (const verdict of ['pass', 'warn', 'unproven', 'unclaimed', 'observed', 'error'] as const) {
    const ids = requirementIds.map((id) => requirement(id, verdict))
    const text = terminal({ ...violated, requirements: ids }, { width: 80, verbose: true })
    expect(requirementIds.filter((id) => !namesOf(text).has(id))).toEqual([])
  }
})

test('--verbose shows complete evidence, and no stored names of verdicts', () => {
  const text = terminal(violated, { verbose: true })
  expect(text).toMatch(/>\s+\+10\.0 ms {2}event: response\.output_item\.added/)
  expect(text).toMatch(/OPEN-28 {2}How is a repeat/)
  const markdown = toMarkdown(conformanceDocument(violated, exchanges))
  expect(text + markdown).not.toMatch(/unproven|unclaimed|inconclusive/i)
})

const passed = resultOf({ id: 'V3-SSE-01' })
const excepted = (id: RequirementId, verdict: 'fail' | 'warn') =>
  requirement(id, verdict, { known: true })
const blocked = requirement('OAI-CHAT-02', 'inconclusive', { blockedBy: 'OAI-CHAT-01' })
const one = '1 known violation  1 passed'
const both = '1 known violation and 1 requirement blocked by known violations'

test.each<[string, RequirementResult[], boolean, string]>([
  ['violations', [passed, excepted('OAI-ERR-01', 'fail')], false, one],
  ['violations and what they block', [excepted('OAI-CHAT-01', 'fail'), blocked], false, both],
  ['warnings, if it is strict', [passed, excepted('V3-SSE-07', 'warn')], true, one],
])('a conforming run excepts known %s in its first and last line', (_, found, strict, says) => {
  const report = reportOf(found, { outcome: 'conforms', strict })
  const lines = terminal(report, { width: 160 }).trimEnd().split('\n')
  expect(lines[0]).toContain(`CONFORMS except ${says}`)
  expect(lines.at(-1)).toBe(lines[0])
})

test('interrupted and strict runs say so, with counted warnings as violations', () => {
  const text = terminal({ ...violated, interrupted: true, strict: true }, { width: 120 })
  expect(text).toContain('interrupted: partial results')
  expect(text.replaceAll(/\s+/g, ' ')).toContain('1 warning (counted as violations: --strict)')
  expect(text).toMatch(/^ {2}warning {3}V3-SSE-07 /m)
})

describe('an HTML report', () => {
  const stream = exchangeOf({
    id: 'x2',
    body: '{"input":"ping","stream":true}',
    events: eventsOf(
      ['response.created', { sequence_number: 0 }],
      ['response.completed', { sequence_number: 0 }],
    ),
  })
  const own = new Map(
    [exchangeOf({ id: 'x1', answer: '{"id":"chat-1","tags":["a"]}' }), stream].map((one) => [
      one.id,
      one,
    ]),
  )
  const broken = requirement('V3-SSE-07', 'fail', {
    message: 'sequence_number 0 after 0',
    brokenBy: ['a-scenario'],
    scenarios: ['a-scenario'],
    exchanges: ['x2', 'x1', 'x7'],
    event: 1,
  })
  const page = (report: ConformanceReport, options = {}) =>
    toHtml(conformanceDocument(report, own), options)

  test('has the evidence of a violation', () => {
    const text = page(reportOf([broken]))
    expect(between(text, '<details class="row"', '<h5>x1')).toMatchInlineSnapshot(`
      "<details class="row" id="V3-SSE-07" data-verdict="fail" data-surface="v3" data-level="expected">
      <summary><span class="badge fail">violated</span> <code>V3-SSE-07</code> <span class="sentence">sequence_number SHOULD increase strictly.</span></summary>
      <div class="opened">
      <p class="message">found: <code>sequence_number 0 after 0</code></p><p class="hint">likely cause and fix: Several writers number events, or a retry restarts the counter; number them in the one place that writes them.</p><p class="hint">document: section 6, Events, which refers to another contract for this: The v3 stream is made of server-sent events in the Responses style: an event: line, data: lines with JSON and an empty line. response.created begins it, items are added, text and reasoning come as deltas (reasoning only with think), and response.completed carries the final response and ends it.</p>
      <div class="exchange">
      <h5>x2: POST /api/v3/message/generate</h5>
      <p class="role">Request 1 of v3/example: the tested request. 2026-01-02T03:04:05.000Z</p>
      <div class="sent"><p class="lead">Request</p><button type="button" class="copy" aria-label="Copy the command of x2">Copy</button></div>
      <pre><code>curl -i -N -X POST http://127.0.0.1:4010/api/v3/message/generate \\
        -H &quot;Authorization: Bearer $CHATGEN_API_KEY&quot; \\
        -H &#39;content-type: application/json&#39; \\
        --data-raw &#39;{&quot;input&quot;:&quot;ping&quot;,&quot;stream&quot;:true}&#39;</code></pre>
      <p class="lead">Response: <span class="answer">200 text/event-stream, 108 bytes in 12.3 ms</span></p>
      <details class="headers"><summary>1 header</summary>
      <pre><code>content-type: text/event-stream</code></pre></details>
      <figure><svg role="img" aria-label="2 events within 12.3 ms; event 2, at 11.0 ms, shows the violation" viewBox="0 0 1000 32" preserveAspectRatio="none">
      <rect class="axis" x="0" y="15" width="1000" height="2"/>
      <rect class="tick" x="809" y="8" width="2" height="16"/><rect class="tick" x="890" y="8" width="2" height="16"/>
      <rect class="head" x="243" y="4" width="2" height="24"/>
      <rect class="bad" x="888" y="0" width="6" height="32"/>
      </svg>
      <figcaption><span>0 ms</span> <span>headers after 3.0 ms, 2 events</span> <span>12.3 ms</span></figcaption></figure>
      <ol class="events">
      <li><span class="time">   +10.0 ms</span> <b>response.created</b> <code>{&quot;sequence_number&quot;:0}</code></li>
      <li class="offending"><span class="time">   +11.0 ms</span> <strong>here:</strong> <b>response.completed</b> <code>{&quot;sequence_number&quot;:0}</code></li>
      <li class="end"><span class="time">   +12.3 ms</span> end of the body</li>
      </ol>
      </div>
      <div class="exchange">
      "
    `)
    expect(text).toContain('&quot;tags&quot;: [\n')
    expect(text).toContain('<p><code>x7</code> is not among the recorded exchanges.</p>')
  })

  test('shows an exchange once if it is compact, and again at a violation', () => {
    const passed = ['V3-SSE-01', 'V3-SSE-02'].map((id) => resultOf({ id, exchanges: ['x1'] }))
    const report = reportOf([broken, ...passed])
    const compact = page(report, { isCompact: true })
    expect(compact).toContain('<code>x1</code> is shown at <a href="#V3-SSE-07">V3-SSE-07</a>.')
    const times = (text: string) => text.split('<h5>x1: ').length - 1
    expect([times(compact), times(page(report))]).toEqual([1, 3])
  })

  test('states how much of a body and a list of exchanges it omits', () => {
    const ids = Array.from({ length: 30 }, (_, at) => `x${at + 1}`)
    const long = exchangeOf({ id: 'x1', answer: 'a'.repeat(10_000) })
    const report = reportOf([resultOf({ id: 'V3-IDEM-01', exchanges: ids })])
    const text = toHtml(conformanceDocument(report, new Map([['x1', long]])))
    expect(text).toContain('6000 more characters of 10000.')
    expect(text).not.toContain('a'.repeat(4_001))
    expect(text).toMatch(/29 more exchanges.*x21 and 9 more/)
  })

  test.each([
    ['of markup', '<é>'],
    ['of characters that take three bytes', '東京都'],
  ])('with 5,000 exchanges %s is smaller than 10 MB', (_, word) => {
    const body = JSON.stringify({ text: word.repeat(4_000), list: Array(200).fill('an entry') })
    const answered = exchangeOf({ body, answer: body })
    const deltas = Array.from({ length: 200 }, (_, n) => ['delta', { n, text: word }] as const)
    const streamed = exchangeOf({ body, events: eventsOf(...deltas) })
    const many = Array.from({ length: 5_000 }, (_, at) => ({
      ...(at % 2 === 0 ? answered : streamed),
      id: `x${at}`,
    }))
    const ids = requirementIds.map((id, at) =>
      resultOf({
        id,
        verdict: 'fail',
        exchanges: Array.from({ length: 17 }, (_, n) => `x${(at * 17 + n) % 5_000}`),
        event: 0,
      }),
    )
    const index = new Map(many.map((exchange) => [exchange.id, exchange]))
    const document = conformanceDocument(reportOf(ids), index)
    expect(Buffer.byteLength(toHtml(document))).toBeLessThan(10_000_000)
    expect(toMarkdown(document).length).toBeLessThan(1_000_000)
  })
})

/** Text between two marks, without empty lines. */
function between(page: string, start: string, end: string): string {
  const from = page.indexOf(start)
  return page.slice(from, page.indexOf(end, from)).replaceAll(/\n\s*\n+/g, '\n')
}

/** Ids as a reader finds them: whole, or as an area and its numbers. */
function namesOf(text: string): ReadonlySet<string> {
  const names = new Set(text.match(/\b[A-Z][A-Z0-9-]*-\d\d\b/g))
  for (const [, area, numbers = ''] of text.matchAll(/\b([A-Z][A-Z0-9-]*)\s+((?:\d\d[\s-]*)+)/g)) {
    for (const run of numbers.trim().split(/\s+/)) {
      const [first = '', last = first] = run.split('-')
      for (let number = Number(first); number <= Number(last); number += 1) {
        names.add(`${area}-${String(number).padStart(2, '0')}`)
      }
    }
  }
  return names
}
