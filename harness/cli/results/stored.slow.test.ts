import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { chatgen, emptyFolder, expectEnd } from '../test-support/chatgen.ts'
import { startModelsServer, withKey } from '../test-support/servers.ts'

/** report and rejudge with the real CLI, of a run whose server is gone. */

const folder = emptyFolder()
const read = (file: string) => readFileSync(join(folder, file), 'utf8')
const run = (...args: readonly string[]) => chatgen(args, {}, folder)

beforeAll(async () => {
  await using server = await startModelsServer({ open: true })
  const rows = ['--only', 'OAI-AUTH-*', '--only', 'OAI-MODELS-01', '--out', 'results']
  await chatgen(['check', server.url, ...rows], withKey, folder)
  await using closed = await startModelsServer()
  const args = ['check', closed.url, ...rows.slice(0, -1), 'closed']
  await chatgen(args, withKey, folder)
})

describe('chatgen report', () => {
  test('prints a stored report', async () => {
    const out = [/^VIOLATED/, /curl -i|bash results\/repeat\/x\d+\.sh/]
    expectEnd(await run('report', 'results'), 0, { out })
    const [script = ''] = readdirSync(join(folder, 'results/repeat'))
    expect(read(`results/repeat/${script}`)).toContain('curl -i')
  })

  test('writes any format beside the report, or elsewhere', async () => {
    const here = await run('report', 'results/report.json', '--report', 'html,junit')
    expect(here.stdout).toBe(
      `Wrote ${join('results', 'report.xml')}\nWrote ${join('results', 'report.html')}\n`,
    )
    expect(read('results/report.html')).toMatch(/^<!doctype html>/)
    await run('report', 'results', '--report', 'markdown', '--out', 'pages')
    expect(readdirSync(join(folder, 'pages'))).toEqual(['report.md'])
  })

  test('prints what has a file if --out is -', async () => {
    const { stdout } = await run('report', 'results', '--report', 'json', '--out', '-')
    expect(stdout).toBe(read('results/report.json'))
  })

  test('renders several results into folders of their own', async () => {
    mkdirSync(join(folder, 'again'), { recursive: true })
    writeFileSync(join(folder, 'again/report.json'), read('results/report.json'))
    expectEnd(await run('report', 'results', 'again', '--report', 'badge', '--out', 'badges'), 0)
    expect(readdirSync(join(folder, 'badges')).toSorted()).toEqual(['again', 'results'])
  })
})

describe('chatgen rejudge', () => {
  test('gives the verdicts and the exit code of the run, with its server gone', async () => {
    expectEnd(await run('rejudge', 'results'), 1, { out: 'Results: results/rejudged' })
    const verdicts = (file: string) =>
      JSON.parse(read(file)).requirements.map(
        ({ id, verdict, message }: { id: string; verdict: string; message: string }) =>
          `${id} ${verdict} ${message}`,
      )
    expect(verdicts('results/rejudged/report.json')).toEqual(verdicts('results/report.json'))
  })

  test('makes a report of what a killed run has recorded', async () => {
    mkdirSync(join(folder, 'cut'), { recursive: true })
    writeFileSync(join(folder, 'cut/run.json'), read('results/run.json'))
    const whole = read('results/exchanges.ndjson')
    writeFileSync(join(folder, 'cut/exchanges.ndjson'), whole.slice(0, whole.length / 3))
    expectEnd(await run('report', 'cut'), 2, { err: 'Run chatgen rejudge cut to make a report' })
    const { stderr, stdout } = await run('rejudge', 'cut', '--out', 'mended')
    expect(stderr).toContain('1 line cannot be read')
    expect(stdout).toMatch(/^undecided: [1-9]/m)
    expectEnd(await run('report', 'mended', '--report', 'badge'), 0)
  })
})

describe('chatgen compare', () => {
  test('ends with 1 if a requirement is newly violated, and says that it is another target', async () => {
    const change = /OAI-AUTH-01 {2}[\w ]+ → violated \(required\): different target URL/
    expectEnd(await run('compare', 'closed', 'results'), 1, { out: [change, /^WORSE/m] })
  })

  test('prints JSON, and says what it cannot tell', async () => {
    const { code, stdout } = await run('compare', 'again', 'closed/report.json', '--json')
    expect(JSON.parse(stdout)).toMatchObject({
      kind: 'comparison',
      schemaVersion: 1,
      notes: [expect.stringContaining('again has no run.json and no exchanges.ndjson')],
    })
    expect(code).toBe(0)
  })
})

vi.setConfig({ testTimeout: 90_000 })

const blame = 'the target changed'

test('the target only if the runs had the same settings', async () => {
  const behavior = { open: false }
  await using server = await startModelsServer(behavior)
  const cwd = emptyFolder()
  const check = async (out: string, profile: string, ...args: readonly string[]) => {
    writeFileSync(join(cwd, `${out}.yaml`), `baseUrl: ${server.url}\n${profile}`)
    const only = ['--only', 'OAI-AUTH-01', '--only', 'V2-AUTH-02', ...args]
    await chatgen(['check', '--target', `${out}.yaml`, ...only, '--out', out], withKey, cwd)
  }
  const compare = (...args: readonly string[]) => chatgen(['compare', ...args], {}, cwd)
  await check('monday', 'v2Chat: { anyUuid: true }\n')
  await check('tuesday', 'limits: { settleMs: 1999 }\n')
  behavior.open = true
  await check('wednesday', 'limits: { settleMs: 1999 }\n', '--skip', 'V2-*')
  await check('thursday', 'limits: { settleMs: 1999 }\n')

  const profile = await compare('monday', 'tuesday')
  expect(profile.stdout).toMatch(
    /The runs had different settings\n {2}profile {4}limits\.settleMs, v2Chat \(only in A\)/,
  )
  expect(profile.stdout).toMatch(/V2-AUTH-02 .*: the profiles differ \(v2Chat\)/)
  expect(profile.stdout).not.toContain(blame)

  const selection = await compare('tuesday', 'wednesday')
  expect(selection.stdout).toMatch(/ {2}selection {2}--only OAI-AUTH-01 .* → .* --skip V2-\*/)
  expect(selection.stdout).toMatch(/V2-AUTH-02 .*: the selections differ/)
  expect(selection.stdout).toMatch(/OAI-AUTH-01 .* → violated \(required\): the target changed/)

  const same = await compare('tuesday', 'thursday', '--json')
  const { newlyViolated, conditions } = JSON.parse(same.stdout)
  expect(newlyViolated).toMatchObject([{ id: 'OAI-AUTH-01', cause: 'target', members: [] }])
  expect(conditions).toMatchObject({ url: null, kit: null, selection: null, profile: [] })
  expect(same.code).toBe(1)
})

test('two load runs are compared as such', async () => {
  await using server = await startModelsServer()
  const cwd = emptyFolder()
  const load = ['--rate', '20', '--duration', '500ms', '--out', 'loaded']
  await chatgen(['load', server.url, ...load], withKey, cwd)
  const { code, stdout } = await chatgen(['compare', 'loaded', 'loaded', '--json'], {}, cwd)
  expect(JSON.parse(stdout)).toMatchObject({ kind: 'load-comparison', design: 'separate' })
  expect([0, 5, 6]).toContain(code)
})
