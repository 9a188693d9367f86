import { beforeAll, describe, expect, test } from 'vitest'
import { toHtml } from '../document/html.ts'
import { pagesInChromium, skipBrowser, testPage } from '../html/test-support/offline-page.ts'
import { capacityDocument } from './document.ts'
import { capacityProbeOf, capacityReportOf } from './test-support/sketch.ts'

/** The page of a capacity report in a real browser. */
describe.skipIf(skipBrowser)('the page of a capacity report in Chromium', () => {
  const pages = pagesInChromium()

  beforeAll(() => {
    const { probes } = capacityReportOf()
    const hostile = capacityProbeOf({ index: 0, report: 'javascript:alert(1)' })
    const report = capacityReportOf({ probes: [hostile, ...probes] })
    pages.write('report.html', toHtml(capacityDocument(report)))
  })

  testPage(pages, 'report.html')

  test('draws the frontier, the margin and the time line', async () => {
    const { page } = await pages.open('report.html')
    for (const chart of ['frontier', 'margin', 'time-line']) {
      expect(await page.locator(`#${chart} canvas`).count()).toBe(1)
    }
    await page.locator('#margin .plot').focus()
    await page.keyboard.press('End')
    expect(await page.locator('#margin .readout').textContent()).toContain('ttft.p95 < 1s')
  })

  test('links each probe to its own load report, and to nothing else', async () => {
    const { page } = await pages.open('report.html')
    const links = await page
      .locator('main a')
      .evaluateAll((all) => all.map((link) => link.getAttribute('href')))
    expect(links).toEqual([1, 2, 3].map((index) => `probes/00${index}/report.json`))
  })
})
