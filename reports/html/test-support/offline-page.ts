import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { expect } from 'vitest'

export interface OpenedPage {
  readonly page: Page
  /** Addresses beside that of the page, each of which was refused. */
  readonly requests: readonly string[]
  readonly complaints: readonly string[]
}

/** Opens a file, perhaps at a `#place` in it, in a browser that has no network. */
export async function openOffline(
  browser: Browser,
  file: string,
  options: Parameters<Browser['newContext']>[0] = {},
): Promise<OpenedPage> {
  const context = await browser.newContext({ offline: true, ...options })
  const page = await context.newPage()
  const [name = '', hash = ''] = file.split('#')
  const url = pathToFileURL(name).href
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
}

/** Checks the page with everything open, as what is closed is not looked at. */
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
