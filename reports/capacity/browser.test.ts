import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { toHtml } from '../document/html.ts'
import { launchChromium, skipBrowser } from '../html/test-support/chromium.ts'
import { expectAccessible, openOffline } from '../html/test-support/offline-page.ts'
import { capacityDocument } from './document.ts'
import { capacityProbeOf, capacityReportOf } from './test-support/sketch.ts'

/** The page of a capacity report in a real browser. */
describe.skipIf(skipBrowser)('the page of a capacity report in Chromium', () => {
  const folder = mkdtempSync(join(tmpdir(), 'chatgen-capacity-html-'))
  const file = join(folder, 'report.html')
  let browser: Browser

  beforeAll(async () => {
    browser = await launchChromium()
    const { probes } = capacityReportOf()
    const hostile = capacityProbeOf({ index: 0, report: 'javascript:alert(1)' })
    const report = capacityReportOf({ probes: [hostile, ...probes] })
    writeFileSync(file, toHtml(capacityDocument(report)))
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
    expect(await page.locator('#margin .readout').textContent()).toContain('ttft.p95 < 1s')
  })

  test('links each probe to its own load report, and to nothing else', async () => {
    const { page } = await openOffline(browser, file)
    const links = await page
      .locator('main a')
      .evaluateAll((all) => all.map((link) => link.getAttribute('href')))
    expect(links).toEqual([1, 2, 3].map((index) => `probes/00${index}/report.json`))
  })
})
