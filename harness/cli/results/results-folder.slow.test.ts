import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { chatgen, emptyFolder, expectEnd } from '../test-support/chatgen.ts'
import { startModelsServer, withKey } from '../test-support/servers.ts'

vi.setConfig({ testTimeout: 90_000 })

const results = 'chatgen-results'

/** An empty folder, in which commands run with the key. */
function folderOfRuns() {
  const where = emptyFolder()
  const list = (name: string) => readdirSync(join(where, name)).toSorted()
  return {
    cwd: where,
    run: (args: readonly string[], ...more: readonly string[]) =>
      chatgen([...args, ...more], withKey, where),
    list,
    read: (name: string) => readFileSync(join(where, name), 'utf8'),
    kind: (name: string): unknown =>
      JSON.parse(readFileSync(join(where, name, 'report.json'), 'utf8')).kind,
    previous: () => list(results).filter((name) => name.startsWith('previous-')),
  }
}

const check = ['check', '--only', 'OAI-MODELS-01'] as const
const load = ['load', '--rate', '20', '--duration', '500ms'] as const

const commands: readonly (readonly string[])[] = [check, load]

test.each(commands.map((args) => ({ args })))(
  '$args.0 keeps earlier results aside where no target answers',
  async ({ args }) => {
    const { run, list, read, previous } = folderOfRuns()
    const url = await (async () => {
      await using server = await startModelsServer()
      await run(args, server.url, '--report', 'html,json')
      return server.url
    })()
    const before = list(results).map((name) => [name, read(join(results, name))])
    const unreachable = await run(args, url)
    expect(unreachable.code).toBe(3)
    const [aside = ''] = previous()
    expect(list(results)).toEqual([aside])
    const kept = list(join(results, aside)).map((name) => [name, read(join(results, aside, name))])
    expect(kept).toEqual(before)
  },
)

test('a check whose files are deleted meanwhile ends with 2: its verdicts would have no evidence', async () => {
  const cwd = emptyFolder()
  await using server = await startModelsServer({
    delayMs: 100,
    onRequest(count) {
      if (count !== 6) return
      for (const name of readdirSync(join(cwd, results))) rmSync(join(cwd, results, name))
    },
  })
  const ended = await chatgen([...check, '--profile', 'openai', server.url], withKey, cwd)
  expectEnd(ended, 2, { err: 'run.json was deleted during the run' })
})

describe('results of another kind step aside, whole', () => {
  test('check, then load, then check in the default folder', async () => {
    await using server = await startModelsServer()
    const { cwd, run, list, read, kind, previous } = folderOfRuns()
    await run(check, server.url, '--report', 'html,json')
    writeFileSync(join(cwd, results, 'notes.txt'), 'mine')
    const evidence = read(`${results}/exchanges.ndjson`)
    expect(evidence).not.toBe('')

    const loaded = await run(load, server.url)
    const [aside = ''] = previous()
    expect(aside).toMatch(/^previous-check-\d{8}T\d{6}Z$/)
    expect(loaded.stderr).toContain(
      `chatgen: results of an earlier check in ${results} moved to ${join(results, aside)}`,
    )
    expect(list(results)).toEqual(['notes.txt', aside, 'report.json', 'requests.ndjson'])
    expect(kind(results)).toBe('load-report')
    expect(list(join(results, aside))).toEqual(
      expect.arrayContaining(['exchanges.ndjson', 'report.html', 'report.json', 'run.json']),
    )
    expect(read(join(results, aside, 'exchanges.ndjson'))).toBe(evidence)

    const again = await run(check, server.url)
    expect(again.stderr).toContain(`results of an earlier load run in ${results} moved to`)
    expect(previous()).toHaveLength(2)
    expect(kind(results)).toBe('conformance-report')
    // The folder moved aside is still a complete results folder.
    const rejudged = await chatgen(['rejudge', join(results, aside)], {}, cwd)
    expect(rejudged.code).not.toBe(2)
  })

  test('what a killed check has left, and a report.json that is none', async () => {
    await using server = await startModelsServer()
    const { cwd, run, list, read, previous } = folderOfRuns()
    mkdirSync(join(cwd, results))
    writeFileSync(join(cwd, results, 'run.json'), '{}')
    writeFileSync(join(cwd, results, 'exchanges.ndjson'), '')
    await run(load, server.url)
    expect(previous()).toHaveLength(1)
    expect(list(join(results, previous()[0] ?? ''))).toEqual(['exchanges.ndjson', 'run.json'])
    writeFileSync(join(cwd, results, 'report.json'), '{"kind":"something of yours"}')
    await run(load, server.url)
    const unknown = previous().find((name) => name.startsWith('previous-unknown-')) ?? ''
    expect(read(join(results, unknown, 'report.json'))).toContain('something of yours')
  })
})

describe('results of the same kind are replaced', () => {
  test('and a page that the run does not write steps aside', async () => {
    await using server = await startModelsServer()
    const { run, list, previous } = folderOfRuns()
    await run(check, server.url, '--report', 'html,junit')
    const { stderr } = await run(check, server.url, '--report', 'junit')
    const [aside = ''] = previous()
    expect(stderr).toContain(`report.html of an earlier run in ${results} moved to`)
    expect(list(join(results, aside))).toEqual(['report.html'])
    expect(list(results)).toContain('report.xml')
    await run(check, server.url, '--report', 'junit')
    expect(previous()).toEqual([aside])
  })

  test('one that cannot begin touches nothing', async () => {
    await using server = await startModelsServer()
    const { cwd, run, list, read } = folderOfRuns()
    await run(check, server.url)
    const before = [list(results), read(`${results}/report.json`)]
    for (const args of [
      [...load, 'http://127.0.0.1:1'],
      [...load, server.url, '--dry-run'],
      [...check, server.url, '--dry-run'],
      [...check, '--target', 'nowhere.yaml'],
      ['rejudge', results, '--out', results],
    ]) {
      await chatgen(args, withKey, cwd)
      expect([list(results), read(`${results}/report.json`)], args.join(' ')).toEqual(before)
    }
  })
})

describe('pages of a stored report', () => {
  test('are not put beside the report of another run', async () => {
    await using server = await startModelsServer()
    const cwd = emptyFolder()
    for (const out of ['monday', 'tuesday']) {
      await chatgen([...check, server.url, '--out', out], withKey, cwd)
    }
    const args = ['report', 'monday', '--report', 'html', '--out']
    const err = 'tuesday has the results of another run'
    expectEnd(await chatgen([...args, 'tuesday'], {}, cwd), 2, { err })
    expect(readdirSync(join(cwd, 'tuesday'))).not.toContain('report.html')
    for (const out of ['monday', 'pages']) expectEnd(await chatgen([...args, out], {}, cwd), 0)
  })
})
