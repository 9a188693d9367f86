import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { requirementIds, requirements } from '../../contract/index.ts'
import { conformanceDocument } from '../conformance/document.ts'
import { toHtml } from '../document/html.ts'
import { launchChromium, skipBrowser } from '../html/test-support/chromium.ts'
import { expectAccessible, openOffline } from '../html/test-support/offline-page.ts'
import { reportOf, resultOf } from '../test-support/reports.ts'
import { siteDocument } from './document.ts'
import type { Implementation } from './model.ts'

/** The site of ten implementations in a real browser. */
describe.skipIf(skipBrowser)('the site of implementations in Chromium', () => {
  const folder = mkdtempSync(join(tmpdir(), 'chatgen-site-'))
  let browser: Browser

  beforeAll(async () => {
    browser = await launchChromium()
    const implementations = Array.from({ length: 10 }, (_, at) => implementationOf(at))
    writeFileSync(join(folder, 'index.html'), toHtml(siteDocument(implementations)))
    for (const { page, report } of implementations) {
      if (page === null || report === null) continue
      mkdirSync(join(folder, page, '..'), { recursive: true })
      writeFileSync(join(folder, page), toHtml(conformanceDocument(report, new Map())))
    }
  })
  afterAll(async () => {
    await browser?.close()
    rmSync(folder, { recursive: true, force: true })
  })

  test('fetches nothing, complains about nothing and is accessible', async () => {
    const { page, requests, complaints } = await open('index.html')
    expect(requests).toEqual([])
    expect(complaints).toEqual([])
    await expectAccessible(page)
  }, 120_000)

  test('folds what all agree on, shows the differences and leads to their evidence', async () => {
    const { page } = await open('index.html')
    expect(await page.locator('.row:visible').count()).toBe(1)
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    const row = page.locator('details[id="OAI-CHAT-10"]')
    expect(await row.locator('dd a').count()).toBe(9)
    await row.locator('dd a', { hasText: 'warning' }).click()
    await page.waitForURL(/2\/report\.html#OAI-CHAT-10/)
    expect(await page.locator('[id="OAI-CHAT-10"]').getAttribute('open')).not.toBeNull()
  })

  test('fits a phone', async () => {
    const { page } = await open('index.html', { viewport: { width: 360, height: 640 } })
    const wide = await page.evaluate<number>('document.documentElement.scrollWidth')
    expect(wide).toBeLessThanOrEqual(360)
  })

  test('lists an unverified bundle with its reason, and what changed since the last version', async () => {
    const { page } = await open('index.html')
    const list = page.locator('section[aria-labelledby="implementations-title"]')
    expect(await list.locator('li').last().textContent()).toContain('the signature is wrong')
    const changes = page.locator('section[aria-labelledby^="changes-of"]')
    expect(await changes.textContent()).toMatch(/OAI-CHAT-10 passed, now warning/)
  })

  function open(file: string, options?: Parameters<Browser['newContext']>[0]) {
    return openOffline(browser, join(folder, file), options)
  }
})

/** The second one warns once; the last one does not verify. */
function implementationOf(at: number): Implementation {
  const unverified = at === 9 ? 'the signature is wrong' : null
  const ids = requirementIds.map((id) => {
    const { level, surface, title } = requirements[id]
    const isWarned = at === 1 && id === 'OAI-CHAT-10'
    return resultOf({ id, level, surface, title, verdict: isWarned ? 'warn' : 'pass' })
  })
  const observations = [
    { id: 'OPEN-01', question: 'Is it open?', answer: at % 2 ? 'yes' : 'no', exchanges: [] },
  ]
  const report = reportOf(ids, { outcome: 'conforms', observations })
  return {
    slug: String(at + 1),
    vendor: 'Example <AG>',
    name: at < 2 ? 'Chat' : `Chat ${at}`,
    version: `${at + 1}.0`,
    startedAt: `2026-01-${String(at + 1).padStart(2, '0')}T00:00:00.000Z`,
    unverified,
    report: unverified === null ? report : null,
    page: unverified === null ? `${at + 1}/report.html` : null,
  }
}
