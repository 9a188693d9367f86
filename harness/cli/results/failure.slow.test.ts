import { execFile } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { startReferenceServer } from '../../../reference-server/index.ts'
import { bin, chatgen, emptyFolder } from '../test-support/chatgen.ts'
import { startModelsServer, withKey } from '../test-support/servers.ts'

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
    const more = { check: 'badge', load: 'csv,prometheus' }[command]
    const own = more === undefined ? [] : ['--report', more]
    const given = [command, nowhere, ...args, ...formats, ...own, '--json']
    const ended = await chatgen(given, withKey, cwd)
    expect(ended.code).toBe(code)
    expect(JSON.parse(ended.stdout)).toMatchObject({
      kind: 'failure-report',
      outcome,
      exitCode: code,
      messages: [expect.stringContaining(reason)],
    })
    expect(ended.stderr).toContain(`::error title=chatgen ${command}::`)
    const figures = command === 'load' ? ['report.csv', 'report.prom'] : []
    for (const file of ['report.xml', 'report.md', 'report.html', 'report.json', ...figures]) {
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
  const args = ['check', server.url, '--only', 'OAI-MODELS-01']
  const { code } = await chatgen(args, withKey, cwd)
  expect(code).toBe(0)
  expect(existsSync(join(cwd, 'chatgen-results/report.xml'))).toBe(false)
})

vi.setConfig({ testTimeout: 90_000 })

/** An output path that cannot be written is an error before anything is sent; also for root. */

const load = ['--rate', '1', '--duration', '1s']

test.each([
  ['check below a file', ['check', 'URL', '--only', 'OAI-MODELS-*'], 'file/results'],
  ['check in a read-only file system', ['check', 'URL', '--only', 'OAI-MODELS-*'], '/proc/results'],
  ['load below a file', ['load', 'URL', ...load], 'file/results'],
  ['load in a read-only file system', ['load', 'URL', ...load], '/proc/results'],
  ['init below a file', ['init', 'URL'], 'file/target.yaml'],
  ['init in a read-only file system', ['init', 'URL'], '/proc/target.yaml'],
  ['init in a folder that does not exist', ['init', 'URL'], 'missing/target.yaml'],
  ['init to a folder', ['init', 'URL'], 'folder'],
  ['check to a folder that takes no file', ['check', 'URL'], '/proc/self'],
  ['load to a folder that takes no file', ['load', 'URL', ...load], '/proc/self'],
  ['calibrate below a file', ['calibrate'], 'file/calibration.json'],
])('%s', async (_, command, out) => {
  let requests = 0
  await using server = await startModelsServer({ onRequest: (count) => (requests = count) })
  const cwd = emptyFolder()
  writeFileSync(join(cwd, 'file'), '')
  mkdirSync(join(cwd, 'folder'))
  const args = command.map((word) => (word === 'URL' ? server.url : word))
  const started = performance.now()
  const { code, stdout, stderr } = await chatgen([...args, '--out', out], withKey, cwd)
  expect(stderr).toMatch(/^chatgen: [^\n]*(cannot|exists|is a folder)[^\n]*\n$/)
  expect(stderr).toContain(out.split('/')[0])
  expect([code, requests, stdout]).toEqual([2, 0, ''])
  expect(performance.now() - started).toBeLessThan(30_000)
})

test('a full disk ends with a sentence and is no internal error', async () => {
  const server = await startReferenceServer()
  const folder = emptyFolder()
  symlinkSync('/dev/full', join(folder, 'target.yaml'))
  const env = { CHATGEN_API_KEY: server.keys[0] ?? '' }
  const { code, stderr } = await chatgen(['init', server.url, '--force'], env, folder)
  await server.close()
  expect(stderr).toMatch(
    /^chatgen: cannot write target.yaml: ENOSPC.*Free space, or choose another/m,
  )
  expect(code).toBe(2)
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
  const { code, stderr } = await chatgen([...check, server.url, '--out', 'results'], withKey, cwd)
  expect(stderr).toContain('the evidence of the run cannot be written: ENOSPC')
  expect(code).toBe(2)
})

test('evidence that is no regular file is refused', async () => {
  await using server = await startModelsServer()
  const cwd = emptyFolder()
  await chatgen([...check, server.url, '--out', 'results'], withKey, cwd)
  const evidence = join(cwd, 'results', 'exchanges.ndjson')
  rmSync(evidence)
  for (const [what, make] of [
    ['a folder', () => mkdirSync(evidence)],
    ['a device', () => symlinkSync('/dev/zero', evidence)],
  ] as const) {
    make()
    for (const command of [
      ['report', 'results'],
      ['rejudge', 'results'],
    ]) {
      const { code, stderr } = await chatgen(command, {}, cwd)
      expect([what, command[0], code], stderr).toEqual([what, command[0], 2])
      expect(stderr).toContain('exchanges.ndjson')
    }
    rmSync(evidence, { recursive: true })
  }
})
