import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { simulatedReport } from '../../harness/plan/test-support/simulated-report.ts'
import { toHtml } from '../document/html.ts'
import { launchChromium, skipBrowser } from '../html/test-support/chromium.ts'
import { expectAccessible, openOffline } from '../html/test-support/offline-page.ts'
import { capacityDocument } from './document.ts'

/** The page of a capacity report in a real browser. */
describe.skipIf(skipBrowser)('the page of a capacity report in Chromium', () => {
  const folder = mkdtempSync(join(tmpdir(), 'chatgen-capacity-html-'))
  const file = join(folder, 'report.html')
  let browser: Browser

  beforeAll(async () => {
    browser = await launchChromium()
    const report = simulatedReport({ rates: [1, 2, 4, 5] })
    const probes = report.probes.map((probe, index) => ({
      ...probe,
      atMs: index * 60_000,
      verdict: index === 3 ? ('missed' as const) : ('met' as const),
      report: index === 0 ? 'javascript:alert(1)' : `probes/00${index}/report.json`,
      slo: [
        {
          expression: 'ttft.p95 < 400ms',
          verdict: index === 3 ? ('missed' as const) : ('met' as const),
          observed: 100 * (index + 1),
          limit: 400,
          unit: 'ms',
          margin: 0.1,
          over: 5 * index,
          requests: 200,
          allowed: 0.05,
          independent: 1,
        },
      ],
    }))
    const frontier = probes.map(({ rate, latencies, verdict }) => {
      const of = (metric: string) => latencies.find((row) => row.metric === metric)
      const pair = (metric: string) => ({
        p50: of(metric)?.p50 ?? null,
        p95: of(metric)?.p95 ?? null,
      })
      return {
        rate,
        clients: null,
        probes: 1,
        completed: rate,
        outputTokens: 80 * rate,
        concurrency: rate,
        ttft: pair('ttft'),
        tpot: pair('tpot'),
        e2e: pair('e2e'),
        verdict,
      }
    })
    writeFileSync(file, toHtml(capacityDocument({ ...report, probes, frontier })))
  })
  afterAll(async () => {
    await browser?.close()
    rmSync(folder, { recursive: true, force: true })
  })

  test('fetches nothing, complains about nothing and can be used by everybody', async () => {
    const { page, requests, complaints } = await openOffline(browser, file)
    expect(requests).toEqual([])
    expect(complaints).toEqual([])
    await expectAccessible(page)
  })

  test('draws the frontier, the margin and the time line', async () => {
    const { page } = await openOffline(browser, file)
    for (const chart of ['frontier', 'margin', 'time-line']) {
      expect(await page.locator(`#${chart} canvas`).count()).toBe(1)
    }
    await page.locator('#margin .plot').focus()
    await page.keyboard.press('End')
    expect(await page.locator('#margin .readout').textContent()).toContain('ttft.p95 < 400ms')
  })

  test('links each probe to its own load report, and to nothing else', async () => {
    const { page } = await openOffline(browser, file)
    const links = await page
      .locator('main a')
      .evaluateAll((all) => all.map((link) => link.getAttribute('href')))
    expect(links).toEqual([1, 2, 3].map((index) => `probes/00${index}/report.json`))
  })
})
