import { describe, expect, test } from 'vitest'
import { toHtml } from '../document/html.ts'
import type { Chart } from '../html/charts/chart.ts'
import { loadDocument } from './document.ts'
import { evil, loadReportOf } from './test-support/sketch.ts'

const page = toHtml(loadDocument(loadReportOf()))

describe('the page of a load report', () => {
  test('names no address but that of the target', () => {
    // The name space of SVG and the home page of uPlot are no addresses that a browser asks.
    const addresses = page.match(/https?:\/\/[^\s"'<>)]+/g) ?? []
    const allowed = ['http://127.0.0.1:4010', 'https://github.com/leeoniya/uPlot']
    expect([...new Set(addresses)].filter((address) => !allowed.includes(address))).toEqual([])
    expect(page).not.toMatch(/<(link|img|iframe)[^>]+(href|src)="(?!data:)/)
  })

  test('says everything without a script', () => {
    const text = page.replaceAll(/<(script|style)[\s\S]*?<\/\1>/g, '').replaceAll(/<[^>]+>/g, ' ')
    const sentences = [
      'ttft.p90 &lt; 500ms : 131 [128, 133] ms',
      'V3-SSE-17',
      'violated in 4 of 303, 1.32 %',
      'event 12, X-Request-Id chatgen-a-seed-17',
      'its timestamps were up to 3.1 ms late (p99)',
      '306 planned = 305 dispatched',
      'Requests per second as a table',
      '2 of 300 streams stalled for more than 500 ms',
    ]
    const plain = text.replaceAll(/\s+/g, ' ')
    for (const sentence of sentences) expect(plain).toContain(sentence)
  })

  test('gives the script the figures of the run', () => {
    const charts = chartsIn(page)
    const rates = charts.find(({ id }) => id === 'rates')
    expect(rates?.series.find(({ name }) => name === 'offered')?.values).toEqual([98, 104, 104, 0])
    const distribution = charts.find(({ id }) => id === 'latency-distribution')
    expect(distribution?.x.values[0]).toBe(1)
    // Ten of 300 waited for a second; from service time that cannot be seen.
    const last = (name: string) =>
      distribution?.series.find((line) => line.name === name)?.values.findLast((ms) => ms !== null)
    expect(last('ttft response')).toBeGreaterThan(1000)
    expect(last('ttft service')).toBeLessThan(140)
  })

  test('grays the figures of a run whose generator was the bottleneck, and no others', () => {
    expect(
      toHtml(loadDocument(loadReportOf({ outcome: 'invalid' }))).match(/untrusted"/g),
    ).toHaveLength(5)
    expect(toHtml(loadDocument(loadReportOf({ outcome: 'missed' })))).not.toContain('untrusted"')
  })

  test('lets nothing that a target sent out of its element', () => {
    const hostile = toHtml(
      loadDocument(
        loadReportOf({ target: { baseUrl: evil, surfaces: [] }, notes: [evil], faults: [evil] }),
      ),
    )
    expect(hostile).not.toContain('<script>window')
    expect(hostile).not.toContain('<img')
    expect(hostile.match(/<script/g)).toHaveLength(2)
  })
})

function chartsIn(html: string): Omit<Chart, 'table' | 'note'>[] {
  const [, json = ''] =
    /<script type="application\/json" id="charts">(.*?)<\/script>/s.exec(html) ?? []
  return JSON.parse(json)
}
