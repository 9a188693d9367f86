import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { startReferenceServer } from '../../../reference-server/index.ts'
import { bin, chatgen, emptyFolder, expectEnd } from '../test-support/chatgen.ts'
import { startModelsServer, withKey } from '../test-support/servers.ts'

const formats = ['--report', 'github,junit,markdown,html,json']

const nowhere = 'http://127.0.0.1:1'
const slo = ['--slo', 'ttft.p95 < 1s']

const forms = ['report.xml', 'report.md', 'report.html', 'report.json']
const own: Readonly<Record<string, readonly [format: string, files: readonly string[]]>> = {
  check: ['badge', ['badge.svg']],
  load: ['csv,prometheus', ['report.csv', 'report.prom']],
  capacity: ['json', []],
}

test.each<[string, number, readonly string[], string]>([
  ['check', 3, [], 'nothing listens there'],
  ['check', 2, ['--only', 'OAI-CHAR-01'], 'OAI-CHAR-01'],
  ['check', 2, ['--no-such-flag'], 'unknown option'],
  ['load', 2, ['--rate', 'x'], 'above 0'],
  ['load', 3, ['--rate', '1'], 'nothing listens there'],
  ['load', 2, ['--rate', '1', '--concurrency', '1'], 'exclude each other'],
  ['capacity', 3, slo, 'nothing listens there'],
  ['capacity', 2, [...slo, '--min', '9', '--max', '3'], '--min 9 is not below'],
])('%s that ends with %i writes its reason into every format', async (command, code, args, why) => {
  const cwd = emptyFolder()
  const [more = '', files = []] = own[command] ?? []
  const given = [command, nowhere, ...args, ...formats, '--report', more, '--json']
  const ended = await chatgen(given, withKey, cwd)
  expectEnd(ended, code, { err: `::error title=chatgen ${command}::` })
  const outcome = code === 3 ? 'unusable' : 'refused'
  const messages = [expect.stringContaining(why)]
  const reason = { kind: 'failure-report', outcome, exitCode: code, messages }
  expect(JSON.parse(ended.stdout)).toMatchObject(reason)
  const results = join(cwd, 'chatgen-results')
  expect(readdirSync(results).toSorted()).toEqual([...forms, ...files].toSorted())
  for (const file of [...forms, ...files]) {
    const says = file === 'badge.svg' ? `exit code ${code}` : why
    expect(readFileSync(join(results, file), 'utf8')).toContain(says)
  }
})

test('a reason that does not fit on the disk keeps its exit code', async () => {
  const cwd = emptyFolder()
  mkdirSync(join(cwd, 'chatgen-results'))
  symlinkSync('/dev/full', join(cwd, 'chatgen-results/report.xml'))
  const ended = await chatgen(['check', nowhere, '--report', 'junit'], withKey, cwd)
  expectEnd(ended, 3, { err: /^chatgen: .*nothing listens there/ })
})

test('a refused run leaves earlier results alone, and makes no folder of its own accord', async () => {
  await using server = await startModelsServer()
  const cwd = emptyFolder()
  const run = (...more: readonly string[]) => chatgen(['check', server.url, ...more], withKey, cwd)
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
  await chatgen(['check', nowhere, ...formats], withKey, cwd)
  await using server = await startModelsServer()
  expectEnd(await chatgen(['check', server.url, '--only', 'OAI-MODELS-01'], withKey, cwd), 0)
  expect(existsSync(join(cwd, 'chatgen-results/report.xml'))).toBe(false)
})

vi.setConfig({ testTimeout: 90_000 })

const load = ['--rate', '1', '--duration', '1s']

test('a full disk ends with a sentence and is no internal error', async () => {
  const server = await startReferenceServer()
  const folder = emptyFolder()
  symlinkSync('/dev/full', join(folder, 'target.yaml'))
  const env = { CHATGEN_API_KEY: server.keys[0] ?? '' }
  const ended = await chatgen(['init', server.url, '--force'], env, folder)
  await server.close()
  const err = /^chatgen: cannot write target.yaml: ENOSPC.*Free space, or choose another/m
  expectEnd(ended, 2, { err })
}, 60_000)

test('a report that does not fit on the disk is printed, leaves no part of itself, and an earlier page as it was', async () => {
  await using server = await startModelsServer()
  const cwd = emptyFolder()
  const args = ['load', server.url, ...load, '--surface', 'openai', '--no-requests', '--quiet']
  await chatgen([...args, '--report', 'json,html'], withKey, cwd)
  const names = () => readdirSync(join(cwd, 'chatgen-results'))
  const page = () => readFileSync(join(cwd, 'chatgen-results/report.html'), 'utf8')
  const before = page()
  const refused = /cannot write chatgen-results.report\.\w+: EFBIG/
  const rendered = await inSmallFiles(['report', 'chatgen-results', '--report', 'html'], cwd)
  expect(rendered.stderr).toMatch(refused)
  expect(page()).toBe(before)
  const measured = await inSmallFiles(args, cwd)
  expect(measured.stderr).toMatch(refused)
  expect(measured.stdout).toContain(' judged, ')
  expect(names().filter((name) => name.startsWith('report.'))).toEqual([])
})

/** Output of a command that cannot write files above 4 KiB and ends with 2. */
function inSmallFiles(
  args: readonly string[],
  cwd: string,
): Promise<{ readonly stdout: string; readonly stderr: string }> {
  const shell = ['-c', 'ulimit -f 8; exec "$0" "$@"', process.execPath, bin, ...args]
  return new Promise((resolve) => {
    execFile('sh', shell, { cwd, env: { ...process.env, ...withKey } }, (error, stdout, stderr) => {
      expect([error?.code, stderr]).toEqual([2, stderr])
      resolve({ stdout, stderr })
    })
  })
}

/** A disk that is full in the middle of a run: no verdict without its evidence. */

const check = ['check', '--only', 'OAI-MODELS-*', '--quiet'] as const

test('evidence on a full disk ends the run with 2 and a sentence', async () => {
  await using server = await startModelsServer()
  const cwd = emptyFolder()
  mkdirSync(join(cwd, 'results'))
  symlinkSync('/dev/full', join(cwd, 'results', 'exchanges.ndjson'))
  const ended = await chatgen([...check, server.url, '--out', 'results'], withKey, cwd)
  expectEnd(ended, 2, { err: 'the evidence of the run cannot be written: ENOSPC' })
})

test('evidence that is no regular file is refused', async () => {
  await using server = await startModelsServer()
  const cwd = emptyFolder()
  await chatgen([...check, server.url, '--out', 'results'], withKey, cwd)
  const evidence = join(cwd, 'results', 'exchanges.ndjson')
  rmSync(evidence)
  for (const make of [() => mkdirSync(evidence), () => symlinkSync('/dev/zero', evidence)]) {
    make()
    for (const command of ['report', 'rejudge'])
      expectEnd(await chatgen([command, 'results'], {}, cwd), 2, { err: 'exchanges.ndjson' })
    rmSync(evidence, { recursive: true })
  }
})
