import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'

/** Pages of the tests of a `describe`, in their own folder and browser. */
export function pagesInChromium() {
  const folder = mkdtempSync(join(tmpdir(), 'chatgen-page-'))
  let browser: Browser | undefined
  beforeAll(async () => {
    browser = await launchChromium()
  })
  afterAll(async () => {
    await browser?.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return {
    write(file: string, html: string): void {
      mkdirSync(dirname(join(folder, file)), { recursive: true })
      writeFileSync(join(folder, file), html)
    },
    /** Opens a file, perhaps at a `#place` in it, in a browser that has no network. */
    async open(file: string, options: Parameters<Browser['newContext']>[0] = {}) {
      if (browser === undefined) throw new Error('the browser is not there yet')
      const context = await browser.newContext({ offline: true, ...options })
      const page = await context.newPage()
      const [name = '', hash = ''] = file.split('#')
      const url = pathToFileURL(join(folder, name)).href
      /** Requested URLs other than that of the page, all refused. */
      const requests: string[] = []
      const complaints: string[] = []
      page.on('request', (request) => {
        const address = request.url().split('#')[0] ?? ''
        if (address !== url && !address.startsWith('data:')) requests.push(address)
      })
      page.on('console', (message) => complaints.push(message.text()))
      page.on('pageerror', (error) => complaints.push(error.message))
      await page.route(/^(?!file:|data:)/, (route) => route.abort())
      await page.goto(hash === '' ? url : `${url}#${hash}`)
      return { page, requests, complaints }
    },
  }
}

type Pages = ReturnType<typeof pagesInChromium>

/** Tests of every page; `few` is a smaller page, if axe would take long for the whole. */
export function testPage({ open }: Pages, file: string, few = file): void {
  test('fetches nothing and logs no errors', async () => {
    const { requests, complaints } = await open(file)
    expect(requests).toEqual([])
    expect(complaints).toEqual([])
  })

  test.each([
    ['light', 1200],
    ['dark', 1200],
    ['light', 360],
    ['dark', 360],
  ] as const)('has no accessibility violations in %s at %i px', async (colorScheme, width) => {
    const { page } = await open(few, { colorScheme, viewport: { width, height: 800 } })
    await expectAccessible(page)
  })
}

/** Checks the page with everything open, since axe ignores what is closed. */
export async function expectAccessible(page: Page): Promise<void> {
  await page.evaluate(`document.querySelectorAll('details').forEach((one) => { one.open = true })`)
  await page.evaluate(axeSource)
  const found = await page.evaluate<{ id: string; nodes: { html: string }[] }[]>(
    'axe.run(document, { preload: false }).then(({ violations }) => violations)',
  )
  expect(found.map(({ id, nodes }) => [id, nodes[0]?.html])).toEqual([])
  const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
  expect(overflow).toBeLessThanOrEqual(0)
}

const axeSource = readFileSync(
  createRequire(import.meta.url).resolve('axe-core/axe.min.js'),
  'utf8',
)

const path = process.env['CHROMIUM'] ?? '/usr/bin/chromium'

/** True only if set explicitly: a test that skips itself without a browser proves nothing. */
export const skipBrowser = process.env['CHATGEN_SKIP_BROWSER'] !== undefined

export function launchChromium(): Promise<Browser> {
  if (!existsSync(path)) {
    throw new Error(
      `the HTML report is tested in a real browser, and there is none at ${path}: install Chromium (Debian: apt-get install chromium), name another with CHROMIUM=/path/to/chromium, or leave these tests out with CHATGEN_SKIP_BROWSER=1`,
    )
  }
  return chromium.launch({
    executablePath: path,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
}
