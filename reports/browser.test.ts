import { beforeAll, describe, expect, test } from 'vitest'
import { requirementIds } from '../contract/index.ts'
import { conformanceDocument } from './conformance/document.ts'
import { toHtml } from './document/html.ts'
import { pagesInChromium, skipBrowser, testPage } from './html/test-support/offline-page.ts'
import { loadDocument } from './load/document.ts'
import { type Implementation, siteDocument } from './site/document.ts'
import { hostileLoad, hostileReport, hostileTexts } from './test-support/hostile.ts'
import { reportOf, resultOf } from './test-support/reports.ts'
import { printable, withoutColors } from './text/escape.ts'

/** Pages with hostile texts of a target, in a real browser. */
describe.skipIf(skipBrowser)('a report page', () => {
  const pages = pagesInChromium()

  const texts = [
    ...Object.entries(hostileTexts).filter(([name]) => /the end of/.test(name)),
    ['everything', Object.values(hostileTexts).join(' | ')] as const,
  ]

  test.each(texts)('of check is harmless with %s', async (_, text) => {
    const { report, exchanges } = hostileReport(text)
    const page = await open(toHtml(conformanceDocument(report, exchanges)))
    await expectHarmless(page)
    const message = await page.page.locator('details[id="V3-SSE-05"] .message').textContent()
    expect(message).toBe(
      `found: ${withoutColors(text).split('\n').map(printable).join('\n').trim()}`,
    )
  })

  test.each(texts)('of load is harmless with %s', async (_, text) => {
    const page = await open(toHtml(loadDocument(hostileLoad(text))))
    await expectHarmless(page)
    const bodyText = await page.page.locator('body').textContent()
    expect(bodyText).toContain(text.split('\n').map(printable).join('\n'))
  })

  function open(html: string) {
    pages.write('report.html', html)
    return pages.open('report.html')
  }

  /** Expects no harm with everything open and clicked. */
  async function expectHarmless({ page, requests, complaints }: Awaited<ReturnType<typeof open>>) {
    await page.evaluate(
      `document.querySelectorAll('details').forEach((one) => { one.open = true })`,
    )
    await page.evaluate(
      `document.querySelectorAll('body *').forEach((one) => one.dispatchEvent(new Event('click')))`,
    )
    expect(await page.evaluate('window.pwned')).toBeUndefined()
    const foreign = `[...document.querySelectorAll('*')].filter((one) =>
      one.matches('img, iframe, object, embed, base, form:not(#filters), a:not([href^="#"])')
      || one.matches('script:not([id=charts]) ~ script, meta[http-equiv=refresh]')
      || [...one.attributes].some(({ name }) => name.startsWith('on'))).map((one) => one.outerHTML)`
    expect(await page.evaluate(foreign)).toEqual([])
    expect(requests).toEqual([])
    expect(complaints).toEqual([])
  }
})

/** The site of ten implementations in a real browser. */
describe.skipIf(skipBrowser)('the site of implementations in Chromium', () => {
  const pages = pagesInChromium()
  const { open } = pages

  beforeAll(() => {
    const implementations = Array.from({ length: 10 }, (_, at) => implementationOf(at))
    pages.write('index.html', toHtml(siteDocument(implementations)))
    // Axe is slow for many elements: the two of one product, and the unverified one.
    const few = [0, 1, 9].flatMap((at) => implementations[at] ?? [])
    pages.write('few.html', toHtml(siteDocument(few)))
    for (const { page, report } of implementations) {
      if (page === null || report === null) continue
      pages.write(page, toHtml(conformanceDocument(report, new Map())))
    }
  })

  testPage(pages, 'index.html', 'few.html')

  test('collapses common results, shows differences and links to their evidence', async () => {
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

  test('lists an unverified bundle with its reason', async () => {
    const { page } = await open('index.html')
    const list = page.locator('section[aria-labelledby="implementations-title"]')
    expect(await list.locator('li').last().textContent()).toContain('the signature is wrong')
  })
})

/** The second one warns once; the last one does not verify. */
function implementationOf(at: number): Implementation {
  const unverified = at === 9 ? 'the signature is wrong' : null
  const ids = requirementIds.map((id) =>
    resultOf({ id, verdict: at === 1 && id === 'OAI-CHAT-10' ? 'warn' : 'pass' }),
  )
  const observations = [
    { id: 'OPEN-01', question: 'Is it open?', answer: at % 2 ? 'yes' : 'no', exchanges: [] },
  ]
  const report = reportOf(ids, { outcome: 'conforms', observations })
  return {
    vendor: 'Example <AG>',
    name: at < 2 ? 'Chat' : `Chat ${at}`,
    version: `${at + 1}.0`,
    startedAt: `2026-01-${String(at + 1).padStart(2, '0')}T00:00:00.000Z`,
    unverified,
    report: unverified === null ? report : null,
    keyId: unverified === null ? 'sha256:4711' : null,
    page: unverified === null ? `${at + 1}/report.html` : null,
  }
}
