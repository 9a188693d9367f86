import { cpSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startReferenceServer } from '../../library/index.ts'
import { chatgen, emptyFolder } from '../test-support/chatgen.ts'
import {
  ctrlC,
  type InTerminal,
  printed,
  type ScreenLine,
  startInTerminal,
} from '../test-support/terminal.ts'

/**
 * Every command as its user sees it on a terminal, while it runs and after Ctrl-C: one spinner that is
 * drawn over itself, tables that fit, and no line that is wider than the terminal.
 */

const spinner = /[\u2801-\u28ff]/
const folder = emptyFolder()
const server = await startReferenceServer({ pace: 'ttft=300ms,gap=20ms' })
const env = { CHATGEN_API_KEY: server.keys[0] }
/** Forgets answers of idempotency keys. */
const broken = await startReferenceServer({
  keys: server.keys,
  faults: ['v3-idempotency-forgets-answers'],
})
afterAll(() => Promise.all([server.close(), broken.close()]))
beforeAll(async () => {
  const kept = '--profile openai --out kept --quiet --only OAI-MODELS-* --only OAI-AUTH-*'
  await chatgen(`check ${server.url} ${kept}`, env, folder)
})

interface Command {
  readonly line: string
  /** Output before Ctrl-C is pressed; commands without it end by themselves. */
  readonly until?: RegExp
  readonly code: number
  /** Maximum number of printed lines. */
  readonly maxLines?: number
}

/** Outcome twice, facts, a line for each other list, and the paths of the results. */
const frame = 30
const perViolation = 12

const commands: Readonly<Record<string, Command>> = {
  check: {
    line: 'check URL --profile openai --out checked',
    until: /[1-9]\d*\/\d+ scenarios/,
    code: 130,
  },
  load: {
    line: 'load URL --rate 5 --duration 60s --surface v3',
    until: /e2e p50 \d/,
    code: 130,
  },
  init: { line: 'init URL', until: /surfaces|models|reasoning/, code: 130 },
  bench: {
    line: 'bench --duration 1s --only *stream',
    until: /stream: 1 s.*generate stream: w/s,
    code: 130,
  },
  calibrate: {
    line: 'calibrate --duration 1s --out calibration.json',
    until: /rate 1 of/,
    code: 130,
  },
  serve: { line: 'serve --port 0', until: /Listening/, code: 0 },
  rejudge: { line: 'rejudge kept --out again', code: 5 },
  report: { line: 'report kept', code: 0 },
  cleanup: { line: 'cleanup kept/journal.ndjson --dry-run', code: 0 },
  'check that conforms': {
    line: 'check --reference --depth quick --only OAI-* --skip OAI-STREAM-11',
    code: 0,
    maxLines: frame,
  },
  'check that finds a violation': {
    line: 'check BROKEN --depth quick --only V3-IDEM-*',
    code: 1,
    maxLines: frame + perViolation,
  },
  'check that is undecided': {
    line: 'check URL --only OAI-MODELS-*',
    code: 5,
    maxLines: frame,
  },
  'check of nothing': { line: 'check http://127.0.0.1:1 --out none', code: 3, maxLines: 2 },
  'check --dry-run': { line: 'check URL --dry-run', code: 0 },
  'load --dry-run': { line: 'load URL --dry-run --rate 5', code: 0 },
}

test.each(Object.entries(commands))(
  'chatgen %s fits into 80 and 60 columns',
  async (_, command) => {
    await Promise.all([80, 60].map((columns) => expectLayout(command, columns)))
  },
)

async function expectLayout(
  { line, until, code, maxLines = 1_000 }: Command,
  columns: number,
): Promise<void> {
  const cwd = emptyFolder()
  cpSync(folder, cwd, { recursive: true })
  const given = line.replace('URL', server.url).replace('BROKEN', broken.url)
  const run = startInTerminal(given, { columns, env, cwd })
  if (until !== undefined) {
    await run.shows(until)
    expectFitting(await run.screen(), columns)
    await expectOneSpinner(run)
    run.press(ctrlC)
  }
  const ended = await run.ended
  const lines = await run.screen()
  expect(ended).toEqual({ code, signal: 0 })
  expectFitting(lines, columns)
  expect(logical(lines).length).toBeLessThanOrEqual(maxLines)
  for (const { text } of lines) expect(text).not.toMatch(spinner)
}

/** Lines as they were printed: one that is wider than the terminal takes several of its rows. */
function logical(rows: readonly ScreenLine[]): readonly string[] {
  return printed(rows).trimEnd().split('\n')
}

/** Commands for pasting may be wider, and so may a hash. */
function expectFitting(lines: readonly ScreenLine[], columns: number): void {
  const isPasted = (line: string) =>
    /^ *(CHAT=|curl|bash|-H|--data|chatgen init)|[0-9a-f]{40}/.test(line)
  const widest = logical(lines).filter((line) => line.length > columns && !isPasted(line))
  expect(widest).toEqual([])
}

/** A frame is written in several pieces, between which the screen shows none. */
async function expectOneSpinner(run: InTerminal): Promise<void> {
  const turning = async () => (await run.screen()).filter(({ text }) => spinner.test(text))
  const count = spinner.test(run.raw()) ? 1 : 0
  await expect.poll(async () => (await turning()).length).toBe(count)
}
