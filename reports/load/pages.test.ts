import { describe, expect, test } from 'vitest'
import { toHtml } from '../document/html.ts'
import { toJUnit } from '../document/junit.ts'
import { toGitHub } from '../document/markdown.ts'
import type { Chart } from '../html/markup.ts'
import { loadReportOf } from '../test-support/measurements.ts'
import { loadDocument } from './document.ts'
import type { LoadReport } from './model/report.ts'

const page = toHtml(loadDocument(loadReportOf()))

describe('the page of a load report', () => {
  test('contains no URL but that of the target', () => {
    // Browsers do not fetch the SVG namespace or the home page of uPlot.
    const addresses = page.match(/https?:\/\/[^\s"'<>)]+/g) ?? []
    const allowed = ['http://127.0.0.1:4010', 'https://github.com/leeoniya/uPlot']
    expect([...new Set(addresses)].filter((address) => !allowed.includes(address))).toEqual([])
    expect(page).not.toMatch(/<(link|img|iframe)[^>]+(href|src)="(?!data:)/)
  })

  test('is complete without scripts', () => {
    const text = page.replaceAll(/<(script|style)[\s\S]*?<\/\1>/g, '').replaceAll(/<[^>]+>/g, ' ')
    const sentences = [
      'ttft.p90 &lt; 500ms : 131 [128, 133] ms',
      'V3-SSE-17',
      'violated in 4 of 303, 1.32 %',
      'event 12, X-Request-Id chatgen-a-seed-17',
      'its timestamps were up to 3.1 ms late (p99)',
      '306 due = 305 started',
      'Requests per second as a table',
      '2 of 300 streams stalled for more than 500 ms',
    ]
    const plain = text.replaceAll(/\s+/g, ' ')
    for (const sentence of sentences) expect(plain).toContain(sentence)
  })

  test('names several reasons once, as HTML wants each term of a list', () => {
    const { generator } = loadReportOf()
    const reasons = ['one is late', 'two are late']
    const several = loadReportOf({ generator: { ...generator, reasons } })
    expect(toHtml(loadDocument(several))).toContain(
      '<dt>reason</dt><dd>one is late</dd><dd>two are late</dd>',
    )
  })

  test('passes the figures of the run to its script', () => {
    const charts = chartsIn(page)
    const rates = charts.find(({ id }) => id === 'rates')
    expect(rates?.series.find(({ name }) => name === 'offered')?.values).toEqual([98, 104, 104, 0])
    const distribution = charts.find(({ id }) => id === 'latency-distribution')
    expect(distribution?.x.values[0]).toBe(1)
    // Ten of 300 waited for a second; service time does not show it.
    const last = (name: string) =>
      distribution?.series.find((line) => line.name === name)?.values.findLast((ms) => ms !== null)
    expect(last('ttft response')).toBeGreaterThan(1000)
    expect(last('ttft service')).toBeLessThan(140)
  })

  test('grays the figures only if the generator was the bottleneck', () => {
    expect(
      toHtml(loadDocument(loadReportOf({ outcome: 'invalid' }))).match(/untrusted"/g),
    ).toHaveLength(5)
    expect(toHtml(loadDocument(loadReportOf({ outcome: 'missed' })))).not.toContain('untrusted"')
  })
})

function chartsIn(html: string): Omit<Chart, 'table' | 'note'>[] {
  const [, json = ''] =
    /<script type="application\/json" id="charts">(.*?)<\/script>/s.exec(html) ?? []
  return JSON.parse(json)
}

function junitOf(more: Parameters<typeof loadReportOf>[0] = {}): string {
  const report = loadReportOf(more)
  return toJUnit(loadDocument(report), report, report.integrity.held)
}

test('JUnit has a case for each SLO, requirement and audit, and the generator', () => {
  const cases = junitOf().matchAll(/<testcase name="([^"]*)"[^>]*?>(?:<(\w+)|)/g)
  expect([...cases].map(([, name, tag]) => `${name}: ${tag ?? 'passed'}`)).toMatchInlineSnapshot(`
    [
      "outcome: failure",
      "ttft.p90 &lt; 500ms: passed",
      "goodput &gt; 99%: failure",
      "errors &lt; 2%: failure",
      "V3-SSE-17: failure",
      "Generator: passed",
      "littles-law: passed",
      "conservation-transactions: failure",
      "OAI-STREAM-03: passed",
      "OAI-STREAM-04: passed",
    ]
  `)
  expect(junitOf()).toContain(
    '<failure type="missed" message="missed: goodput &gt; 99%: 95.7 [92.8, 97.7] %">',
  )
})

const { slo, generator, plan } = loadReportOf()

test.each([
  [
    'an interrupted run',
    {
      ...{ outcome: 'met' as const, interrupted: true },
      slo: slo.filter(({ verdict }) => verdict === 'met'),
    },
    '<error type="reservation" message="reservation: interrupted: partial results">',
  ],
  [
    'an internal error',
    { faults: ['TypeError: x\nat y'] },
    '<error type="internal error" message="TypeError: x">TypeError: x\nat y</error>',
  ],
  [
    'a generator that was the bottleneck',
    { generator: { ...generator, verdict: 'invalid' as const, reasons: ['timers came late'] } },
    '<failure type="invalid" message="invalid: timers came late">',
  ],
])('JUnit of %s fails', (_, more, xml) => {
  expect(junitOf(more)).toContain(xml)
})

test('GitHub annotations have the outcome and failed or undecided items', () => {
  expect(toGitHub(loadDocument(loadReportOf()))).toMatchInlineSnapshot(`
    "::error title=Load report::Violated: 1 of 3 SLOs met, 1 missed, 1 undecided; 0.66 %25 of requests refused (429); 303 streams and 0 bodies judged, 1 requirement violated; 1 response truncated; goodput 95.71 %25 of 303 due requests; generator degraded
    ::error title=missed::goodput > 99%25: 95.7 [92.8, 97.7] %25%0A290 of 303 due requests were good; 13 were not, 1 %25 may be. Missed at 99 %25 confidence.
    ::error title=undecided::errors < 2%25: 2.31 [0.93, 4.70] %25%0A7 of 303 due requests failed; 2 %25 may. 1200 more clean requests needed for a decision.
    ::error title=required::V3-SSE-17 violated in 4 of 303, 1.32 %25: The text of response.completed is all that the deltas said.%0Afound: </script><script>window.pwned=1</script><img src=x onerror="window.pwned=1"> | \`x\` ]]> \\x1b[2J\\u202etxt%0Afirst: request 17.0 at 0.2 s, v3.generate, event 12, X-Request-Id chatgen-a-seed-17
    ::error title=fail::conservation-transactions: 306 due = 305 started + 0 not sent.
    "
  `)
})

test('seconds of a load belong to its steps, if it has any', () => {
  const steps = [
    { perSecond: 100, forMs: 1000 },
    { perSecond: 200, forMs: 2000 },
    { perSecond: 300, forMs: 60_000 },
  ]
  const arrival = { kind: 'steps' as const, process: 'poisson' as const, steps }
  expect(stepsIn(loadReportOf({ plan: { ...plan, arrival } }))).toEqual([
    ['1', '0', '100', '98', '78.0', '0', '0', '52', '98.0', '131', '500', '1400'],
    ['2', '1.00', '200', '208', '84.0', '2', '5', '60', '99.0', '940', '500', '1400'],
    ['3', '3.00', '300', '0', '50.0', '0', '0', '0', ...Array(4).fill('n/a')],
  ])
  expect(stepsIn(loadReportOf())).toEqual([])
})

function stepsIn(report: LoadReport) {
  const blocks = loadDocument(report).sections.find(({ title }) => title === 'By step')?.blocks
  return blocks?.flatMap((block) => ('table' in block ? block.table.rows : []))
}
