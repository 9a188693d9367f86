import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ConformanceReport } from '../../../contract/report/conformance.ts'
import { launchChromium, skipBrowser } from '../../html/test-support/chromium.ts'
import { expectAccessible, openOffline } from '../../html/test-support/offline-page.ts'
import { eventsOf, exchangeOf } from '../../test-support/exchanges.ts'
import { reportToHtml } from './report-to-html.ts'
import { type FaultyRun, faultyRun } from './test-support/faulty-run.ts'
import { reportOf, rowOf } from './test-support/sketches.ts'

/** The page in a real browser, made from a real run with violations of several kinds. */
describe.skipIf(skipBrowser)('the page in Chromium', { timeout: 60_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'chatgen-html-'))
  let browser: Browser
  let run: FaultyRun

  beforeAll(async () => {
    browser = await launchChromium()
    run = await faultyRun(folder)
    writeFileSync(join(folder, 'report.html'), reportToHtml(run.report, run.exchanges))
    writeFileSync(join(folder, 'few.html'), reportToHtml(withFewRows(run.report), run.exchanges))
  }, 120_000)
  afterAll(async () => {
    await browser?.close()
    rmSync(folder, { recursive: true, force: true })
  })

  test('fetches nothing and complains about nothing', async () => {
    const { requests, complaints } = await open('report.html')
    expect(requests).toEqual([])
    expect(complaints).toEqual([])
  })

  test('opens every row, to what is known about it', async () => {
    const { page } = await open('report.html')
    const opened = await page.$$eval('.row > summary', (summaries) =>
      summaries.map((summary) => {
        summary.click()
        const row = summary.closest('details')
        return [row?.id, row?.open, row?.querySelector('.opened')?.textContent !== '']
      }),
    )
    // By surface and section, so not in the order of the report.
    expect(opened.toSorted()).toEqual(
      run.report.requirements.map(({ id }) => [id, true, true]).toSorted(),
    )
    const violated = run.report.requirements.filter(({ verdict }) => verdict === 'fail')
    expect(violated.length).toBeGreaterThanOrEqual(3)
    for (const { id, message } of violated) {
      const text = await page.locator(`details[id="${id}"]`).textContent()
      expect(text).toContain(message ?? '')
      expect(text).toMatch(/curl -i/)
      expect(text).toMatch(/Received: \d{3}/)
    }
  })

  test('marks the event that breaks a row, in the list and in the picture', async () => {
    const { page } = await open('report.html#V3-SSE-07')
    const row = page.locator('details[id="V3-SSE-07"]')
    expect(await row.evaluate((element) => element.hasAttribute('open'))).toBe(true)
    expect(await row.locator('.offending').textContent()).toMatch(/here:.*response\./s)
    expect(await row.locator('.bad').count()).toBe(1)
  })

  test('filters by verdict, surface, level and words', async () => {
    const { page } = await open('report.html')
    const { requirements } = run.report
    const shown = () => page.locator('.row:visible').count()
    const all = requirements.length
    expect(await shown()).toBe(all)

    await page.getByLabel('pass').uncheck()
    expect(await shown()).toBe(all - requirements.filter((row) => row.verdict === 'pass').length)
    expect(await page.locator('.section:visible').count()).toBeLessThan(
      await page.locator('.section').count(),
    )
    await page.getByRole('button', { name: 'Reset' }).click()
    await expect.poll(shown).toBe(all)

    await page.locator('select[name=surface]').selectOption('v2')
    expect(await shown()).toBe(requirements.filter(({ surface }) => surface === 'v2').length)
    await page.locator('select[name=level]').selectOption('expected')
    expect(await shown()).toBe(
      requirements.filter(({ surface, level }) => surface === 'v2' && level === 'expected').length,
    )
    await page.getByRole('button', { name: 'Reset' }).click()

    await page.getByLabel('Search').fill('v3-sse-07')
    expect(
      await page.locator('.row:visible').evaluateAll((rows) => rows.map(({ id }) => id)),
    ).toEqual(['V3-SSE-07'])
    expect(await page.locator('#shown').textContent()).toBe(`1 of ${all} rows`)
    await page.getByLabel('Search').fill('no such words anywhere')
    expect(await page.getByText('No row fits.').isVisible()).toBe(true)
  })

  test('a link leads to a row that the filters hide', async () => {
    const { page } = await open('report.html')
    await page.getByLabel('fail').uncheck()
    await page.getByRole('link', { name: 'OAI-CHAT-03' }).first().click()
    await expect.poll(() => page.locator('details[id="OAI-CHAT-03"]').isVisible()).toBe(true)
    expect(await page.evaluate('document.activeElement.parentElement.id')).toBe('OAI-CHAT-03')
  })

  test('copies the command', async () => {
    const { page } = await open('report.html#OAI-CHAT-03')
    const row = page.locator('details[id="OAI-CHAT-03"]')
    await row
      .getByRole('button', { name: /Copy the command/ })
      .first()
      .click()
    await expect.poll(() => row.locator('.copy').first().textContent()).toMatch(/Copied|Selected/)
  })

  test('is used with the keyboard alone', async () => {
    const { page } = await open('report.html')
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.className')).toBe('skip')
    await page.keyboard.press('Enter')
    const focused = 'document.activeElement.closest("details.row")?.id'
    for (let tabs = 0; tabs < 30; tabs += 1) {
      await page.keyboard.press('Tab')
      if ((await page.evaluate(focused)) === run.report.requirements[0]?.id) break
    }
    await page.keyboard.press('Enter')
    expect(await page.evaluate('document.activeElement.parentElement.open')).toBe(true)
  })

  test.each([
    ['light', 1200],
    ['dark', 1200],
    ['light', 360],
    ['dark', 360],
  ] as const)('has no accessibility violation in %s, %i px wide', async (colorScheme, width) => {
    const { page } = await open('few.html', { colorScheme, viewport: { width, height: 800 } })
    await expectAccessible(page)
  })

  test('runs nothing that a target sent', async () => {
    const evil =
      '</code></script></style><script>window.pwned=1</script><img src=x onerror="window.pwned=1"><svg onload="window.pwned=1">" onclick="window.pwned=1" \u202etxt'
    const row = rowOf({ id: 'V3-SSE-07', verdict: 'fail', exchanges: ['x1', 'x2'], event: 0 })
    const exchanges = [
      exchangeOf({
        id: 'x1',
        headers: [['x-evil', evil]],
        body: evil,
        events: eventsOf([evil, { evil }]),
      }),
      exchangeOf({ id: 'x2', url: `http://127.0.0.1/${evil}`, answer: evil }),
    ]
    const report = reportOf([{ ...row, title: evil, message: evil, scenarios: [evil] }], {
      observations: [{ id: 'OPEN-01', question: evil, answer: evil, exchanges: [] }],
      target: { baseUrl: evil, profile: 'full', capabilities: {} },
    })
    const page = reportToHtml(report, new Map(exchanges.map((one) => [one.id, one])))
    writeFileSync(join(folder, 'evil.html'), page)
    const opened = await open('evil.html')
    await opened.page.getByRole('button', { name: 'Open all shown' }).click()
    expect(await opened.page.evaluate('window.pwned')).toBeUndefined()
    expect(await opened.page.locator('img, [onclick], [onload], [onerror]').count()).toBe(0)
    expect(await opened.page.locator('.message').textContent()).toContain('\\u202etxt')
    expect(opened.requests).toEqual([])
    expect(opened.complaints).toEqual([])
  })

  function open(file: string, options: Parameters<Browser['newContext']>[0] = {}) {
    return openOffline(browser, join(folder, file), options)
  }
})

/** All that is broken and some rows of every other verdict: axe takes its time for each element. */
function withFewRows(report: ConformanceReport): ConformanceReport {
  const byVerdict = Map.groupBy(report.requirements, ({ verdict }) => verdict)
  const few = [...byVerdict].flatMap(([verdict, rows]) =>
    verdict === 'fail' || verdict === 'warn' ? rows : rows.slice(0, 2),
  )
  return { ...report, requirements: few, observations: report.observations.slice(0, 5) }
}
