import { describe, expect, test } from 'vitest'
import { conformanceDocument } from './conformance/document.ts'
import { toHtml } from './document/html.ts'
import { pagesInChromium, skipBrowser } from './html/test-support/offline-page.ts'
import { loadDocument } from './load/document.ts'
import { hostileLoad, hostileReport, hostileTexts } from './test-support/hostile.ts'
import { printable, withoutColors } from './text/escape.ts'

/** Pages with hostile texts of a target, in a real browser. */
describe.skipIf(skipBrowser)('a page with', () => {
  const pages = pagesInChromium()

  const texts = [
    ...Object.entries(hostileTexts).filter(([name]) => /the end of/.test(name)),
    ['everything', Object.values(hostileTexts).join(' | ')] as const,
  ]

  test.each(texts)('%s, of check', async (_, text) => {
    const { report, exchanges } = hostileReport(text)
    const page = await open(toHtml(conformanceDocument(report, exchanges)))
    await expectHarmless(page)
    const message = await page.page.locator('details[id="V3-SSE-05"] .message').textContent()
    expect(message).toBe(
      `found: ${withoutColors(text).split('\n').map(printable).join('\n').trim()}`,
    )
  })

  test.each(texts)('%s, of load', async (_, text) => {
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
