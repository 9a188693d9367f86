import { existsSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { bin, wordsOf, workplace } from '../test-support/chatgen.ts'
import { journalOf } from '../test-support/journals.ts'
import { startModelsServer, withKey } from '../test-support/servers.ts'
import {
  ctrlC,
  type InTerminal,
  inTerminal,
  printed,
  startInTerminal,
} from '../test-support/terminal.ts'

/**
 * Ctrl-C as a keyboard sends it, on a pseudo-terminal with a size, while a spinner turns. The targets
 * answer only the detection, so no command would end by itself within a minute.
 */

const spinner = /[\u2801-\u28ff]/
const surfaces = 3

/** Grace period for a silent target when chats may have been created: `docs/reports.md`. */
const graceMs = 2000
/** Time for a machine that also runs the other tests; no run would end by itself before this. */
const slackMs = 15_000

/** A check without discovery: its requirements need no other fields of the profile. */
const check = 'check --target profile.yaml --only OAI-CHAT-* --only V3-CHAT-*'

/** A command on a terminal, once its target has gone silent after `answered` requests. */
async function silenced(
  line: string,
  answered: number,
  { columns = 80, shows = spinner, begin = startInTerminal } = {},
) {
  const waits = Promise.withResolvers<void>()
  const server = await startModelsServer({
    silentAfter: answered,
    onRequest: (count) => count > answered && waits.resolve(),
  })
  const files = {
    'profile.yaml': `baseUrl: ${server.url}\n`,
    'journal.ndjson': journalOf(server.url),
  }
  const place = workplace({}, files)
  const given = line.replace('URL', server.url)
  const run = begin(given, { env: withKey, cwd: place.folder, columns })
  await Promise.all([waits.promise, run.shows(shows)])
  return { ...place, run, [Symbol.asyncDispose]: server[Symbol.asyncDispose] }
}

describe('Ctrl-C on a terminal', () => {
  test.each([
    { line: `${check} --out results`, answered: surfaces, says: 'partial results' },
    { line: check, answered: 0, says: 'chatgen: interrupted before the first scenario' },
    { line: 'load URL --rate 5', answered: 0, says: 'chatgen: interrupted', shows: /^/ },
    { line: 'load URL --rate 2 --surface openai --out results', answered: 2, says: '' },
    { line: 'init URL', answered: 0, says: 'chatgen: interrupted' },
    { line: 'init URL', answered: surfaces, says: 'chatgen: interrupted' },
    { line: 'cleanup journal.ndjson', answered: 0, says: '', shows: /1 chat to delete/ },
  ])('ends chatgen $line after $answered requests', async ({ line, answered, says, shows }) => {
    await using silent = await silenced(line, answered, shows && { shows })
    const { run, at, report } = silent
    const before = performance.now()
    run.press(ctrlC)
    expect(await run.ended).toEqual({ code: 130, signal: 0 })
    expect(performance.now() - before).toBeLessThan(graceMs + slackMs)
    expect(await text(run)).toContain(says)
    await expectTidy(run)
    const hasResults = line.endsWith('results')
    expect(existsSync(at('results/report.json'))).toBe(hasResults)
    if (hasResults && line.startsWith('check')) {
      const { requirements, ...found } = report('results')
      expect(found).toMatchObject({ interrupted: true, outcome: 'incomplete', faults: [] })
      const undecided = requirements.filter(({ verdict }) => verdict !== 'pass')
      expect(undecided).not.toEqual([])
      for (const { message } of undecided) expect(message).toContain('interrupted')
    }
    for (const name of ['target.yaml', 'chatgen-results']) expect(existsSync(at(name))).toBe(false)
  })

  test('leaves no frame of a spinner that fills the line, after which ^C is echoed', async () => {
    // As many columns as the spinner and "starting" need, with the last one left free.
    const narrow = { columns: 11, shows: /[\u2801-\u28ff][^\r\n]*sta/ }
    await using silent = await silenced(check, surfaces, narrow)
    const { run } = silent
    run.press(ctrlC)
    await run.ended
    expect(run.raw()).toContain('^C')
    for (const { text } of await run.screen()) expect(text).not.toMatch(spinner)
  })

  test('leaves a terminal as it was, if the run was killed', async () => {
    const script = `(echo pid=$(exec sh -c 'echo $PPID'); exec "$@"); stty -a`
    // Processes that it leaves keep the terminal open until their request times out.
    await using silent = await silenced(`${check} --timeout 10000`, surfaces, {
      begin: (line, { columns = 80, env = {}, cwd = '' } = {}) => {
        const shell = ['sh', '-c', script, 'sh', process.execPath, bin, ...wordsOf(line)]
        return inTerminal(shell, { columns, env, cwd })
      },
    })
    const { run } = silent
    process.kill(Number(/pid=(\d+)/.exec(run.raw())?.[1]), 'SIGKILL')
    await run.ended
    const settings = (await text(run)).replaceAll('\n', ' ')
    for (const word of ['isig', 'icanon', 'echo']) expect(settings).toMatch(` ${word} `)
  })
})

/** Expects a visible cursor, and nothing left of the spinner. */
async function expectTidy(run: InTerminal): Promise<void> {
  const raw = run.raw()
  expect(raw.lastIndexOf('\u001b[?25h')).toBeGreaterThanOrEqual(raw.lastIndexOf('\u001b[?25l'))
  expect(await text(run)).not.toMatch(spinner)
}

async function text(run: InTerminal): Promise<string> {
  return printed(await run.screen())
}
