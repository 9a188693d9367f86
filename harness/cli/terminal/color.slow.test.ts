import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { chatgen, emptyFolder } from '../test-support/chatgen.ts'
import { key, startModelsServer } from '../test-support/models-server.ts'
import { startInTerminal } from '../test-support/terminal.ts'

/** Color settings: FORCE_COLOR, NO_COLOR, TERM and --no-color, in a pipe or not. */

const esc = '\u001b'
const folder = emptyFolder()
const withKey = { CHATGEN_API_KEY: key }
const only = ['--profile', 'openai', '--only', 'OAI-AUTH-0*']
let stdout: string

beforeAll(async () => {
  // A violation, because its message is from an assertion, which may be colored.
  await using server = await startModelsServer({ open: true })
  const env = { ...withKey, FORCE_COLOR: '1' }
  const run = await chatgen(['check', server.url, '--out', 'results', ...only], env, folder)
  expect(run.code).toBe(1)
  stdout = run.stdout
})

describe('in a pipe', () => {
  test('FORCE_COLOR=1 colors what is printed, and nothing that is stored', () => {
    expect(stdout).toContain(`${esc}[`)
    expect(readFileSync(join(folder, 'results', 'report.json'), 'utf8')).not.toMatch(/u001b/i)
  })

  test.each<[string, Record<string, string>, string[], boolean]>([
    ['nothing is colored', {}, [], false],
    ['FORCE_COLOR wins over NO_COLOR', { FORCE_COLOR: '1', NO_COLOR: '1' }, [], true],
    ['FORCE_COLOR=0 is a no', { FORCE_COLOR: '0' }, [], false],
    ['--no-color wins over FORCE_COLOR', { FORCE_COLOR: '1' }, ['--no-color'], false],
  ])('%s', async (_, env, args, colored) => {
    const run = await chatgen(['report', 'results', ...args], env, folder)
    expect(run.stdout).toContain('VIOLATED')
    expect(run.stdout.includes(esc)).toBe(colored)
  })
})

describe('on a terminal', () => {
  test.each<[string, Record<string, string>, boolean]>([
    ['there are colors', {}, true],
    ['NO_COLOR is obeyed', { NO_COLOR: '1' }, false],
    ['an empty NO_COLOR counts as none', { NO_COLOR: '' }, true],
    ['TERM=dumb has none', { TERM: 'dumb' }, false],
  ])('%s', async (_, env, colored) => {
    const run = startInTerminal(['report', 'results'], { env, cwd: folder })
    await run.ended
    expect(run.raw()).toContain('VIOLATED')
    expect(run.raw().includes(`${esc}[3`)).toBe(colored)
  })

  test('TERM=dumb has no spinner, nor anything else that moves the cursor', async () => {
    await using server = await startModelsServer({ delayMs: 50 })
    const env = { ...withKey, TERM: 'dumb' }
    const run = startInTerminal(['check', server.url, '--only', 'OAI-MODELS-01'], { env })
    await run.ended
    expect(run.raw()).toContain('CONFORMS')
    expect(run.raw()).not.toContain(esc)
  })
})
