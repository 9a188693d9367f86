import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { oddServer } from '../../load/test-support/odd-server.ts'
import { chatgen, emptyFolder, expectEnd } from '../test-support/chatgen.ts'
import { startModelsServer, withKey } from '../test-support/servers.ts'

vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 })

const folder = emptyFolder()
const read = (...path: string[]) => readFileSync(join(folder, ...path), 'utf8')
const run = (...args: string[]) => chatgen(args, {}, folder)
const report = (...args: string[]) => run('report', ...args)

/** A copy of the results under another name, with one file changed. */
function edited(name: string, file: string, change: (text: string) => string, of = 'results') {
  cpSync(join(folder, of), join(folder, name), { recursive: true })
  writeFileSync(join(folder, name, file), change(read(name, file)))
}

/** Turns every failed requirement into a passed one, as a forger of a badge would. */
function allPass(text: string): string {
  const value = JSON.parse(text)
  for (const row of value.requirements) row.verdict = 'pass'
  return JSON.stringify({ ...value, outcome: 'conforms' }, null, 2)
}

function withoutDigest(text: string): string {
  const { digest: _, ...rest } = JSON.parse(text)
  return JSON.stringify(rest, null, 2)
}

beforeAll(async () => {
  await using server = await startModelsServer({ open: true })
  const only = ['--only', 'OAI-AUTH-01', '--only', 'OAI-MODELS-01', '--out', 'results']
  const { code } = await chatgen(['check', server.url, ...only], withKey, folder)
  expect(code).toBe(1)
  edited('forged', 'report.json', allPass)
  edited('old', 'report.json', withoutDigest)
  edited('retold', 'exchanges.ndjson', (text) => text.replaceAll('"status":200', '"status":401'))
  edited('narrowed', 'run.json', (text) => text.replace('"OAI-AUTH-01",', ''))
})

describe('a report that was edited to pass', () => {
  const sentence = 'report.json was edited after the run'

  test('is told on the console before its outcome, and ends with 2', async () => {
    const ended = await report('forged')
    const out = /^EDITED {2}report\.json was edited after the run/
    expectEnd(ended, 2, { out, err: `chatgen: forged: ${sentence}` })
    expect(ended.stdout.match(/^EDITED/gm)).toHaveLength(2)
  })

  test('is told in every other format, and on no badge as conforming', async () => {
    const formats = 'html,markdown,junit,badge,github,json'
    const ended = await report('forged', '--report', formats, '--out', 'pages')
    expectEnd(ended, 2, { out: `::error title=chatgen::${sentence}` })
    expect(read('pages', 'badge.svg')).toContain('edited after the run')
    expect(read('pages', 'badge.svg')).not.toContain('conforms')
    expect(read('pages', 'report.html')).toMatch(/<title>EDITED, [\s\S]*<strong>Edited<\/strong>/)
    expect(read('pages', 'report.md')).toContain(`**Edited** ${sentence}`)
    expect(read('pages', 'report.xml')).toContain(
      '<property name="digest" value="edited after the run"',
    )
    // Rendering it as JSON does not remove the doubt either.
    expectEnd(await report('pages'), 2, { out: /^EDITED/ })
  })

  test('is judged again from its evidence, which stands', async () => {
    expectEnd(await run('rejudge', 'forged'), 1, { out: /^VIOLATED/ })
  })
})

test('a comparison with a report that was edited ends with 2, and says so', async () => {
  const out = /chatgen: forged: report\.json was edited/
  expectEnd(await run('compare', 'results', 'forged'), 2, { out })
})

test.each([
  ['retold', 'exchanges.ndjson'],
  ['narrowed', 'run.json'],
])('%s: report and rejudge tell that %s was edited, and end with 2', async (name, file) => {
  for (const command of ['report', 'rejudge']) {
    const sentence = `${file} was edited after the run`
    const out = new RegExp(`^EDITED {2}${sentence}`)
    expectEnd(await run(command, name), 2, { out, err: `chatgen: ${name}: ${sentence}` })
  }
})

test('a report without its digest is read, and said to be without digest', async () => {
  const ended = await report('old', '--report', 'console,badge,junit', '--out', 'aged')
  expectEnd(ended, 0, { out: /^VIOLATED[\s\S]*?\ndigest: report\.json has no digest/ })
  expect(read('aged', 'badge.svg')).toContain('no digest')
  expect(read('aged', 'badge.svg')).toContain('violated')
  expect(read('aged', 'report.xml')).toContain('<property name="digest" value="no digest"')
})

test('reports of a load that were edited are told, and such a shard spoils the merge', async () => {
  const { url } = await oddServer(() => 'well')
  for (const shard of ['0', '1']) {
    const args = ['--rate', '20', '--duration', '1s', '--seed', 's', '--shard', `${shard}/2`]
    await chatgen(['load', url, ...args, '--out', `shard-${shard}`], withKey, folder)
  }
  const whole = await report('shard-0', 'shard-1', '--report', 'json', '--out', 'whole')
  expect([whole.code, whole.stderr]).toEqual([0, ''])
  expect((await report('whole')).code).toBe(0)
  const faster = (text: string) => text.replace('"opened": ', '"opened": 1')
  edited('shard-2', 'report.json', faster, 'shard-1')
  const forged = await report('shard-2', '--report', 'console,html,markdown,junit,csv,prometheus')
  expectEnd(forged, 2, { out: /^EDITED/ })
  expect(read('shard-2', 'report.html')).toContain('<strong>Edited</strong>')
  expect(read('shard-2', 'report.md')).toContain('**Edited**')
  expect(read('shard-2', 'report.xml')).toContain('value="edited after the run"')
  expect(read('shard-2', 'report.csv')).toContain(',edited after the run')
  expect(read('shard-2', 'report.prom')).toContain('chatgen_load_edited 1')
  const spoilt = await report('shard-0', 'shard-2', '--report', 'json', '--out', 'spoilt')
  expectEnd(spoilt, 2, { err: 'chatgen: shard-2: report.json was edited after the run' })
  expect((await report('spoilt')).stdout).toMatch(/^EDITED/)
})
