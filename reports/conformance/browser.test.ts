import type { Locator, Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import type { ConformanceReport } from '../../contract/report/conformance.ts'
import { targetFixture } from '../../fixtures/files.ts'
import {
  conformanceIn,
  openStored,
  type StoredReport,
} from '../../harness/cli/results/stored-report.ts'
import { workplace } from '../../harness/cli/test-support/chatgen.ts'
import { compose, faults } from '../../reference-server/deviations/index.ts'
import { parsePace, startReferenceServer } from '../../reference-server/index.ts'
import { toHtml } from '../document/html.ts'
import { pagesInChromium, skipBrowser, testPage } from '../html/test-support/offline-page.ts'
import { conformanceDocument } from './document.ts'

/** The page in a real browser, made from a real run with violations of several kinds. */
describe.skipIf(skipBrowser)('the page of a check in Chromium', { timeout: 60_000 }, () => {
  const pages = pagesInChromium()
  const { open } = pages
  let run: StoredReport

  beforeAll(async () => {
    run = await faultyRun()
    pages.write('report.html', toHtml(conformanceDocument(run.report, run.exchanges)))
    const few = withFewRows(run.report)
    pages.write('few.html', toHtml(conformanceDocument(few, run.exchanges)))
  }, 300_000)

  testPage(pages, 'report.html', 'few.html')

  test('opens each requirement to its details', async () => {
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
      expect(text).toMatch(/Response: \d{3}/)
    }
  })

  test('collapses passed requirements by default', async () => {
    const { page } = await open('report.html')
    const passed = run.report.requirements.filter(({ verdict }) => verdict === 'pass').length
    const all = run.report.requirements.length
    expect(await visible(page)).toHaveLength(all - passed)
    const folded = await page.$$eval('.passes .count', (counts) =>
      counts.reduce((sum, { textContent }) => sum + Number(textContent), 0),
    )
    expect(folded).toBe(passed)
    await page.locator('.passes > summary').first().click()
    expect((await visible(page)).length).toBeGreaterThan(all - passed)
  })

  test('filters by verdict, surface, level and words, and keeps them in the URL', async () => {
    const { page } = await open('report.html')
    const { requirements } = run.report
    const hash = () => page.evaluate<string>('location.hash')

    await page.getByLabel('passed').uncheck()
    const others = requirements.filter(({ verdict }) => verdict !== 'pass')
    expect(await visible(page)).toHaveLength(others.length)
    expect(await hash()).not.toContain('pass,')
    expect(await hash()).toContain('verdict=fail,')
    await page.getByRole('button', { name: 'Reset' }).click()
    await expect.poll(hash).toBe('')

    await page.locator('select[name=surface]').selectOption('v2')
    await page.locator('select[name=level]').selectOption('expected')
    expect(await hash()).toBe('#surface=v2&level=expected')
    const expected = requirements.filter(
      (requirement) => requirement.surface === 'v2' && requirement.level === 'expected',
    )
    expect(await page.locator('.row:not([hidden])').count()).toBe(expected.length)
    await page.getByRole('button', { name: 'Reset' }).click()

    await page.getByLabel('Search').fill('v3-sse-07')
    expect(await visible(page)).toEqual(['V3-SSE-07'])
    expect(await hash()).toBe('#search=v3-sse-07')
    expect(await page.locator('#shown').textContent()).toBe(
      `1 of ${requirements.length} requirements`,
    )
    await page.getByLabel('Search').fill('no such words anywhere')
    expect(await page.getByText('No matching requirements.').isVisible()).toBe(true)
  })

  test('opens filtered by the URL, and links its totals to such URLs', async () => {
    const violated = run.report.requirements
      .filter(({ verdict }) => verdict === 'fail')
      .map(({ id }) => id)
    const { page } = await open('report.html#verdict=fail&level=required')
    expect((await visible(page)).toSorted()).toEqual(violated.toSorted())
    expect(await page.getByLabel('passed').isChecked()).toBe(false)
    const other = (await open('report.html')).page
    await other.locator('.numbers a', { hasText: 'violated' }).click()
    await expect.poll(async () => (await visible(other)).toSorted()).toEqual(violated.toSorted())
    await other.locator('.numbers a', { hasText: 'passed' }).click()
    const passed = run.report.requirements.filter(
      ({ verdict, level }) => verdict === 'pass' && level === 'required',
    )
    await expect.poll(() => visible(other)).toHaveLength(passed.length)
  })

  test('has keys for search, next, previous and the next violation', async () => {
    const { page } = await open('report.html')
    const focused = () =>
      page.evaluate<string | undefined>('document.activeElement.closest(".row")?.id')
    const rows = await visible(page)
    await page.keyboard.press('j')
    expect(await focused()).toBe(rows[0])
    await page.keyboard.press('j')
    expect(await focused()).toBe(rows[1])
    await page.keyboard.press('k')
    expect(await focused()).toBe(rows[0])
    const failures = await idsOf(page.locator('.row[data-verdict=fail]'))
    const visited = new Set<string | undefined>()
    for (const _ of failures) {
      await page.keyboard.press('n')
      visited.add(await focused())
    }
    expect([...visited].toSorted()).toEqual(failures.toSorted())
    await page.keyboard.press('/')
    expect(await page.evaluate('document.activeElement.name')).toBe('search')
    await page.keyboard.type('jkn')
    expect(await page.getByLabel('Search').inputValue()).toBe('jkn')
  })

  test('opens a requirement that the filters hide if a link leads to it', async () => {
    const { page } = await open('report.html')
    await page.locator('.chip', { hasText: 'violated' }).uncheck()
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

  test('can be used with the keyboard', async () => {
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
})

/** Ids of rows, in their order on the page. */
const idsOf = (rows: Locator) => rows.evaluateAll((all) => all.map(({ id }) => id))
const visible = (page: Page) => idsOf(page.locator('.row:visible'))

/** One violation of each kind: an event of a stream, a body, a wrong status, an expected requirement. */
const broken = [
  'openai.chat: object is lost',
  'openai.chat: temperature is read as at most 2',
  'openai.chat: earlier turns are not read',
  'openai.models: no key is needed',
  'stream-number-repeated-once',
]

/** A check of everything; the profile omits retrieval and has no video, for requirements of every verdict. */
async function faultyRun(): Promise<StoredReport> {
  const chosen = faults.filter(({ name }) => broken.includes(name))
  expect(chosen).toHaveLength(broken.length)
  const keys = ['sk-the-first-caller-0001', 'sk-the-second-caller-0002']
  const patch = compose(chosen.map((fault) => fault.patch))
  const server = await startReferenceServer({ patch, pace: parsePace('ttft=6ms,gap=1ms'), keys })
  const { text } = targetFixture()
  const profile = text.replace('video: true, ', 'video: false, ').replace(', rag: true', '')
  const env = { CHATGEN_API_KEY: keys[0] ?? '', CHATGEN_OTHER_KEY: keys[1] ?? '' }
  const { at, run } = workplace(env, { 'target.yaml': profile })
  const size = '--jobs 16 --depth quick --explore 0'
  await run(`check ${server.url} --target target.yaml ${size} --quiet --report json`)
  await server.close()
  return conformanceIn(openStored(at('chatgen-results')))
}

/** All violations and some requirements of every other verdict: axe is slow for many elements. */
function withFewRows(report: ConformanceReport): ConformanceReport {
  const byVerdict = Map.groupBy(report.requirements, ({ verdict }) => verdict)
  const few = [...byVerdict].flatMap(([verdict, requirements]) =>
    verdict === 'fail' || verdict === 'warn' ? requirements : requirements.slice(0, 2),
  )
  return { ...report, requirements: few, observations: report.observations.slice(0, 5) }
}
