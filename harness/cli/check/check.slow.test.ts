import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { XMLParser } from 'fast-xml-parser'
import { describe, expect, test } from 'vitest'
import { conformanceReport } from '../../../contract/report/conformance.ts'
import { startReferenceServer } from '../../library/index.ts'
import { chatgen, emptyFolder, expectEnd, reportIn, start } from '../test-support/chatgen.ts'
import { key, startModelsServer, withKey } from '../test-support/servers.ts'

const rows = ['--only', 'OAI-AUTH-01', '--only', 'OAI-MODELS-01', '--out', 'results']

/** Checks an open server, with these further files in the folder. */
async function check(args: readonly string[], files: Readonly<Record<string, string>> = {}) {
  const folder = emptyFolder()
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  await using server = await startModelsServer({ open: true })
  const ended = await chatgen(['check', server.url, ...rows, ...args], withKey, folder)
  return { ...ended, folder, read: (file: string) => readFileSync(join(folder, file), 'utf8') }
}

describe('chatgen check --report', () => {
  test('junit,markdown,badge writes files beside report.json', async () => {
    const { folder, read, ...ended } = await check(['--report', 'junit,markdown,badge'])
    expectEnd(ended, 1, { out: /^Results: results\n$/ })
    const files = ['badge.svg', 'exchanges.ndjson', 'report.json', 'report.md', 'report.xml']
    expect(readdirSync(join(folder, 'results'))).toEqual(expect.arrayContaining(files))
    const xml = read('results/report.xml')
    const { testsuites } = new XMLParser({ ignoreAttributes: false }).parse(xml)
    expect(testsuites.testsuite.map((suite: object) => ({ ...suite }))).toMatchObject([
      { '@_name': 'OAI-AUTH', '@_tests': '1', '@_failures': '1', testcase: { failure: {} } },
      { '@_name': 'OAI-MODELS', '@_tests': '1', '@_failures': '0' },
    ])
    expect(read('results/report.md')).toMatch(/^## ❌ Violated\n[\s\S]*curl -i http/)
    expect(read('results/badge.svg')).toContain('<title>chatgen: violated, 1 passed, 1 violated')
  })

  test('github prints annotations, and stops commands in what else is printed', async () => {
    const { stdout } = await check(['--report', 'console,github'])
    expect(stdout).toMatch(/^::error title=OAI-AUTH-01::/m)
    const [, token = ''] = stdout.match(/^::stop-commands::(\S+)\nVIOLATED/) ?? []
    expect(token.length).toBeGreaterThan(20)
    expect(stdout.indexOf(`::${token}::\n`)).toBeLessThan(stdout.indexOf('::notice'))
  })

  test('where GitHub reads along, commands are stopped without that format as well', async () => {
    const { folder } = await check(['--quiet'])
    const { stdout } = await chatgen(['report', 'results'], { GITHUB_ACTIONS: 'true' }, folder)
    expect(stdout).toMatch(/^::stop-commands::(\S{20,})\nVIOLATED[\s\S]*\n::\1::\n$/)
  })

  test('github leaves standard output to --json', async () => {
    const { stdout, stderr } = await check(['--report', 'github', '--json'])
    expect(JSON.parse(stdout)).toMatchObject({ outcome: 'violated' })
    expect(stderr).toMatch(/^::error title=OAI-AUTH-01::/m)
  })
})

function checkAgainst(baseline: string | null, ...more: readonly string[]) {
  const files: Record<string, string> = baseline === null ? {} : { 'known.yaml': baseline }
  return check(['--baseline', 'known.yaml', ...more], files)
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
    expectEnd(await checkAgainst(entry), 1, { out: /^VIOLATED[\s\S]*fails\s+differently/ })
  })
})

test('--update-baseline writes drafts, and the run that follows their completion ends with 0', async () => {
  const first = await checkAgainst(null, '--update-baseline', '--quiet')
  expectEnd(first, 1, { out: 'added (set "because" where it is TO BE WRITTEN): OAI-AUTH-01' })
  expect(first.read('known.yaml')).toMatch(
    /OAI-AUTH-01:\n {2}because: TO BE WRITTEN\n {2}fingerprint: v2-/,
  )

  const written = first.read('known.yaml').replace('TO BE WRITTEN', 'the gateway is open')
  const second = await checkAgainst(written, '--seed', 'another', '--quiet')
  expect([second.code, second.stderr]).toEqual([0, ''])

  const third = await checkAgainst(written, '--update-baseline', '--quiet')
  expect(third.stdout).toContain('is up to date')
  expect([third.code, third.read('known.yaml')]).toEqual([0, written])
})

test('--failed checks what was violated, says so, and then nothing', async () => {
  const cwd = emptyFolder()
  const broken = await startReferenceServer({
    keys: [key],
    faults: ['openai.chat: object is lost'],
  })
  const run = (...more: readonly string[]) => chatgen(['check', broken.url, ...more], withKey, cwd)
  expect((await run('--only', 'OAI-CHAT-03', '--only', 'OAI-MODELS-01')).code).toBe(1)
  expectEnd(await run('--failed'), 1, { out: 'Only 1 requirement that failed before' })
  const { requirements } = reportIn(join(cwd, 'chatgen-results'))
  expect(requirements.map(({ id }) => id)).toEqual(['OAI-CHAT-03'])
  await broken.close()
  // A run without results moves earlier ones aside; they are found there.
  expect((await run('--failed')).code).toBe(3)

  const mended = await startReferenceServer({ keys: [key], port: Number(new URL(broken.url).port) })
  expect((await run('--failed')).code).toBe(0)
  await mended.close()
  const nothing = /^Nothing of this selection was violated or undecided/
  expectEnd(await run('--failed'), 0, { out: nothing })
  writeFileSync(join(cwd, 'known.yaml'), 'OAI-CHAT-03: { because: x }')
  const stale = await run('--failed', '--baseline', 'known.yaml')
  expectEnd(stale, 1, { out: 'OAI-CHAT-03 passes now: delete its entry' })
  const elsewhere = await chatgen(['check', 'http://127.0.0.1:1', '--failed'], withKey, cwd)
  expectEnd(elsewhere, 2, { err: `--failed: chatgen-results has results of ${broken.url}` })
  const stored = join(cwd, 'chatgen-results/report.json')
  writeFileSync(stored, readFileSync(stored, 'utf8').replace('"strict": false', '"strict": true'))
  const edited = 'the results in chatgen-results were edited after their run'
  expectEnd(await run('--failed'), 2, { err: edited })
}, 240_000)

test('--fail-fast ends at the first violation', async () => {
  const cwd = emptyFolder()
  await using server = await startModelsServer({ open: true })
  const args = ['check', server.url, '--profile', 'openai', '--jobs', '1', '--fail-fast']
  expectEnd(await chatgen(args, withKey, cwd), 1, { out: '(--fail-fast)' })
  const { stopped, requirements } = reportIn(join(cwd, 'chatgen-results'))
  expect(stopped).toMatch(/^ended at the first violation, OAI-\w+-\d\d \(--fail-fast\)$/)
  expect(requirements.filter(({ verdict }) => verdict === 'unproven').length).toBeGreaterThan(20)
})

test('--watch runs again when a file changes and when the target is back', async () => {
  const cwd = emptyFolder()
  mkdirSync(join(cwd, 'src'))
  const first = await startReferenceServer({ keys: [key] })
  const args = ['check', first.url, '--only', 'OAI-MODELS-01', '--watch', 'src']
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
  await first.close()
  // Longer than the polling interval.
  await sleep(1_000)
  const second = await startReferenceServer({ keys: [key], port: Number(new URL(first.url).port) })
  await expect.poll(waits, { timeout: 30_000 }).toBe(3)
  expect(log).toContain('the target is back')
  child.kill('SIGINT')
  expect((await ended).code).toBe(130)
  await second.close()
}, 120_000)

test('--allow-undecided is a gate that says what it leaves out, and that keeps violations', async () => {
  const server = await startReferenceServer({ keys: [key] })
  const cwd = emptyFolder()
  const only = ['--only', 'OAI-MODELS-01', '--only', 'V3-ATT-11']
  const run = (...more: readonly string[]) =>
    chatgen(['check', server.url, ...only, ...more], withKey, cwd)
  expect((await run()).code).toBe(5)
  const out = /^CONFORMS except 1 undecided requirement \(--allow-undecided V3-ATT-\*\) {2}/
  expectEnd(await run('--allow-undecided', 'V3-ATT-*'), 0, { out })
  expect(reportIn(join(cwd, 'chatgen-results')).allowedUndecided).toEqual({
    globs: ['V3-ATT-*'],
    ids: ['V3-ATT-11'],
  })
  expect((await run('--allow-undecided', 'KB-*')).code).toBe(5)
  await server.close()
}, 120_000)
