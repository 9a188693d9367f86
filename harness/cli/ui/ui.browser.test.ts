import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import {
  expectAccessible,
  launchChromium,
  skipBrowser,
} from '../../../reports/html/test-support/offline-page.ts'
import { hostileLoad, hostileReport, hostileTexts } from '../../../reports/test-support/hostile.ts'
import { reportToJson } from '../../../reports/text/digest.ts'
import {
  chatgen,
  emptyFolder,
  expectEnd,
  type Line,
  reportIn,
  serving,
  start,
} from '../test-support/chatgen.ts'
import { key, withKey } from '../test-support/servers.ts'

const fault = 'v3.generate: a missing Idempotency-Key is accepted'
const broken = 'V3-IDEM-01'

/** The page in a real browser, served by the real program. */
describe.skipIf(skipBrowser)('chatgen ui in Chromium', { timeout: 240_000 }, () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launchChromium()
  }, 60_000)
  afterAll(() => browser?.close())

  test('reruns failed requirements, one of them, or a section', async () => {
    const red = await serve(['--fault', fault])
    const out = join(emptyFolder(), 'results')
    const line = `check ${red.url} --only V3-IDEM --out ${out} --quiet`
    expectEnd(await chatgen(line, withKey), 1)
    const { page } = await open(`ui ${red.url} --out ${out}`)
    const violations = page.locator('section[aria-labelledby="violated-title"] .items > li')
    await expect.poll(() => violations.count()).toBe(1)
    expect(await violations.textContent()).toContain(broken)
    await violations.getByText(`Evidence of ${broken}`).click()
    expect(await violations.locator('.exchange').first().textContent()).toMatch(
      /curl -i.*Response: 2/s,
    )
    await page.locator(`details[id="${broken}"] > summary`).click()
    await run(page, () => page.locator(`details[id="${broken}"] [data-run]`).click())
    expect(await page.locator('h1').textContent()).toContain('Violated')

    await red.stop()
    await serve(['--port', red.port])
    await run(page, () => page.getByRole('button', { name: /^Run what failed/ }).click())
    await expect.poll(() => violations.count()).toBe(0)
    expect(await page.locator(`details[id="${broken}"]`).getAttribute('data-verdict')).toBe('pass')
    // Results of two runs are not one verdict.
    expect(await page.locator('h1').textContent()).toContain('Incomplete')
    expect(verdicts(join(out, 'part-2'))).toEqual({ [broken]: 'pass' })
    expect(verdicts(out)[broken]).toBe('fail')

    await run(page, () => page.locator('h4 [data-run]').first().click())
    expect(Object.keys(verdicts(join(out, 'part-3'))).length).toBeGreaterThan(5)
  })

  test('shows a full run, stops it and keeps its results', async () => {
    const { url } = await serve(['--pace', 'ttft=300ms'])
    const out = join(emptyFolder(), 'results')
    const { page } = await open(`ui ${url} --profile v3 --out ${out}`)
    await page.getByText('has no results yet').waitFor()
    await page.getByRole('button', { name: 'Run everything' }).click()
    await expect.poll(() => page.locator('.state').textContent()).toMatch(/[1-9]\d*\/\d+ scenarios/)
    await page.getByText('not tested yet').first().waitFor({ state: 'attached' })
    const title = await page.locator('.section:has(.passes) > h4').first().textContent()
    const passes = page.locator('.section', { hasText: title ?? '' }).locator('.passes')
    await passes.locator('> summary').click()
    const before = await page.locator('.state').textContent()
    await expect.poll(() => page.locator('.state').textContent()).not.toBe(before)
    expect(await passes.getAttribute('open')).not.toBeNull()
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByText('No run under way').waitFor({ timeout: 120_000 })
    expect(reportIn(out).interrupted).toBe(true)
    expect(await page.locator('header').textContent()).toContain('interrupted')
  })

  test.each([
    ['light', 1200],
    ['dark', 1200],
    ['light', 390],
    ['dark', 390],
  ] as const)('has no accessibility violations in %s at %i px', async (colorScheme, width) => {
    const folder = stored(hostileReport('plain'))
    const other = stored(hostileReport('other'))
    const options = { colorScheme, viewport: { width, height: 844 }, bypassCSP: true }
    const line = `ui http://127.0.0.1:9 ${folder} ${other} --out ${folder}`
    const { page, url } = await open(line, options)
    await page.locator('.items li').first().waitFor()
    await expectAccessible(page)
    await page.goto(`${url}&a=1&b=2`)
    await page.getByText('Not worse').waitFor()
    await expectAccessible(page)
  })

  test('can be used with the keyboard', async () => {
    const folder = stored(hostileReport('plain'))
    const { page } = await open(`ui http://127.0.0.1:9 --out ${folder}`)
    await page.locator('.items li').first().waitFor()
    await page.keyboard.press('Tab')
    expect(await focused(page)).toBe('To the results')
    await page.keyboard.press('/')
    await page.keyboard.type('v3-sse-05')
    expect(await page.locator('.row:visible').count()).toBe(1)
    await page.keyboard.press('Escape')
    await page.locator('.skip').focus()
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    expect(await focused(page)).toBe('Run everything')
    await page.keyboard.press('Enter')
    // Nothing listens on this port: the page shows the message of check.
    expect(await page.locator('.controls [role=alert]').textContent()).toContain('127.0.0.1:9')
    expect(await focused(page)).toBe('Run everything')
  })

  test('executes nothing that a target sent', async () => {
    const text = Object.values(hostileTexts).join(' | ')
    const { report, exchanges } = hostileReport(text)
    const check = stored({ report, exchanges })
    const load = emptyFolder()
    writeFileSync(join(load, 'report.json'), reportToJson(hostileLoad(text)))
    const { page, url, complaints } = await open(`ui ${check} ${load}`)
    for (const query of ['', '&show=1', '&a=0&b=1']) {
      await page.goto(`${url}${query}`)
      await page.locator('main').waitFor()
      await page.evaluate(
        `document.querySelectorAll('details').forEach((one) => { one.open = true })`,
      )
      await page.evaluate(
        `document.querySelectorAll('main *').forEach((one) => one.dispatchEvent(new Event('click')))`,
      )
      expect(await page.evaluate('window.pwned')).toBeUndefined()
      expect(
        await page
          .locator('main :is(script, img, iframe, object, base, [onerror], [onload], [onclick])')
          .count(),
      ).toBe(0)
    }
    expect(complaints).toEqual([])
  })

  test('is inaccessible to a page of another origin', async () => {
    const out = stored(hostileReport('plain'))
    const { url } = await open(`ui http://127.0.0.1:9 --out ${out}`)
    const { origin, search } = new URL(url)
    const attacker = createServer((_, response) =>
      response.setHeader('content-type', 'text/html').end('<!doctype html><title>other</title>'),
    )
    await once(attacker.listen(0, '127.0.0.1'), 'listening')
    onTestFinished(() => void attacker.close())
    const { port } = attacker.address() as AddressInfo
    const page = await browser.newPage()
    onTestFinished(() => page.close())
    await page.goto(`http://127.0.0.1:${port}/`)
    // Even if it knows the token.
    const token = new URLSearchParams(search).get('token') ?? ''
    const answers = await page.evaluate<Record<string, string>>(attack(origin, token))
    expect([...new Set(Object.values(answers))]).toEqual(['blocked'])
    expect(Object.keys(answers)).toHaveLength(7)
    expect(existsSync(join(out, 'part-1'))).toBe(false)
    const view = await fetch(`${origin}/view${search}`)
    expect(await view.json()).toMatchObject({ isRunning: false })
    expect((await fetch(`${origin}/view`)).status).toBe(403)
    expect(
      (await fetch(`${origin}/view${search}`, { headers: { origin: 'http://a.example' } })).status,
    ).toBe(403)
  })

  test('shows a load run, and keeps the report if it is stopped', async () => {
    const { url } = await serve(['--pace', 'ttft=20ms,gap=2ms'])
    const out = join(emptyFolder(), 'results')
    const { page, running } = await open(`load ${url} --rate 10 --duration 120s --ui --out ${out}`)
    await page.locator('#rates canvas').waitFor()
    expect(await page.locator('h1').textContent()).toContain('Running')
    const generator = page.locator('section', {
      has: page.getByRole('heading', { name: 'Generator' }),
    })
    expect(await generator.textContent()).toMatch(/send delay p50/)
    await page.locator('#rates summary').click()
    const rows = () => page.locator('#rates tbody tr').count()
    const before = await rows()
    await expect.poll(rows, { timeout: 60_000 }).toBeGreaterThan(before)
    await page.getByRole('button', { name: 'Stop' }).click()
    expect((await running.ended).code).toBe(130)
    expect(await page.locator('header').textContent()).toContain('interrupted')
    expect(existsSync(join(out, 'report.json'))).toBe(true)
  })

  test('shows a capacity search, and keeps the report if it is stopped', async () => {
    const { url } = await serve()
    const out = join(emptyFolder(), 'results')
    const { page, running } = await open(`capacity ${url} --slo 'ttft.p95 < 1s' --ui --out ${out}`)
    await expect.poll(() => page.locator('.state').textContent()).toMatch(/probe/)
    await page.getByRole('button', { name: 'Stop' }).click()
    expect((await running.ended).code).toBe(130)
    expect(existsSync(join(out, 'report.json'))).toBe(true)
  })

  async function open(line: Line, options: Parameters<Browser['newContext']>[0] = {}) {
    const running = start(line, withKey)
    onTestFinished(() => void running.child.kill('SIGTERM'))
    // On standard error if a run uses standard output.
    const printed = () => /Page: (\S+)\n/.exec(running.soFar() + running.stderr.text)?.[1]
    await expect.poll(printed, { timeout: 60_000 }).toBeDefined()
    const url = printed() ?? ''
    const context = await browser.newContext(options)
    onTestFinished(() => context.close())
    const page = await context.newPage()
    const complaints: string[] = []
    page.on('console', (message) => complaints.push(message.text()))
    page.on('pageerror', (error) => complaints.push(error.message))
    await page.goto(url)
    return { page, url, running, complaints }
  }
})

async function serve(args: readonly string[] = []) {
  const { url, stop } = await serving(['--key', key, ...args])
  return { url, port: new URL(url).port, stop }
}

function stored({ report, exchanges }: ReturnType<typeof hostileReport>): string {
  const folder = emptyFolder()
  writeFileSync(join(folder, 'report.json'), reportToJson(report))
  expect(exchanges.size).toBeGreaterThan(0)
  return folder
}

function verdicts(folder: string): Record<string, string> {
  return Object.fromEntries(reportIn(folder).requirements.map(({ id, verdict }) => [id, verdict]))
}

/** Waits for the end of the run that a click starts. */
async function run(page: Page, click: () => Promise<void>): Promise<void> {
  const answer = page.waitForResponse((response) => response.url().endsWith('/run'))
  await click()
  expect((await answer).status()).toBe(202)
  const { origin, search } = new URL(page.url())
  const view = async () => (await fetch(`${origin}/view${search}`)).json()
  await expect.poll(view, { timeout: 120_000 }).toMatchObject({ isRunning: false })
  await page.getByText('No run under way').waitFor()
}

function focused(page: Page): Promise<string | null> {
  return page.evaluate('document.activeElement.textContent')
}

/** Script of a page that tries all kinds of access in the browser of the user. */
function attack(origin: string, token: string): string {
  return `(async () => {
  const [origin, token] = ${JSON.stringify([origin, token])}
  const blocked = () => 'blocked'
  const view = origin + '/view?token=' + token
  const run = { method: 'POST', body: '{"scope":"all"}' }
  const headers = { authorization: 'Bearer ' + token, 'content-type': 'application/json' }
  const element = (tag, src) => new Promise((resolve) => {
    const one = document.createElement(tag)
    one.src = src
    // A refused frame shows a page of the browser, of another origin; its content is not that of ours.
    one.onload = () => resolve(tag === 'iframe' && one.contentWindow.length === 0 ? 'blocked' : 'loaded')
    one.onerror = () => resolve('blocked')
    document.body.append(one)
  })
  const events = () => new Promise((resolve) => {
    const source = new EventSource(origin + '/events?token=' + token)
    source.onopen = () => resolve('open')
    source.onerror = () => resolve('blocked')
  })
  return {
    get: await fetch(view).then(({ type }) => type, blocked),
    opaque: await fetch(view, { mode: 'no-cors' }).then(({ type }) => type, blocked),
    simplePost: await fetch(origin + '/run?token=' + token, { ...run, mode: 'no-cors' }).then(({ type }) => type, blocked),
    post: await fetch(origin + '/run', { ...run, headers }).then(({ type }) => type, blocked),
    events: await events(),
    image: await element('img', view),
    frame: await element('iframe', origin + '/?token=' + token),
  }
})()`
}
