import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { chatgen, emptyFolder } from '../test-support/chatgen.ts'
import { key, startModelsServer } from '../test-support/models-server.ts'

/** report and rejudge with the real CLI, of a run whose server is gone. */

const folder = emptyFolder()
const read = (file: string) => readFileSync(join(folder, file), 'utf8')

beforeAll(async () => {
  await using server = await startModelsServer({ open: true })
  const rows = ['--only', 'OAI-AUTH-*', '--only', 'OAI-MODELS-01', '--out', 'results']
  await chatgen(['check', server.url, ...rows], { CHATGEN_API_KEY: key }, folder)
  await using closed = await startModelsServer()
  const args = ['check', closed.url, ...rows.slice(0, -1), 'closed']
  await chatgen(args, { CHATGEN_API_KEY: key }, folder)
})

describe('chatgen report', () => {
  test('prints a stored report', async () => {
    const { stdout, code } = await chatgen(['report', 'results'], {}, folder)
    expect(code).toBe(0)
    expect(stdout).toMatch(/^VIOLATED/)
    expect(stdout).toMatch(/curl -i|bash results\/repeat\/x\d+\.sh/)
    const [script = ''] = readdirSync(join(folder, 'results/repeat'))
    expect(read(`results/repeat/${script}`)).toContain('curl -i')
  })

  test('writes any format beside the report, or elsewhere', async () => {
    const here = await chatgen(
      ['report', 'results/report.json', '--report', 'html,junit'],
      {},
      folder,
    )
    expect(here.stdout).toBe(
      `Wrote ${join('results', 'report.xml')}\nWrote ${join('results', 'report.html')}\n`,
    )
    expect(read('results/report.html')).toMatch(/^<!doctype html>/)
    await chatgen(['report', 'results', '--report', 'markdown', '--out', 'pages'], {}, folder)
    expect(readdirSync(join(folder, 'pages'))).toEqual(['report.md'])
  })

  test('prints what has a file if --out is -', async () => {
    const args = ['report', 'results', '--report', 'json', '--out', '-']
    const { stdout } = await chatgen(args, {}, folder)
    expect(stdout).toBe(read('results/report.json'))
  })

  test('renders several results into folders of their own', async () => {
    mkdirSync(join(folder, 'again'), { recursive: true })
    writeFileSync(join(folder, 'again/report.json'), read('results/report.json'))
    const args = ['report', 'results', 'again', '--report', 'badge', '--out', 'badges']
    expect((await chatgen(args, {}, folder)).code).toBe(0)
    expect(readdirSync(join(folder, 'badges')).toSorted()).toEqual(['again', 'results'])
  })
})

describe('chatgen rejudge', () => {
  test('gives the verdicts and the exit code of the run, with its server gone', async () => {
    const { code, stdout } = await chatgen(['rejudge', 'results'], {}, folder)
    expect(code).toBe(1)
    expect(stdout).toContain(`Results: ${join('results', 'rejudged')}`)
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
    const report = await chatgen(['report', 'cut'], {}, folder)
    expect(report.stderr).toContain('Run chatgen rejudge cut to make a report')
    const { stderr, stdout } = await chatgen(['rejudge', 'cut', '--out', 'mended'], {}, folder)
    expect(stderr).toContain('1 line cannot be read')
    expect(stdout).toMatch(/^undecided: [1-9]/m)
    expect((await chatgen(['report', 'mended', '--report', 'badge'], {}, folder)).code).toBe(0)
  })
})

describe('chatgen compare', () => {
  test('ends with 1 if a requirement is newly violated, and says that it is another target', async () => {
    const { code, stdout } = await chatgen(['compare', 'closed', 'results'], {}, folder)
    expect(stdout).toMatch(/OAI-AUTH-01 {2}[\w ]+ → violated \(required\): different target URL/)
    expect(stdout).toMatch(/^WORSE/m)
    expect(code).toBe(1)
  })

  test('prints JSON, and says what it cannot tell', async () => {
    const args = ['compare', 'again', 'closed/report.json', '--json']
    const { code, stdout } = await chatgen(args, {}, folder)
    expect(JSON.parse(stdout)).toMatchObject({
      kind: 'comparison',
      schemaVersion: 1,
      notes: [expect.stringContaining('again has no run.json and no exchanges.ndjson')],
    })
    expect(code).toBe(0)
  })
})
