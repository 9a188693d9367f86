import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { conformanceReport } from '../../../contract/report/conformance.ts'
import { headLine } from '../../conformance/cleanup/journal.ts'
import { emptyFolder } from '../test-support/chatgen.ts'
import { key, startModelsServer } from '../test-support/models-server.ts'
import { pressUntil } from '../test-support/second-press.ts'
import {
  bin,
  ctrlC,
  type InTerminal,
  inTerminal,
  startInTerminal,
} from '../test-support/terminal.ts'

/**
 * Ctrl-C as a keyboard sends it, on a pseudo-terminal with a size, if a spinner turns. The targets
 * answer who is there and then nothing more, so no command would come to its end for a minute.
 */

const env = { CHATGEN_API_KEY: key }
const spinner = /[\u2801-\u28ff]/
const surfaces = 3

/** A target that has gone silent, and the moment from which on it is waited for. */
async function silentTarget(requestCount: number) {
  const waits = Promise.withResolvers<void>()
  const server = await startModelsServer({
    silentAfter: requestCount,
    onRequest: (count) => count > requestCount && waits.resolve(),
  })
  return { server, waits: waits.promise }
}

async function endedByKeyboard(run: InTerminal): Promise<{ code: number; ms: number }> {
  const before = performance.now()
  run.press(ctrlC)
  const { code, signal } = await run.ended
  expect(signal).toBeFalsy()
  return { code, ms: performance.now() - before }
}

/** Grace period for a silent target when chats may have been created: `docs/reports.md`. */
const graceMs = 2000
/** A machine that runs the other tests as well; no run would end by itself before this. */
const slack = 15_000

/** Need no profile, so that nothing is found out first. */
const rows = ['--only', 'OAI-CHAT-*', '--only', 'V3-CHAT-*']

describe('Ctrl-C on a terminal', () => {
  test('ends chatgen check, with a report', async () => {
    const { server, waits } = await silentTarget(surfaces)
    await using _ = server
    const cwd = emptyFolder()
    const run = startInTerminal(
      ['check', ...profileOf(server.url, cwd), ...rows, '--out', 'results'],
      { env, cwd },
    )
    await Promise.all([waits, run.shows(spinner)])
    const { code, ms } = await endedByKeyboard(run)
    expect(code).toBe(130)
    expect(ms).toBeLessThan(graceMs + slack)
    const stored = readFileSync(join(cwd, 'results', 'report.json'), 'utf8')
    expect(conformanceReport.parse(JSON.parse(stored)).interrupted).toBe(true)
    expect(await text(run)).toContain('interrupted: partial results')
    await expectTidy(run)
  })

  test('leaves no frame of a spinner that fills the line, after which ^C is echoed', async () => {
    const { server, waits } = await silentTarget(surfaces)
    await using _ = server
    // As many columns as the spinner and "starting" need, with the last one left free.
    const options = { env, cwd: emptyFolder(), columns: 11 }
    const run = startInTerminal(
      ['check', ...profileOf(server.url, options.cwd), ...rows, '--out', 'results'],
      options,
    )
    await Promise.all([waits, run.shows(/[\u2801-\u28ff][^\r\n]*sta/)])
    run.press(ctrlC)
    await run.ended
    expect(run.raw()).toContain('^C')
    for (const { text } of await run.screen()) expect(text).not.toMatch(spinner)
  })

  test('ends chatgen load, with a report', async () => {
    const { server, waits } = await silentTarget(2)
    await using _ = server
    const cwd = emptyFolder()
    const args = ['load', server.url, '--rate', '2', '--duration', '60s', '--surface', 'openai']
    const run = startInTerminal(args, { env, cwd })
    await Promise.all([waits, run.shows(spinner)])
    const { code, ms } = await endedByKeyboard(run)
    expect(code).toBe(130)
    expect(ms).toBeLessThan(graceMs + slack)
    expect(existsSync(join(cwd, 'chatgen-results', 'report.json'))).toBe(true)
    await expectTidy(run)
  })

  test.each([0, surfaces])('ends chatgen init after %i requests', async (requestCount) => {
    const { server, waits } = await silentTarget(requestCount)
    await using _ = server
    const cwd = emptyFolder()
    const run = startInTerminal(['init', server.url], { env, cwd })
    await Promise.all([waits, run.shows(spinner)])
    const { code, ms } = await endedByKeyboard(run)
    expect(code).toBe(130)
    expect(ms).toBeLessThan(graceMs + slack)
    expect(await text(run)).toContain('chatgen: interrupted')
    expect(existsSync(join(cwd, 'target.yaml'))).toBe(false)
    await expectTidy(run)
  })

  test('ends chatgen cleanup', async () => {
    const { server, waits } = await silentTarget(0)
    await using _ = server
    const cwd = emptyFolder()
    writeFileSync(join(cwd, 'journal.ndjson'), journalOf(server.url))
    const run = startInTerminal(['cleanup', 'journal.ndjson'], { env, cwd })
    await waits
    const { code, ms } = await endedByKeyboard(run)
    expect(code).toBe(130)
    expect(ms).toBeLessThan(graceMs + slack)
  })

  test('ends chatgen serve, as somebody is meant to end it', async () => {
    const run = startInTerminal(['serve', '--port', '0'])
    await run.shows(/Listening on/)
    const { code, ms } = await endedByKeyboard(run)
    expect(code).toBe(0)
    expect(ms).toBeLessThan(slack)
  })

  test('pressed twice, ends chatgen check at once', async () => {
    const { server, waits } = await silentTarget(surfaces)
    await using _ = server
    const cwd = emptyFolder()
    const run = startInTerminal(['check', ...profileOf(server.url, cwd), ...rows], { env, cwd })
    await Promise.all([waits, run.shows(spinner)])
    await pressedTwice(run)
    await expectTidy(run)
  })

  test('leaves a terminal as it was, where the run was killed', async () => {
    const { server, waits } = await silentTarget(surfaces)
    await using _ = server
    const script = `(echo pid=$(exec sh -c 'echo $PPID'); exec "$@"); stty -a`
    const run = inTerminal(
      ['sh', '-c', script, 'sh', process.execPath, bin, 'check', server.url, ...rows],
      {
        columns: 80,
        rows: 24,
        env,
        cwd: emptyFolder(),
      },
    )
    await Promise.all([waits, run.shows(spinner)])
    process.kill(Number(/pid=(\d+)/.exec(run.raw())?.[1]), 'SIGKILL')
    await run.ended
    const settings = (await text(run)).replaceAll('\n', ' ')
    for (const word of ['isig', 'icanon', 'echo']) expect(settings).toMatch(` ${word} `)
  })
})

/** One press is one signal here; a second one within half a second would be taken for the same. */
async function pressedTwice(run: InTerminal): Promise<void> {
  run.press(ctrlC)
  await pressUntil(run.ended, () => run.press(ctrlC))
  const { code, signal } = await run.ended
  expect({ code, signal }).toEqual({ code: 0, signal: constants.signals.SIGINT })
}

/** The cursor is not left hidden, and nothing is left of the spinner. */
async function expectTidy(run: InTerminal): Promise<void> {
  const raw = run.raw()
  expect(raw.lastIndexOf('\u001b[?25h')).toBeGreaterThanOrEqual(raw.lastIndexOf('\u001b[?25l'))
  expect(await text(run)).not.toMatch(spinner)
}

async function text(run: InTerminal): Promise<string> {
  const lines = await run.screen()
  return lines.map(({ text, wraps }) => (wraps ? text : `${text}\n`)).join('')
}

/** Journal of a run that has made a chat and was killed. */
function journalOf(baseUrl: string): string {
  const head = { kit: '0.1.0', tag: 'chatgen-5eed', seed: '5eed', baseUrl }
  const name = 'Lost chatgen-5eed'
  return `${headLine(head, String)}${JSON.stringify({ event: 'create', kind: 'chat', name, scenario: 's' })}\n`
}

/** A profile, so that no discovery stands before the scenarios. */
function profileOf(baseUrl: string, folder: string): readonly string[] {
  writeFileSync(join(folder, 'target.yaml'), `baseUrl: ${baseUrl}\n`)
  return ['--target', 'target.yaml']
}
