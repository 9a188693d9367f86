import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { workplace } from '../test-support/chatgen.ts'
import { startModelsServer, withKey } from '../test-support/servers.ts'

vi.setConfig({ testTimeout: 90_000 })

const results = 'chatgen-results'

/** A folder in which commands run with the key. */
function folderOfRuns() {
  const place = workplace(withKey)
  const { read, list } = place
  const previous = () => list(results).filter((name) => name.startsWith('previous-'))
  const kind = (): unknown => JSON.parse(read(`${results}/report.json`)).kind
  return { ...place, previous, kind }
}

const check = 'check --only OAI-MODELS-01'
const load = 'load --rate 20 --duration 500ms'

test.each([check, load])('%s keeps earlier results aside where no target answers', async (line) => {
  const { run, ends, list, read, previous } = folderOfRuns()
  const url = await (async () => {
    await using server = await startModelsServer()
    await run(`${line} ${server.url} --report html,json`)
    return server.url
  })()
  const contents = (folder: string) => list(folder).map((name) => [name, read(join(folder, name))])
  const before = contents(results)
  await ends(`${line} ${url}`, 3)
  const [aside = ''] = previous()
  expect(list(results)).toEqual([aside])
  expect(contents(join(results, aside))).toEqual(before)
})

test('a check whose files are deleted meanwhile ends with 2: its verdicts would have no evidence', async () => {
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

describe('results of another kind step aside, whole', () => {
  test('check, then load, then check in the default folder', async () => {
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

  test('what a killed check has left, and a report.json that is none', async () => {
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
  test('and a page that the run does not write steps aside', async () => {
    await using server = await startModelsServer()
    const { run, list, previous } = folderOfRuns()
    await run(`${check} ${server.url} --report html,junit`)
    const { stderr } = await run(`${check} ${server.url} --report junit`)
    const [aside = ''] = previous()
    expect(stderr).toContain(`report.html of an earlier run in ${results} moved to`)
    expect(list(join(results, aside))).toEqual(['report.html'])
    expect(list(results)).toContain('report.xml')
    await run(`${check} ${server.url} --report junit`)
    expect(previous()).toEqual([aside])
  })

  test('one that cannot begin touches nothing', async () => {
    await using server = await startModelsServer()
    const { run, list, read } = folderOfRuns()
    await run(`${check} ${server.url}`)
    const before = [list(results), read(`${results}/report.json`)]
    for (const line of [
      `${load} http://127.0.0.1:1`,
      `${load} ${server.url} --dry-run`,
      `${check} ${server.url} --dry-run`,
      `${check} --target nowhere.yaml`,
      `rejudge ${results} --out ${results}`,
    ]) {
      await run(line)
      expect([list(results), read(`${results}/report.json`)], line).toEqual(before)
    }
  })
})

test('pages of a stored report are not put beside the report of another run', async () => {
  await using server = await startModelsServer()
  const { run, ends, list } = folderOfRuns()
  for (const out of ['monday', 'tuesday']) await run(`${check} ${server.url} --out ${out}`)
  const render = 'report monday --report html --out'
  await ends(`${render} tuesday`, 2, { err: 'tuesday has the results of another run' })
  expect(list('tuesday')).not.toContain('report.html')
  for (const out of ['monday', 'pages']) await ends(`${render} ${out}`, 0)
})
