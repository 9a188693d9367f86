import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { capacityDocument } from '../capacity/document.ts'
import { toHtml } from '../document/html.ts'
import { pagesInChromium, skipBrowser, testPage } from '../html/test-support/offline-page.ts'
import { capacityProbeOf, capacityReportOf, loadReportOf } from '../test-support/measurements.ts'
import { loadDocument } from './document.ts'

/** The page of a load report in a real browser. */
describe.skipIf(skipBrowser)('the page of a load report in Chromium', () => {
  const pages = pagesInChromium()
  const { open } = pages

  beforeAll(() => pages.write('report.html', toHtml(loadDocument(loadReportOf()))))

  testPage(pages, 'report.html')

  test('draws all charts with their lines', async () => {
    const { page } = await open('report.html')
    const painted = await paintedPixels(page)
    expect(Object.keys(painted)).toEqual([
      'rates',
      'in-flight',
      'ttft-time',
      'e2e-time',
      'latency-distribution',
      'ttft-heat',
      'icl-time',
      'gaps-distribution',
    ])
    // Lines and cells have the colors of the page, which axes have not.
    for (const [chart, pixels] of Object.entries(painted))
      expect([chart, pixels > 100]).toEqual([chart, true])
  })

  test('draws the SLO as a line in the charts of its metric', async () => {
    const { page } = await open('report.html')
    const red = await redPixels(page)
    expect(red['ttft-time']).toBeGreaterThan(200)
    expect(red['ttft-heat']).toBeGreaterThan(200)
    expect(red['e2e-time']).toBe(0)
    expect(await page.locator('#ttft-time .found').textContent()).toContain(
      'Dashed line: SLO ttft.p90 < 500ms.',
    )
  })

  test('shades the time outside of the measured window', async () => {
    const { window } = loadReportOf()
    const late = loadReportOf({ window: { ...window, fromMs: 1000, toMs: 4000 } })
    pages.write('warm-up.html', toHtml(loadDocument(late)))
    const { page, complaints } = await open('warm-up.html')
    const shaded = await shadedPixels(page)
    expect(shaded['rates']).toBeGreaterThan(5_000)
    expect(shaded['ttft-heat']).toBeGreaterThan(5_000)
    expect(shaded['latency-distribution']).toBeLessThan(500)
    expect(await page.locator('#rates .found').textContent()).toContain(
      'Shaded, not measured: 0 to 1.00 s.',
    )
    expect(complaints).toEqual([])
  })

  test('draws only axes if all lines are off', async () => {
    const { page } = await open('report.html')
    const keys = page.locator('#rates .keys button')
    expect(await keys.count()).toBe(5)
    for (const key of await keys.all()) await key.click()
    expect(await keys.first().getAttribute('aria-pressed')).toBe('false')
    await expect.poll(async () => (await paintedPixels(page))['rates'], slow).toBe(0)
  })

  test('shows values with the arrow keys', async () => {
    const { page } = await open('report.html')
    await page.locator('#rates .plot').focus()
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ArrowRight')
    const readout = page.locator('#rates .readout')
    await expect
      .poll(() => readout.textContent(), slow)
      .toBe('1 s: offered 104, dispatched 104, completed 84, shed 2, failed 5')
    await page.locator('#ttft-heat .plot').focus()
    await page.keyboard.press('Home')
    await expect
      .poll(() => page.locator('#ttft-heat .readout').textContent(), slow)
      .toBe('0 s: 40 up to 100 ms, 30 up to 126 ms, 2 up to 159 ms')
  })

  test('has a table with the same figures beside each chart', async () => {
    const { page } = await open('report.html')
    for (const figure of await page.locator('figure.chart').all()) {
      await figure.locator('summary').click()
      expect(await figure.locator('tbody tr').count()).toBeGreaterThan(0)
    }
    const cells = page.locator('#rates tbody tr').nth(1).locator('th, td')
    expect(await cells.allTextContents()).toEqual(['1', '104', '104', '84', '2', '5'])
  })

  test('gives access to charts and tables with the keyboard', async () => {
    const { page } = await open('report.html')
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.className')).toBe('skip')
    await page.keyboard.press('Enter')
    const reached = new Set<string>()
    for (let tabs = 0; tabs < 120; tabs += 1) {
      await page.keyboard.press('Tab')
      const chart =
        'document.activeElement.matches(".plot") ? document.activeElement.parentElement.id : ""'
      reached.add(await page.evaluate<string>(chart))
    }
    expect(reached).toContain('rates')
    expect(reached).toContain('gaps-distribution')
  })

  test.each([
    [
      'nothing was measured',
      loadReportOf({
        metrics: [],
        series: [],
        heatMaps: [],
        stalls: null,
        transactions: [],
      }),
    ],
    ['one second was measured', loadReportOf({ series: loadReportOf().series.slice(0, 1) })],
  ])('logs no errors if %s', async (_, report) => {
    pages.write('sparse.html', toHtml(loadDocument(report)))
    const { complaints } = await open('sparse.html')
    expect(complaints).toEqual([])
  })
})

/** A busy machine draws slowly. */
const slow = { timeout: 10_000 }

/** Counts, by chart, the pixels that meet a condition on `red`, `green`, `blue` and `alpha`. */
function pixels(condition: string): (page: Page) => Promise<Record<string, number>> {
  return (page) =>
    page.evaluate(`Object.fromEntries([...document.querySelectorAll('figure.chart')].map((figure) => {
    const canvas = figure.querySelector('canvas')
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
    let number = 0
    for (let at = 0; at < data.length; at += 4) {
      const red = data[at], green = data[at + 1], blue = data[at + 2], alpha = data[at + 3]
      if (${condition}) number += 1
    }
    return [figure.id, number]
  }))`)
}

/** Axes, ticks and labels are grey. */
const paintedPixels = pixels(
  'alpha > 60 && Math.max(red, green, blue) - Math.min(red, green, blue) > 60',
)
const redPixels = pixels('alpha > 200 && red > 150 && green < 60 && blue < 60')
const shadedPixels = pixels('alpha > 20 && alpha < 60')

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

  test('links each probe only to its own load report', async () => {
    const { page } = await pages.open('report.html')
    const links = await page
      .locator('main a')
      .evaluateAll((all) => all.map((link) => link.getAttribute('href')))
    expect(links).toEqual([1, 2, 3].map((index) => `probes/00${index}/report.json`))
  })
})
