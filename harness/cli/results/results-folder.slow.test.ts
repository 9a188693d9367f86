import { spawn } from 'node:child_process'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { lockName } from '../../conformance/defaults.ts'
import { emptyFolder, workplace } from '../test-support/chatgen.ts'
import { startModelsServer, withKey } from '../test-support/servers.ts'

vi.setConfig({ testTimeout: 120_000 })

const results = 'chatgen-results'

function folderOfRuns() {
  const place = workplace(withKey)
  const { read, list } = place
  const previous = () => list(results).filter((name) => name.startsWith('previous-'))
  const kind = (): unknown => JSON.parse(read(`${results}/report.json`)).kind
  return { ...place, previous, kind }
}

const check = 'check --only OAI-MODELS-01'
const load = 'load --rate 20 --duration 500ms'

test.each([check, load])(
  '%s moves earlier results aside if the target is unreachable',
  async (line) => {
    const { run, ends, list, read, previous } = folderOfRuns()
    const server = await startModelsServer()
    await run(`${line} ${server.url} --report html,json`)
    await server[Symbol.asyncDispose]()
    const contents = (folder: string) =>
      list(folder).map((name) => [name, read(join(folder, name))])
    const before = contents(results)
    await ends(`${line} ${server.url}`, 3)
    const [aside = ''] = previous()
    expect(list(results)).toEqual([aside])
    expect(contents(join(results, aside))).toEqual(before)
  },
)

test('a check ends with 2 if its files are deleted meanwhile', async () => {
  const { ends, list, at } = folderOfRuns()
  await using server = await startModelsServer({
    delayMs: 100,
    onRequest(count) {
      if (count !== 6) return
      for (const name of list(results)) rmSync(at(join(results, name)))
    },
  })
  const err = 'run.json was deleted during the run'
  await ends(`${check} --profile openai ${server.url}`, 2, { err })
})

describe('results of another kind are moved aside', () => {
  test('by check, load and check in the default folder', async () => {
    await using server = await startModelsServer()
    const { at, run, list, read, kind, previous } = folderOfRuns()
    await run(`${check} ${server.url} --report html,json`)
    writeFileSync(at(`${results}/notes.txt`), 'mine')
    const evidence = read(`${results}/exchanges.ndjson`)
    expect(evidence).not.toBe('')

    const loaded = await run(`${load} ${server.url}`)
    const [aside = ''] = previous()
    expect(aside).toMatch(/^previous-check-\d{8}T\d{6}Z$/)
    expect(loaded.stderr).toContain(
      `chatgen: results of an earlier check in ${results} moved to ${join(results, aside)}`,
    )
    expect(list(results)).toEqual(['notes.txt', aside, 'report.json', 'requests.ndjson'])
    expect(kind()).toBe('load-report')
    expect(list(join(results, aside))).toEqual(
      expect.arrayContaining(['exchanges.ndjson', 'report.html', 'report.json', 'run.json']),
    )
    expect(read(join(results, aside, 'exchanges.ndjson'))).toBe(evidence)

    const again = await run(`${check} ${server.url}`)
    expect(again.stderr).toContain(`results of an earlier load run in ${results} moved to`)
    expect(previous()).toHaveLength(2)
    expect(kind()).toBe('conformance-report')
    // The folder moved aside is still a complete results folder.
    expect((await run(`rejudge ${join(results, aside)}`)).code).not.toBe(2)
  })

  test('even if they are of a killed check or unknown', async () => {
    await using server = await startModelsServer()
    const { run, write, list, read, previous } = folderOfRuns()
    write(`${results}/run.json`, '{}')
    write(`${results}/exchanges.ndjson`, '')
    await run(`${load} ${server.url}`)
    expect(previous()).toHaveLength(1)
    expect(list(join(results, previous()[0] ?? ''))).toEqual(['exchanges.ndjson', 'run.json'])
    write(`${results}/report.json`, '{"kind":"something of yours"}')
    await run(`${load} ${server.url}`)
    const unknown = previous().find((name) => name.startsWith('previous-unknown-')) ?? ''
    expect(read(join(results, unknown, 'report.json'))).toContain('something of yours')
  })
})

describe('results of the same kind are replaced', () => {
  test('but what the run does not write is moved aside', async () => {
    await using server = await startModelsServer()
    const { run, list, previous } = folderOfRuns()
    await run(`${check} ${server.url} --report html,junit`)
    await run(`rejudge ${results}`)
    const { stderr } = await run(`${check} ${server.url} --report junit`)
    const [aside = ''] = previous()
    expect(stderr).toContain(`report.html and rejudged of an earlier run in ${results} moved to`)
    expect(list(join(results, aside))).toEqual(['rejudged', 'report.html'])
    expect(list(results)).toContain('report.xml')
    await run(`${check} ${server.url} --report junit`)
    expect(previous()).toEqual([aside])
  })

  test('but not by a run that cannot start and writes no reason', async () => {
    await using server = await startModelsServer()
    const { run, list, read, previous } = folderOfRuns()
    await run(`${check} ${server.url}`)
    const before = [list(results), read(`${results}/report.json`)]
    for (const line of [
      `${load} http://127.0.0.1:1`,
      `${load} ${server.url} --dry-run`,
      `${check} ${server.url} --dry-run`,
      `${check} ${server.url} --only OAI-CHAR-01`,
      `${load} ${server.url} --rate x --report junit,html,json`,
      `${check} --target nowhere.yaml`,
      `rejudge ${results} --out ${results}`,
    ]) {
      await run(line)
      expect([list(results), read(`${results}/report.json`)], line).toEqual(before)
    }
    await run(`${check} ${server.url} --only OAI-CHAR-01 --report junit`)
    expect(list(results)).toEqual([...previous(), 'report.xml'])
  })
})

test('a stored report is not written into the folder of another run', async () => {
  await using server = await startModelsServer()
  const { run, ends, list, read } = folderOfRuns()
  for (const out of ['monday', 'tuesday']) await run(`${check} ${server.url} --out ${out}`)
  const render = 'report monday --report html --out'
  await ends(`${render} tuesday`, 2, { err: 'tuesday has the results of another run' })
  expect(list('tuesday')).not.toContain('report.html')
  const before = read('tuesday/report.json')
  await ends('report monday --report json --out tuesday', 2)
  expect(read('tuesday/report.json')).toBe(before)
  for (const out of ['monday', 'pages']) await ends(`${render} ${out}`, 0)
})

/** A pid that no process has: above the maximum of Linux and macOS. */
const nobody = 2 ** 22 + 1

function lockOf(pid: number, host = hostname()): string {
  return JSON.stringify({ pid, host, start: '1', command: 'check', since: '2026-01-01T00:00:00Z' })
}

describe('a folder in use by a run', () => {
  test('is refused to other commands that write results', async () => {
    await using server = await startModelsServer()
    const { start, ends, list, at } = workplace(withKey)
    // Outlasts all others.
    const load = start(`load ${server.url} --rate 1 --duration 300s --out same`)
    onTestFinished(() => void load.child.kill('SIGKILL'))
    await vi.waitUntil(() => existsSync(at('same/requests.ndjson')), { timeout: 60_000 })
    const before = list('same')
    const process = `process ${load.child.pid} (chatgen load, since 2`
    const err = `chatgen: --out: the folder same is in use by ${process}`
    for (const line of [
      `check ${server.url} --only OAI-MODELS-*`,
      `load ${server.url} --rate 1 --duration 1s`,
      `capacity ${server.url} --slo 'ttft.p95 < 1s'`,
    ])
      await ends(`${line} --out same`, 2, { out: /^$/, err })
    expect(list('same')).toEqual(before)
    load.child.kill('SIGINT')
    expect((await load.ended).code).toBe(130)
    expect(list('same')).not.toContain(lockName)
  })

  test('is free after its process ended in any way', async () => {
    await using server = await startModelsServer()
    for (const left of [lockOf(nobody), lockOf(process.pid), '', '{"pid":']) {
      const { run, list } = workplace(withKey, { [lockName]: left })
      const { code, stderr } = await run(`check ${server.url} --only OAI-MODELS-* --out .`)
      expect(stderr).not.toContain('in use')
      expect(code).not.toBe(2)
      expect(list()).toContain('report.json')
      expect(list()).not.toContain(lockName)
    }
  })

  test('of another machine remains in use, with instructions to free it', async () => {
    await using server = await startModelsServer()
    const lock = lockOf(7, 'elsewhere')
    const { ends, read } = workplace(withKey, { [lockName]: lock })
    const err = ['process 7 on elsewhere', `delete ${lockName}`]
    await ends(`check ${server.url} --out .`, 2, { err })
    expect(read(lockName)).toBe(lock)
  })
})

test('a stale lock is taken by only one of several processes', async () => {
  const module = new URL('folder-lock.ts', import.meta.url).href
  for (const round of [1, 2, 3, 4, 5, 6, 7, 8]) {
    const folder = emptyFolder()
    writeFileSync(join(folder, lockName), lockOf(nobody))
    const source = `
      const { lockFolder } = await import('${module}')
      process.stdout.write('ready')
      process.stdin.once('data', () => {
        try {
          lockFolder(${JSON.stringify(folder)})
          process.stdout.write(' held')
        } catch (error) {
          process.stdout.write(' ' + error.name)
        }
        process.stdin.once('data', () => process.exit())
      })`
    const children = Array.from({ length: 6 }, () => {
      const child = spawn(process.execPath, ['--input-type=module', '-e', source])
      let text = ''
      child.stdout.on('data', (bytes) => (text += bytes))
      return { child, text: () => text }
    })
    await vi.waitUntil(() => children.every(({ text }) => text() === 'ready'), { timeout: 60_000 })
    for (const { child } of children) child.stdin.write('1')
    await vi.waitUntil(() => children.every(({ text }) => text().includes(' ')), {
      timeout: 60_000,
    })
    for (const { child } of children) child.stdin.write('2')
    const outcomes = children.map(({ text }) => text()).sort()
    expect(outcomes, `round ${round}`).toEqual([
      ...Array(5).fill('ready ConfigurationError'),
      'ready held',
    ])
  }
})
