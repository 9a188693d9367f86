import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { conformanceReport } from '../../../contract/report/conformance.ts'
import { chatgen, emptyFolder } from '../test-support/chatgen.ts'
import { key, startModelsServer } from '../test-support/models-server.ts'

/** The baseline by the real bin, against a server that looks at no key. */

const rows = ['--only', 'OAI-AUTH-01', '--only', 'OAI-MODELS-01']

async function check(baseline: string | null, ...more: readonly string[]) {
  const folder = emptyFolder()
  if (baseline !== null) writeFileSync(join(folder, 'known.yaml'), baseline)
  await using server = await startModelsServer({ open: true })
  const args = ['check', server.url, ...rows, '--baseline', 'known.yaml', ...more]
  const { code, stdout, stderr } = await chatgen(args, { CHATGEN_API_KEY: key }, folder)
  const file = () => readFileSync(join(folder, 'known.yaml'), 'utf8')
  return { code, stdout, stderr, file, requests: server.requests }
}

describe('chatgen check --baseline ends with', () => {
  test('0 where it names all that is violated', async () => {
    const { code, stdout } = await check('OAI-AUTH-01: { because: the gateway is open }', '--json')
    const report = conformanceReport.parse(JSON.parse(stdout))
    expect(report.requirements.map(({ id, known }) => [id, known])).toEqual([
      ['OAI-AUTH-01', true],
      ['OAI-MODELS-01', false],
    ])
    expect([report.outcome, report.totals.known]).toEqual(['conforms', 1])
    expect(code).toBe(0)
  })

  test('1 for an entry for another failure of the requirement', async () => {
    const entry = 'OAI-AUTH-01: { because: x, fingerprint: v2-0123456789abcdef }'
    const { code, stdout } = await check(entry)
    expect(stdout).toMatch(/^VIOLATED/)
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain('fails differently')
    expect(code).toBe(1)
  })
})

test('--update-baseline writes drafts, and the run that follows their completion ends with 0', async () => {
  const first = await check(null, '--update-baseline', '--quiet')
  expect(first.code).toBe(1)
  expect(first.stdout).toContain('added (set "because" where it is TO BE WRITTEN): OAI-AUTH-01')
  expect(first.file()).toMatch(/OAI-AUTH-01:\n {2}because: TO BE WRITTEN\n {2}fingerprint: v2-/)

  const written = first.file().replace('TO BE WRITTEN', 'the gateway is open')
  const second = await check(written, '--seed', 'another', '--quiet')
  expect([second.code, second.stderr]).toEqual([0, ''])

  const third = await check(written, '--update-baseline', '--quiet')
  expect(third.stdout).toContain('is up to date')
  expect([third.code, third.file()]).toEqual([0, written])
})

describe('a run that is over', () => {
  const folder = emptyFolder()
  beforeAll(async () => {
    await using server = await startModelsServer({ open: true })
    const env = { CHATGEN_API_KEY: key }
    await chatgen(['check', server.url, ...rows, '--out', 'results'], env, folder)
    writeFileSync(join(folder, 'known.yaml'), 'OAI-AUTH-01: { because: the gateway is open }')
    writeFileSync(join(folder, 'wrong.yaml'), 'OAI-MODELS-01: { because: x }')
  })

  test('is judged again with a baseline', async () => {
    const args = ['rejudge', 'results', '--baseline', 'known.yaml', '--quiet']
    const { code, stdout } = await chatgen(args, {}, folder)
    expect(stdout).toMatch(/^CONFORMS except 1 known violation {2}/)
    expect(code).toBe(0)
  })

  test('is rendered with a baseline, and what is stored stays as it is', async () => {
    const before = readFileSync(join(folder, 'results/report.json'), 'utf8')
    const args = ['report', 'results', '--baseline', 'known.yaml', '--verbose']
    const rejudged = await chatgen(args, {}, folder)
    expect(rejudged.stdout).toMatch(/^CONFORMS except 1 known violation {2}/)
    expect(rejudged.stdout).toContain('the gateway is open')
    expect(rejudged.code).toBe(0)
    const wrong = await chatgen(['report', 'results', '--baseline', 'wrong.yaml'], {}, folder)
    expect(wrong.stdout).toContain('OAI-MODELS-01 passes now: delete its entry')
    expect(wrong.code).toBe(0)
    const none = await chatgen(['report', 'results', '--baseline', 'none.yaml'], {}, folder)
    expect(none.stderr).toContain('cannot read the baseline')
    expect(none.code).toBe(2)
    expect(readFileSync(join(folder, 'results/report.json'), 'utf8')).toBe(before)
  })
})
