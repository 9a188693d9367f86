import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { XMLParser } from 'fast-xml-parser'
import { beforeAll, describe, expect, test } from 'vitest'
import { conformanceReport } from '../../../contract/report/conformance.ts'
import { compose, faults } from '../../../reference-server/deviations/index.ts'
import { startReferenceServer } from '../../../reference-server/index.ts'
import { chatgen, emptyFolder, reportIn, start } from '../test-support/chatgen.ts'
import { key, startModelsServer, withKey } from '../test-support/servers.ts'

async function check(...args: readonly string[]) {
  const folder = emptyFolder()
  await using server = await startModelsServer({ open: true })
  const rows = ['--only', 'OAI-AUTH-01', '--only', 'OAI-MODELS-01', '--out', 'results']
  const ended = await chatgen(['check', server.url, ...rows, ...args], withKey, folder)
  const read = (file: string) => readFileSync(join(folder, 'results', file), 'utf8')
  return { ...ended, folder, read, files: readdirSync(join(folder, 'results')).toSorted() }
}

describe('chatgen check --report', () => {
  test('junit,markdown,badge writes files beside report.json', async () => {
    const { code, stdout, files, read } = await check('--report', 'junit,markdown,badge')
    expect(code).toBe(1)
    expect(stdout).toBe('Results: results\n')
    expect(files).toEqual(
      expect.arrayContaining([
        'badge.svg',
        'exchanges.ndjson',
        'report.json',
        'report.md',
        'report.xml',
      ]),
    )
    const { testsuites } = new XMLParser({ ignoreAttributes: false }).parse(read('report.xml'))
    expect(testsuites.testsuite.map((suite: object) => ({ ...suite }))).toMatchObject([
      { '@_name': 'OAI-AUTH', '@_tests': '1', '@_failures': '1', testcase: { failure: {} } },
      { '@_name': 'OAI-MODELS', '@_tests': '1', '@_failures': '0' },
    ])
    expect(read('report.md')).toMatch(/^## ❌ Violated\n/)
    expect(read('report.md')).toContain('curl -i http')
    expect(read('badge.svg')).toContain('<title>chatgen: violated, 1 passed, 1 violated')
  })

  test('github prints annotations, and stops commands in what else is printed', async () => {
    const { stdout } = await check('--report', 'console,github')
    expect(stdout).toMatch(/^::error title=OAI-AUTH-01::/m)
    const [, token = ''] = stdout.match(/^::stop-commands::(\S+)\nVIOLATED/) ?? []
    expect(token.length).toBeGreaterThan(20)
    expect(stdout.indexOf(`::${token}::\n`)).toBeLessThan(stdout.indexOf('::notice'))
  })

  test('where GitHub reads along, commands are stopped without that format as well', async () => {
    const { folder } = await check('--quiet')
    const { stdout } = await chatgen(['report', 'results'], { GITHUB_ACTIONS: 'true' }, folder)
    expect(stdout).toMatch(/^::stop-commands::(\S{20,})\nVIOLATED[\s\S]*\n::\1::\n$/)
  })

  test('github leaves standard output to --json', async () => {
    const { stdout, stderr } = await check('--report', 'github', '--json')
    expect(JSON.parse(stdout)).toMatchObject({ outcome: 'violated' })
    expect(stderr).toMatch(/^::error title=OAI-AUTH-01::/m)
  })
})

const rows = ['--only', 'OAI-AUTH-01', '--only', 'OAI-MODELS-01']

async function checkAgainst(baseline: string | null, ...more: readonly string[]) {
  const folder = emptyFolder()
  if (baseline !== null) writeFileSync(join(folder, 'known.yaml'), baseline)
  await using server = await startModelsServer({ open: true })
  const args = ['check', server.url, ...rows, '--baseline', 'known.yaml', ...more]
  const { code, stdout, stderr } = await chatgen(args, withKey, folder)
  const file = () => readFileSync(join(folder, 'known.yaml'), 'utf8')
  return { code, stdout, stderr, file, requests: server.requests }
}

describe('chatgen check --baseline ends with', () => {
  test('0 if it names all that is violated', async () => {
    const { code, stdout } = await checkAgainst(
      'OAI-AUTH-01: { because: the gateway is open }',
      '--json',
    )
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
    const { code, stdout } = await checkAgainst(entry)
    expect(stdout).toMatch(/^VIOLATED/)
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain('fails differently')
    expect(code).toBe(1)
  })
})

test('--update-baseline writes drafts, and the run that follows their completion ends with 0', async () => {
  const first = await checkAgainst(null, '--update-baseline', '--quiet')
  expect(first.code).toBe(1)
  expect(first.stdout).toContain('added (set "because" where it is TO BE WRITTEN): OAI-AUTH-01')
  expect(first.file()).toMatch(/OAI-AUTH-01:\n {2}because: TO BE WRITTEN\n {2}fingerprint: v2-/)

  const written = first.file().replace('TO BE WRITTEN', 'the gateway is open')
  const second = await checkAgainst(written, '--seed', 'another', '--quiet')
  expect([second.code, second.stderr]).toEqual([0, ''])

  const third = await checkAgainst(written, '--update-baseline', '--quiet')
  expect(third.stdout).toContain('is up to date')
  expect([third.code, third.file()]).toEqual([0, written])
})

describe('a run that is over', () => {
  const folder = emptyFolder()
  beforeAll(async () => {
    await using server = await startModelsServer({ open: true })
    await chatgen(['check', server.url, ...rows, '--out', 'results'], withKey, folder)
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

test('--failed checks what was violated, says so, and then nothing', async () => {
  const cwd = emptyFolder()
  const patch = compose(
    faults.filter(({ name }) => name === 'openai.chat: object is lost').map((fault) => fault.patch),
  )
  const broken = await startReferenceServer({ keys: [key], patch })
  const run = (...more: readonly string[]) => chatgen(['check', broken.url, ...more], withKey, cwd)
  expect((await run('--only', 'OAI-CHAT-03', '--only', 'OAI-MODELS-01')).code).toBe(1)
  const again = await run('--failed')
  expect(again.code).toBe(1)
  expect(reportIn(join(cwd, 'chatgen-results')).requirements.map(({ id }) => id)).toEqual([
    'OAI-CHAT-03',
  ])
  expect(again.stdout).toContain('Only 1 requirement that failed before')
  await broken.close()
  // A run without results moves earlier ones aside; they are found there.
  expect((await run('--failed')).code).toBe(3)

  const mended = await startReferenceServer({ keys: [key], port: Number(new URL(broken.url).port) })
  expect((await run('--failed')).code).toBe(0)
  await mended.close()
  const nothing = await run('--failed')
  expect(nothing.stdout).toMatch(/^Nothing of this selection was violated or undecided/)
  expect(nothing.code).toBe(0)
  const elsewhere = await chatgen(['check', 'http://127.0.0.1:1', '--failed'], withKey, cwd)
  expect(elsewhere.stderr).toContain(`--failed: chatgen-results has results of ${broken.url}`)
  expect(elsewhere.code).toBe(2)
  const stored = join(cwd, 'chatgen-results/report.json')
  writeFileSync(stored, readFileSync(stored, 'utf8').replace('"strict": false', '"strict": true'))
  const edited = await run('--failed')
  expect(edited.stderr).toContain('the results in chatgen-results were edited after their run')
  expect(edited.code).toBe(2)
}, 240_000)

test('--fail-fast ends at the first violation', async () => {
  const cwd = emptyFolder()
  await using server = await startModelsServer({ open: true })
  const args = ['check', server.url, '--profile', 'openai', '--jobs', '1', '--fail-fast']
  const { code, stdout } = await chatgen(args, withKey, cwd)
  const { stopped, requirements } = reportIn(join(cwd, 'chatgen-results'))
  expect(code).toBe(1)
  expect(stopped).toMatch(/^ended at the first violation, OAI-\w+-\d\d \(--fail-fast\)$/)
  expect(stdout).toContain('(--fail-fast)')
  expect(requirements.filter(({ verdict }) => verdict === 'unproven').length).toBeGreaterThan(20)
})

test('--watch runs again when a file changes and when the target is back', async () => {
  const cwd = emptyFolder()
  mkdirSync(join(cwd, 'src'))
  const listen = (port: number) => {
    const server = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"data":[]}')
    })
    return new Promise<typeof server>((done) =>
      server.listen(port, '127.0.0.1', () => done(server)),
    )
  }
  const first = await listen(0)
  const { port } = first.address() as AddressInfo
  const args = ['check', `http://127.0.0.1:${port}`, '--only', 'OAI-AUTH-01', '--watch', 'src']
  const { child, ended } = start([...args, '--quiet'], withKey, cwd)
  let log = ''
  child.stderr?.on('data', (data: Buffer) => {
    log += String(data)
  })
  const waits = () => log.split('waiting for a change').length - 1
  await expect.poll(waits, { timeout: 30_000 }).toBe(1)
  writeFileSync(join(cwd, 'src/server.ts'), 'changed')
  await expect.poll(waits, { timeout: 30_000 }).toBe(2)
  expect(log).toContain('src/server.ts changed')
  first.closeAllConnections()
  await new Promise((done) => first.close(done))
  // Longer than the polling interval.
  await new Promise((done) => setTimeout(done, 1_000))
  const second = await listen(port)
  await expect.poll(waits, { timeout: 30_000 }).toBe(3)
  expect(log).toContain('the target is back')
  child.kill('SIGINT')
  expect((await ended).code).toBe(130)
  second.closeAllConnections()
  second.close()
}, 120_000)

test('--allow-undecided is a gate that says what it leaves out, and that keeps violations', async () => {
  const server = await startReferenceServer({ keys: [key] })
  const cwd = emptyFolder()
  const only = ['--only', 'OAI-MODELS-01', '--only', 'V3-ATT-11']
  const run = (...more: readonly string[]) =>
    chatgen(['check', server.url, ...only, ...more], withKey, cwd)
  expect((await run()).code).toBe(5)
  const allowed = await run('--allow-undecided', 'V3-ATT-*')
  expect(allowed.stdout).toMatch(
    /^CONFORMS except 1 undecided requirement \(--allow-undecided V3-ATT-\*\) {2}/,
  )
  expect(reportIn(join(cwd, 'chatgen-results')).allowedUndecided).toEqual({
    globs: ['V3-ATT-*'],
    ids: ['V3-ATT-11'],
  })
  expect(allowed.code).toBe(0)
  expect((await run('--allow-undecided', 'KB-*')).code).toBe(5)
  await server.close()
}, 120_000)
