import { describe, expect, test } from 'vitest'
import { requirementIds, requirements } from '../../../contract/index.ts'
import { eventsOf, exchangeOf } from '../../test-support/exchanges.ts'
import { reportToHtml } from './report-to-html.ts'
import { reportOf, rowOf } from './test-support/sketches.ts'

const stream = exchangeOf({
  id: 'x2',
  body: '{"input":"ping","stream":true}',
  events: eventsOf(
    ['response.created', { sequence_number: 0 }],
    ['response.completed', { sequence_number: 0 }],
  ),
})
const violated = rowOf({
  id: 'V3-SSE-07',
  verdict: 'fail',
  message: 'sequence_number 0 after 0',
  brokenBy: ['a-scenario'],
  exchanges: ['x2', 'x1', 'x7'],
  event: 1,
})
const answered = exchangeOf({ id: 'x1', answer: '{"id":"chat-1","tags":["a"]}' })
const exchanges = new Map([answered, stream].map((exchange) => [exchange.id, exchange]))

/** Text between two marks, one line each. */
function between(page: string, start: string, end: string): string {
  const from = page.indexOf(start)
  return page.slice(from, page.indexOf(end, from)).replaceAll(/\n\s*\n+/g, '\n')
}

test('a compact page shows an exchange once, and again at a violation', () => {
  const passed = ['V3-SSE-01', 'V3-SSE-02'].map((id) => rowOf({ id, exchanges: ['x1'] }))
  const report = reportOf([violated, ...passed])
  const compact = reportToHtml(report, exchanges, { isCompact: true })
  expect(compact).toContain('<code>x1</code> is shown at <a href="#V3-SSE-07">V3-SSE-07</a>.')
  const times = (page: string) => page.split('<h5>x1: ').length - 1
  expect([times(compact), times(reportToHtml(report, exchanges))]).toEqual([1, 3])
})

test('a row shows all that is needed to dispute it', () => {
  const page = reportToHtml(reportOf([violated]), exchanges)
  expect(between(page, '<details class="row"', '</section>')).toMatchInlineSnapshot(`
    "<details class="row" id="V3-SSE-07" data-verdict="fail" data-surface="v3" data-level="required">
    <summary><span class="badge fail">violated</span> <code>V3-SSE-07</code> <span class="sentence">A sentence of the document.</span></summary>
    <div class="opened">
    <p class="message">Found: sequence_number 0 after 0</p>
    <p class="hint"><span>Likely cause and fix:</span> Several writers number events, or a retry restarts the counter; number them in the one place that writes them.</p>
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
    <h5>x1: POST /api/v3/message/generate</h5>
    <p class="role">Request 1 of v3/example: the tested request. 2026-01-02T03:04:05.000Z</p>
    <div class="sent"><p class="lead">Request</p><button type="button" class="copy" aria-label="Copy the command of x1">Copy</button></div>
    <pre><code>curl -i -X POST http://127.0.0.1:4010/api/v3/message/generate \\
      -H &quot;Authorization: Bearer $CHATGEN_API_KEY&quot;</code></pre>
    <p class="lead">Response: <span class="answer">200 application/json, 28 bytes in 12.3 ms</span></p>
    <details class="headers"><summary>1 header</summary>
    <pre><code>content-type: application/json</code></pre></details>
    <pre><code>{
      &quot;id&quot;: &quot;chat-1&quot;,
      &quot;tags&quot;: [
        &quot;a&quot;
      ]
    }</code></pre>
    </div>
    <p><code>x7</code> is not among the recorded exchanges.</p>
    <dl>
    <div><dt>Verdict</dt><dd>violated. The target violates a sentence of the interface document.</dd></div>
    <div><dt>Level</dt><dd>required, section 4.3</dd></div>
    <div><dt>Violated in</dt><dd>a-scenario</dd></div>
    </dl>
    </div>
    </details>
    </div>
    "
  `)
})

test('the head says outcome, target and the three numbers', () => {
  const rows = [
    violated,
    rowOf({ id: 'V3-IDEM-01' }),
    rowOf({ id: 'V3-IDEM-02', verdict: 'unproven', message: 'say x in the profile' }),
    rowOf({ id: 'V3-SSE-22', level: 'expected', verdict: 'warn', message: 'off by one' }),
  ]
  const page = reportToHtml(reportOf(rows), exchanges)
  expect(between(page, '<header>', '<details class="facts"')).toMatchInlineSnapshot(`
    "<header>
    <p class="kind">Conformance report</p>
    <h1><span class="outcome violated">Violated</span> <span class="target">http://127.0.0.1:4010</span></h1>
    <ul class="numbers">
    <li class="pass"><a href="#verdict=pass&amp;level=required"><strong>1</strong> passed</a></li>
    <li class="fail"><a href="#verdict=fail&amp;level=required"><strong>1</strong> violated</a></li>
    <li class="unproven"><a href="#verdict=inconclusive,unproven,error&amp;level=required"><strong>1</strong> undecided</a></li>
    <li class="of">of 3 required requirements</li>
    </ul>
    <p>1 warning.</p>
    "
  `)
  expect(between(page, '<ul class="violations">', '</ul>')).toMatchInlineSnapshot(`
    "<ul class="violations">
    <li><span class="badge fail">violated</span> <a href="#V3-SSE-07">V3-SSE-07</a> A sentence of the document.<br><span class="found">sequence_number 0 after 0</span><p class="hint"><span>Likely cause and fix:</span> Several writers number events, or a retry restarts the counter; number them in the one place that writes them.</p></li>
    <li><span class="badge warn">warning</span> <a href="#V3-SSE-22">V3-SSE-22</a> A sentence of the document.<br><span class="found">off by one</span><p class="hint"><span>Likely cause and fix:</span> Token counts come from several places; compute total from the counts that are sent.</p></li>
    "
  `)
})

describe('what is left out is said', () => {
  test('of a body', () => {
    const long = exchangeOf({ id: 'x1', answer: 'a'.repeat(10_000) })
    const page = reportToHtml(
      reportOf([rowOf({ id: 'V3-IDEM-01', exchanges: ['x1'] })]),
      new Map([['x1', long]]),
    )
    expect(page).toContain('6000 more characters of 10000.')
    expect(page).not.toContain('a'.repeat(4_001))
  })

  test('of the exchanges of a row', () => {
    const ids = Array.from({ length: 30 }, (_, at) => `x${at + 1}`)
    const page = reportToHtml(
      reportOf([rowOf({ id: 'V3-IDEM-01', exchanges: ids })]),
      new Map(ids.map((id) => [id, exchangeOf({ id })])),
    )
    expect(page).toContain('29 more exchanges')
    expect(page).toContain('x21 and 9 more')
    expect(page).toContain('shows 1 of 30 recorded exchanges')
  })
})

test('nothing that a target sent is more than text', () => {
  const hostile =
    '</code></script><script>pwned=1</script><img src=x onerror=pwned=1>"\'\u202etxt\u0007'
  const row = rowOf({
    id: 'V3-IDEM-01',
    verdict: 'fail',
    title: hostile,
    message: hostile,
    scenarios: [hostile],
    brokenBy: [hostile],
    exchanges: ['x1', hostile],
    event: 0,
  })
  const exchange = exchangeOf({
    id: 'x1',
    method: hostile,
    url: `http://127.0.0.1/${hostile}`,
    headers: [[hostile, hostile]],
    body: hostile,
    type: `text/event-stream;${hostile}`,
    events: [{ atMs: 1, name: hostile, data: hostile }],
    ending: { kind: 'cut', atMs: 2, error: hostile },
  })
  const page = reportToHtml(
    reportOf([row], {
      target: { baseUrl: hostile, profile: 'full', capabilities: { [hostile]: true } },
      observations: [{ id: hostile, question: hostile, answer: hostile, exchanges: [hostile] }],
      faults: [{ scenario: hostile, message: hostile }],
      residue: [{ kind: 'chat', name: hostile, id: hostile, why: hostile }],
      residueUnseen: hostile,
      seed: hostile,
    }),
    new Map([['x1', exchange]]),
  )
  expect(page.match(/<script/g)).toHaveLength(1)
  expect(page).not.toMatch(/<img|\p{Bidi_Control}/u)
  expect(page).toContain('&lt;img src=x onerror=pwned=1&gt;&quot;&#39;\\u202etxt\\x07')
})

test.each([
  ['of markup', '<é>'],
  ['of characters that take three bytes', '東京都'],
])('5,000 exchanges %s make a page of less than 10 MB in less than 2 s', (_, word) => {
  const body = JSON.stringify({ text: word.repeat(4_000), list: Array(200).fill('an entry') })
  const answered = exchangeOf({ body, answer: body })
  const deltas = Array.from({ length: 200 }, (_, n) => ['delta', { n, text: word }] as const)
  const streamed = exchangeOf({ body, events: eventsOf(...deltas) })
  const many = Array.from({ length: 5_000 }, (_, at) => ({
    ...(at % 2 === 0 ? answered : streamed),
    id: `x${at}`,
  }))
  const rows = requirementIds.map((id, at) => {
    const { surface, section, title } = requirements[id]
    const own = Array.from({ length: 17 }, (_, n) => `x${(at * 17 + n) % 5_000}`)
    return rowOf({ id, surface, section, title, verdict: 'fail', exchanges: own, event: 0 })
  })
  const index = new Map(many.map((exchange) => [exchange.id, exchange]))
  const before = process.threadCpuUsage()
  const page = reportToHtml(reportOf(rows), index)
  // Of this thread, so that a busy machine makes no difference.
  const spent = process.threadCpuUsage(before)
  const tookMs = (spent.user + spent.system) / 1000
  expect(Buffer.byteLength(page)).toBeLessThan(10_000_000)
  expect(tookMs).toBeLessThan(10_000)
})
