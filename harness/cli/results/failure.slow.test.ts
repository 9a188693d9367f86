import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { chatgen, emptyFolder } from '../test-support/chatgen.ts'
import { key, startModelsServer } from '../test-support/models-server.ts'

const formats = ['--report', 'github,junit,markdown,html,json']

const nowhere = 'http://127.0.0.1:1'
const slo = ['--slo', 'ttft.p95 < 1s']

test.each<[string, number, string, readonly string[], string]>([
  ['check', 3, 'unusable', [], 'nothing listens there'],
  ['check', 2, 'refused', ['--only', 'OAI-CHAR-01'], 'OAI-CHAR-01'],
  ['check', 2, 'refused', ['--no-such-flag'], 'unknown option'],
  ['load', 2, 'refused', ['--rate', 'x'], 'above 0'],
  ['load', 3, 'unusable', ['--rate', '1'], 'nothing listens there'],
  ['load', 2, 'refused', ['--rate', '1', '--concurrency', '1'], 'exclude each other'],
  ['capacity', 3, 'unusable', slo, 'nothing listens there'],
  ['capacity', 2, 'refused', [...slo, '--min', '9', '--max', '3'], '--min 9 is not below'],
])(
  'chatgen %s that ends with %i writes its reason into every format',
  async (command, code, outcome, args, reason) => {
    const cwd = emptyFolder()
    const badge = command === 'check' ? ['--report', 'badge'] : []
    const ended = await chatgen(
      [command, nowhere, ...args, ...formats, ...badge, '--json'],
      { CHATGEN_API_KEY: key },
      cwd,
    )
    expect(ended.code).toBe(code)
    expect(JSON.parse(ended.stdout)).toMatchObject({
      kind: 'failure-report',
      outcome,
      exitCode: code,
      messages: [expect.stringContaining(reason)],
    })
    expect(ended.stderr).toContain(`::error title=chatgen ${command}::`)
    for (const file of ['report.xml', 'report.md', 'report.html', 'report.json']) {
      expect(readFileSync(join(cwd, 'chatgen-results', file), 'utf8')).toContain(reason)
    }
    const svg = join(cwd, 'chatgen-results/badge.svg')
    expect(existsSync(svg)).toBe(command === 'check')
    if (existsSync(svg)) expect(readFileSync(svg, 'utf8')).toContain(`exit code ${code}`)
  },
)

test('a refused run leaves earlier results alone, and makes no folder of its own accord', async () => {
  await using server = await startModelsServer()
  const cwd = emptyFolder()
  const run = (...more: readonly string[]) =>
    chatgen(['check', server.url, ...more], { CHATGEN_API_KEY: key }, cwd)
  expect((await run('--only', 'OAI-CHAR-01')).code).toBe(2)
  expect(existsSync(join(cwd, 'chatgen-results'))).toBe(false)
  await run('--only', 'OAI-MODELS-01')
  const file = join(cwd, 'chatgen-results/report.json')
  const before = readFileSync(file, 'utf8')
  expect((await run('--only', 'OAI-CHAR-01', ...formats)).code).toBe(2)
  expect(readFileSync(file, 'utf8')).toBe(before)
})

test('the reason is replaced by the next results', async () => {
  const cwd = emptyFolder()
  await chatgen(['check', nowhere, ...formats], { CHATGEN_API_KEY: key }, cwd)
  await using server = await startModelsServer()
  const args = ['check', server.url, '--only', 'OAI-MODELS-01']
  const { code } = await chatgen(args, { CHATGEN_API_KEY: key }, cwd)
  expect(code).toBe(0)
  expect(existsSync(join(cwd, 'chatgen-results/report.xml'))).toBe(false)
})
