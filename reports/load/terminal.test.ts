import { expect, test } from 'vitest'
import { outcomeLine, type TerminalOptions, toTerminal } from '../document/terminal.ts'
import { loadReportOf } from '../test-support/measurements.ts'
import { loadDocument } from './document.ts'
import type { LoadReport } from './model/report.ts'

const plain = { color: false, width: 100 }

function terminalOf(report: LoadReport, options: TerminalOptions): string {
  return toTerminal(loadDocument(report), options)
}

test('a terminal report of a partly failed run', () => {
  expect(terminalOf(loadReportOf(), plain)).toMatchInlineSnapshot(`
    "VIOLATED  1 of 3 SLOs met, 1 missed, 1 undecided; 0.66 % of requests refused (429); 303 streams and
              0 bodies judged, 1 requirement violated; 1 response truncated; goodput 95.71 % of 303 due
              requests; generator degraded
    target: http://127.0.0.1:4010, openai and v3
    load: poisson, 100/s, for 3 s; mix openai-stream; seed a-seed; plan 0123456789ab
    measured: 0 s to 3 s of the run (MSER-5 on ttft); steady: no trend
    chatgen: 0.1.0, interface 2026-01

    SLO
      met       ttft.p90 < 500ms: 131 [128, 133] ms
                10 of 300 requests were over 500 ms; p90 allows 10 %. Met at 99 % confidence.
      missed    goodput > 99%: 95.7 [92.8, 97.7] %
                290 of 303 due requests were good; 13 were not, 1 % may be. Missed at 99 % confidence.
      undecided errors < 2%: 2.31 [0.93, 4.70] %
                7 of 303 due requests failed; 2 % may. 1200 more clean requests needed for a decision.

    Violated
      required  V3-SSE-17 violated in 4 of 303, 1.32 %: The text of response.completed is all that the
                deltas said.
                found: </script><script>window.pwned=1</script><img src=x onerror="window.pwned=1"> |
                \`x\` ]]> \\x1b[2J\\u202etxt
                first: request 17.0 at 0.2 s, v3.generate, event 12, X-Request-Id chatgen-a-seed-17

    Rates in the measured window
                  count  per second  whole run
      offered       306         102        306
      dispatched    306         102        306
      completed     296        98.7        299
      shed            2        0.67          2
      failed          5        1.67          5
      good          290        96.7
      3 requests in flight at the end; HTTP/2: 4 connections opened, 307 streams, up to 100 concurrent
      per connection (limit 100), 1 stream reset by the target, 2 connections closed by GOAWAY, 1
      request retried after a refused stream

    Latency in the measured window, ms
                         n  mean   p50   p90   p99   max
      ttft  response   300   134   108   129   990  1125
      ttft  service    300   105   105   125   129   130
      icl   service   3000  20.3  20.8  25.0  25.9  26.0
      tpot  service    300  21.0  21.0  25.0  25.9  26.0
      e2e   response   300   557   531   634  1540  1750
      e2e   service    300   525   524   624   647   649

    stalls: 2 of 300 streams stalled for more than 500 ms, 1.2 % of their time; longest gap 812 ms;
            3.3 % of the gaps are 0 ms: several chunks arrived in one read
    delivery: on average per stream 25.0 deltas in 3.00 reads; 3 of 300 streams arrived in a single
              read; 297 streams had one delta per output token of their usage, 3 had more (a repeated
              delta?)
      note: deltas arrived in bursts about every 200 ms: the server or a proxy in front of it buffers
            them, so ttft is the time of the first burst (9.50 deltas on average), and the gaps are
            those of the buffer, not of the model

    Failed requests
      errors: 429: 2, 5xx: 0, dropped connections: 1, timeouts: 0, violations: 4, retries: 0
           4  integrity V3-SSE-17, 1.32 %, first request 17 at 0.2 s
           2  shed 429, 0.66 %, first request 90 at 0.9 s
           1  truncated </script><script>window.pwned=1</script><img src=x onerror="window.pwned=1"> |
              \`x\` ]]> \\x1b[2J\\u202etxt, 0.33 %, first request 99 at 1 s

    Generator degraded
      reason: its timestamps were up to 3.1 ms late (p99)
      timestamp error p50 0.08, p99 3.10, max 4.40 ms; send delay p50 0.30, p99 2.20, max 6.00 ms;
      busiest event loop 42 %; 1865 events/s; 4911 per CPU second

    Audits
      pass      littles-law: In flight on average 50.10, rate times residence 49.60: 1.0 % apart.
      fail      conservation-transactions: 306 due = 305 started + 0 not sent.

    Notes
      DELETE /api/v3/chat: 503 (2 times)

    VIOLATED  1 of 3 SLOs met, 1 missed, 1 undecided; 0.66 % of requests refused (429); 303 streams and
              0 bodies judged, 1 requirement violated; 1 response truncated; goodput 95.71 % of 303 due
              requests; generator degraded
    "
  `)
})

test('--verbose adds definitions, machine and details of the run', () => {
  const brief = terminalOf(loadReportOf(), plain)
  const verbose = terminalOf(loadReportOf(), { ...plain, verbose: true })
  const added = verbose.split('\n').filter((line) => !brief.split('\n').includes(line))
  expect(added.join('\n')).toMatchInlineSnapshot(`
    "Latency of openai-stream, ms
    Definitions of the metrics
      ttft: until the first generated content: reasoning, text or tool arguments
      icl: gaps between reads with content (inter-chunk latency)
      tpot: time per output token after the first
      e2e: until the event that ends a complete response
    Machine and workers of the generator
      machine: 2 × A processor, linux x64, Node v24.0.0, load 0.50
      worker  requests  events  CPU, ms  loop  timestamp error p99, ms
           0       306    6060     1234  42 %                     3.10
    About this run
      started: 2026-01-02T03:04:05.000Z, for 3.3 s
      plan: 0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
      transactions: 306 of 306
      judged: 303 streams, 0 other bodies, 6060 events; 2 requirements passed in every response
      cross-talk: 0 of 303 responses contained text of another request
      duplicate ids: 0 of 303
      Idempotency-Key races executed twice: 0 of 0"
  `)
})

test('a report with several kinds of transactions has a row for each', () => {
  const { transactions } = loadReportOf()
  const report = loadReportOf({
    transactions: transactions.flatMap((row) => [row, { ...row, name: 'v3-chat' }]),
  })
  const [, table] =
    /Transactions of the whole run\n([\s\S]*?)\n\n/.exec(terminalOf(report, plain)) ?? []
  expect(table).toMatchInlineSnapshot(`
    "                 started  completed  failed  in flight
      openai-stream      306        296       7          3
      v3-chat            306        296       7          3"
  `)
})

test('partial and interrupted reports say so', () => {
  const report = loadReportOf({ partial: { of: 3, missing: [1] }, interrupted: true, slo: [] })
  expect(outcomeLine(loadDocument(report).outcome, plain)).toMatchInlineSnapshot(
    `"VIOLATED  built-in SLOs only; 0.66 % of requests refused (429); 303 streams and 0 bodies judged, 1 requirement violated; 1 response truncated; goodput 95.71 % of 303 due requests; generator degraded; partial: 1 of 3 shards missing (1)"`,
  )
  expect(terminalOf(report, plain)).toContain('interrupted: partial results')
})

test('other endpoints of the target are counted beside its URL', () => {
  const endpoints = ['A', 'B', 'C'].map((name) => ({ name, baseUrl: 'http://b' }))
  const report = loadReportOf()
  const target = { ...report.target, endpoints }
  const targetOf = (report: LoadReport) => /^target: .*$/m.exec(terminalOf(report, plain))?.[0]
  expect(targetOf(report)).not.toContain('endpoint')
  expect(targetOf({ ...report, target })).toContain(' and 2 more endpoints, ')
})

test.each([80, 60])('lines fit %s columns and never begin with a percent sign', (width) => {
  const lines = terminalOf(loadReportOf({ slo: [] }), { color: false, width }).split('\n')
  const table = / {2,}\d.* {2,}\d/
  expect(lines.filter((line) => line.length > width && !table.test(line))).toEqual([])
  expect(lines.filter((line) => /^\s*%/.test(line))).toEqual([])
})
