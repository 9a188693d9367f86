import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { expect, test, vi } from 'vitest'
import { startReferenceServer } from '../../../reference-server/index.ts'
import { ended } from '../../client/test-support/listen-on-loopback.ts'
import { bin, wordsOf, workplace } from '../test-support/chatgen.ts'
import { startModelsServer, withKey } from '../test-support/servers.ts'

vi.setConfig({ testTimeout: 90_000 })

const formats = '--report github,junit,markdown,html,json'
const nowhere = 'http://127.0.0.1:1'
const slo = "--slo 'ttft.p95 < 1s'"

const forms = ['report.xml', 'report.md', 'report.html', 'report.json']
const own: Readonly<Record<string, readonly [format: string, files: readonly string[]]>> = {
  check: ['badge', ['badge.svg']],
  load: ['csv,prometheus', ['report.csv', 'report.prom']],
  capacity: ['json', []],
}

test.each([
  ['check', 3, '', 'nothing listens there'],
  ['check', 2, '--only OAI-CHAR-01', 'OAI-CHAR-01'],
  ['check', 2, '--no-such-flag', 'unknown option'],
  ['load', 2, '--rate x', 'above 0'],
  ['load', 3, '--rate 1', 'nothing listens there'],
  ['load', 2, '--rate 1 --concurrency 1', 'exclude each other'],
  ['capacity', 3, slo, 'nothing listens there'],
  ['capacity', 2, `${slo} --min 9 --max 3`, '--min (9) must be below --max (3)'],
])('%s that ends with %i writes the reason in all formats', async (command, code, more, why) => {
  const { ends, list, read } = workplace(withKey)
  const [format = '', files = []] = own[command] ?? []
  const line = `${command} ${nowhere} ${more} ${formats} --report ${format} --json`
  const { stdout } = await ends(line, code, { err: `::error title=chatgen ${command}::` })
  const outcome = code === 3 ? 'unusable' : 'refused'
  const messages = [expect.stringContaining(why)]
  const reason = { kind: 'failure-report', outcome, exitCode: code, messages }
  expect(JSON.parse(stdout)).toMatchObject(reason)
  expect(list('chatgen-results')).toEqual([...forms, ...files].toSorted())
  for (const file of [...forms, ...files]) {
    const says = file === 'badge.svg' ? `exit code ${code}` : why
    expect(read(`chatgen-results/${file}`)).toContain(says)
  }
})

test('a reason that cannot be written keeps its exit code', async () => {
  const { ends, at } = workplace(withKey)
  mkdirSync(at('chatgen-results'))
  symlinkSync('/dev/full', at('chatgen-results/report.xml'))
  const err = /^chatgen: .*nothing listens there/
  await ends(`check ${nowhere} --report junit`, 3, { err })
})

test('a refused run creates no folder', async () => {
  await using server = await startModelsServer()
  const { ends, at } = workplace(withKey)
  await ends(`check ${server.url} --only OAI-CHAR-01`, 2)
  expect(existsSync(at('chatgen-results'))).toBe(false)
})

test('a reason is replaced by the next results', async () => {
  const { ends, run, list } = workplace(withKey)
  await run(`check ${nowhere} ${formats}`)
  await using server = await startModelsServer()
  await ends(`check ${server.url} --only OAI-MODELS-01`, 0)
  expect(list('chatgen-results')).not.toContain('report.xml')
})

test('a full disk ends init with a message, without an internal error', async () => {
  const server = ended(await startReferenceServer())
  const { ends, at } = workplace({ CHATGEN_API_KEY: server.keys[0] ?? '' })
  symlinkSync('/dev/full', at('target.yaml'))
  const err = /^chatgen: cannot write target.yaml: ENOSPC.*Free space, or choose another/m
  await ends(`init ${server.url} --force`, 2, { err })
})

test('a report on a full disk is printed, and an earlier page is kept', async () => {
  await using server = await startModelsServer()
  const { folder, run, list, read } = workplace(withKey)
  const line = `load ${server.url} --rate 1 --duration 1s --surface openai --no-requests --quiet`
  await run(`${line} --report json,html`)
  const page = () => read('chatgen-results/report.html')
  const before = page()
  const refused = /cannot write chatgen-results.report\.\w+: EFBIG/
  const rendered = await inSmallFiles('report chatgen-results --report html', folder)
  expect(rendered.stderr).toMatch(refused)
  expect(page()).toBe(before)
  const measured = await inSmallFiles(line, folder)
  expect(measured.stderr).toMatch(refused)
  expect(measured.stdout).toContain(' judged, ')
  expect(list('chatgen-results').filter((name) => name.startsWith('report.'))).toEqual([])
})

/** Output of a command that cannot write files above 4 KiB and ends with 2. */
function inSmallFiles(line: string, cwd: string): Promise<{ stdout: string; stderr: string }> {
  const shell = ['-c', 'ulimit -f 8; exec "$0" "$@"', process.execPath, bin, ...wordsOf(line)]
  return new Promise((resolve) => {
    execFile('sh', shell, { cwd, env: { ...process.env, ...withKey } }, (error, stdout, stderr) => {
      expect([error?.code, stderr]).toEqual([2, stderr])
      resolve({ stdout, stderr })
    })
  })
}

/** A disk that is full in the middle of a run: no verdict without its evidence. */

const check = 'check --only OAI-MODELS-* --quiet --out results'
const evidence = 'results/exchanges.ndjson'

test('evidence on a full disk ends the run with 2 and a message', async () => {
  await using server = await startModelsServer()
  const { ends, at } = workplace(withKey)
  mkdirSync(at('results'))
  symlinkSync('/dev/full', at(evidence))
  const err = 'the evidence of the run cannot be written: ENOSPC'
  await ends(`${check} ${server.url}`, 2, { err })
})

test('evidence that is not a regular file is rejected', async () => {
  await using server = await startModelsServer()
  const { ends, run, at } = workplace(withKey)
  await run(`${check} ${server.url}`)
  rmSync(at(evidence))
  for (const make of [
    () => mkdirSync(at(evidence)),
    () => symlinkSync('/dev/zero', at(evidence)),
  ]) {
    make()
    for (const command of ['report', 'rejudge'])
      await ends(`${command} results`, 2, { err: 'exchanges.ndjson' })
    rmSync(at(evidence), { recursive: true })
  }
})
