import { cpSync } from 'node:fs'
import fc from 'fast-check'
import { beforeAll, expect, test, vi } from 'vitest'
import { startReferenceServer } from '../../library/index.ts'
import { chatgen, expectEnd, type Texts, workplace } from '../test-support/chatgen.ts'
import { inProcess } from '../test-support/in-process.ts'
import { key, startModelsServer, withKey } from '../test-support/servers.ts'

/** report, rejudge and compare of runs whose server is gone: as they were stored, edited, and cut. */

vi.setConfig({ testTimeout: 90_000, hookTimeout: 120_000 })

const { folder, at, ends, list, read, report, run, write } = workplace()

/** A copy of results under another name, with one file changed. */
function edited(name: string, file: string, change: (text: string) => string, of = 'results') {
  cpSync(at(of), at(name), { recursive: true })
  write(`${name}/${file}`, change(read(`${name}/${file}`)))
}

/** Turns every failed requirement into a passed one, as a forger of a badge would. */
function allPass(text: string): string {
  const value = JSON.parse(text)
  for (const row of value.requirements) row.verdict = 'pass'
  return JSON.stringify({ ...value, outcome: 'conforms' }, null, 2)
}

beforeAll(async () => {
  await using server = await startModelsServer({ open: true })
  await using closed = await startModelsServer()
  const rows = '--only OAI-AUTH-01 --only OAI-MODELS-01'
  await chatgen(`check ${server.url} ${rows} --out results`, withKey, folder)
  await chatgen(`check ${closed.url} ${rows} --out closed`, withKey, folder)
  edited('forged', 'report.json', allPass)
  edited('old', 'report.json', (text) => JSON.stringify({ ...JSON.parse(text), digest: undefined }))
  edited('retold', 'exchanges.ndjson', (text) => text.replaceAll('"status":200', '"status":401'))
  edited('narrowed', 'run.json', (text) => text.replace('"OAI-AUTH-01",', ''))
  const load = await startReferenceServer({ keys: [key] })
  for (const shard of [0, 1]) {
    const plan = `--rate 20 --duration 1s --seed s --shard ${shard}/2`
    await chatgen(`load ${load.url} ${plan} --out shard-${shard}`, withKey, folder)
  }
  await load.close()
  edited('shard-2', 'report.json', (text) => text.replace('"opened": ', '"opened": 1'), 'shard-1')
  write('again/report.json', read('results/report.json'))
  write('killed/run.json', read('results/run.json'))
  const recorded = read('results/exchanges.ndjson')
  write('killed/exchanges.ndjson', recorded.slice(0, recorded.length / 3))
  write('known.yaml', 'OAI-AUTH-01: { because: the gateway is open }')
  write('wrong.yaml', 'OAI-MODELS-01: { because: x }')
})

const script = /curl -i|bash results\/repeat\/x\d+\.sh/
const change = /OAI-AUTH-01 {2}[\w ]+ → violated \(required\): different target URL/
const excepted = /^CONFORMS except 1 known violation {2}/
const reason = 'the gateway is open'
const sentence = 'report.json was edited after the run'
const formats = 'html,markdown,junit,badge,github,json'
const ofLoad = 'console,html,markdown,junit,csv,prometheus'
const other = /^EDITED {2}(exchanges\.ndjson|run\.json) was edited after the run/

/** Command lines, each with what standard output and standard error say, and what files contain after it. */
test.each<
  [line: string, code: number, texts: Texts, files?: Readonly<Record<string, string | RegExp>>]
>([
  ['report results', 0, { out: [/^VIOLATED/, script] }],
  [
    'report results/report.json --report html,junit',
    0,
    { out: /^Wrote results.report\.xml\nWrote results.report\.html\n$/ },
    { 'results/report.html': /^<!doctype html>/ },
  ],
  ['report results --report markdown --out apart', 0, {}, { 'apart/report.md': /^## / }],
  ['report results again --report badge --out badges', 0, {}, { 'badges/again/badge.svg': /svg/ }],
  ['report results --verbose --baseline known.yaml', 0, { out: [excepted, reason] }],
  [
    'report results --baseline wrong.yaml',
    0,
    { out: 'OAI-MODELS-01 passes now: delete its entry' },
  ],
  ['report results --baseline none.yaml', 2, { err: 'cannot read the baseline' }],
  ['report killed', 2, { err: 'Run chatgen rejudge killed to judge its recording' }],
  ['rejudge results --baseline known.yaml --quiet', 0, { out: excepted }],
  ['rejudge results', 1, { out: 'Results: results/rejudged' }],
  ['rejudge killed --allow-undecided OAI-* --out early', 5, { out: /left no\s+report\.json/ }],
  ['report shard-0 --baseline known.yaml', 2, { err: '--baseline applies only to checks' }],
  ['compare closed results', 1, { out: [change, /^WORSE/m] }],
  // Without its evidence, a report cannot be judged again.
  [
    'compare again closed/report.json --json',
    0,
    { out: ['"kind": "comparison"', 'again has no run.json and no exchanges.ndjson'] },
  ],
  // First and last.
  ['report forged', 2, { out: /^EDITED {2}report\.json was[\s\S]*\nEDITED/, err: sentence }],
  [
    `report forged --report ${formats} --out pages`,
    2,
    { out: `::error title=chatgen::${sentence}`, err: `chatgen: forged: ${sentence}` },
    {
      'pages/badge.svg': /^(?!.*conforms).*edited after the run/s,
      'pages/report.html': /<title>EDITED, [\s\S]*<strong>Edited<\/strong>/,
      'pages/report.md': `**Edited** ${sentence}`,
      'pages/report.xml': '<property name="digest" value="edited after the run"',
    },
  ],
  // Rendering it as JSON does not remove the doubt either.
  ['report pages', 2, { out: /^EDITED/ }],
  // Its evidence stands.
  ['rejudge forged', 1, { out: /^VIOLATED/ }],
  ['compare results forged', 2, { out: `chatgen: forged: ${sentence}` }],
  ['report retold', 2, { out: other, err: 'chatgen: retold: exchanges.ndjson was edited' }],
  ['rejudge retold', 2, { out: other, err: 'chatgen: retold: exchanges.ndjson was edited' }],
  ['report narrowed', 2, { out: other, err: 'chatgen: narrowed: run.json was edited' }],
  ['rejudge narrowed', 2, { out: other, err: 'chatgen: narrowed: run.json was edited' }],
  [
    'report old --report console,badge,junit --out aged',
    0,
    { out: /^VIOLATED[\s\S]*?\ndigest: report\.json lacks the digest/ },
    {
      'aged/badge.svg': /violated.*no digest/,
      'aged/report.xml': '<property name="digest" value="no digest"',
    },
  ],
  // The shards ran one after the other.
  ['report shard-0 shard-1 --report json --out merged', 6, { err: /^$/ }],
  ['report merged', 0, {}],
  [
    `report shard-2 --report ${ofLoad}`,
    2,
    { out: /^EDITED/ },
    {
      'shard-2/report.html': '<strong>Edited</strong>',
      'shard-2/report.md': '**Edited**',
      'shard-2/report.xml': 'value="edited after the run"',
      'shard-2/report.csv': ',edited after the run',
      'shard-2/report.prom': 'chatgen_load_edited 1',
    },
  ],
  [
    'report shard-0 shard-2 --report json --out spoilt',
    2,
    { err: `chatgen: shard-2: ${sentence}` },
  ],
  ['report spoilt', 2, { out: /^EDITED/ }],
])('chatgen %s ends with %i', async (line, code, texts, files = {}) => {
  const isReader = line.startsWith('report')
  if (isReader) expectEnd(await inProcess(line, {}, folder), code, texts)
  else await ends(line, code, texts)
  for (const [file, text] of Object.entries(files)) expect(read(file)).toMatch(text)
})

test('rejudged verdicts are those of the run, with scripts that repeat violations', async () => {
  const [name = ''] = list('results/repeat')
  expect(read(`results/repeat/${name}`)).toContain('curl -i')
  const { stdout } = await run('report results --json')
  expect(stdout).toBe(read('again/report.json'))
  expect(list('apart')).toEqual(['report.md'])
  expect(list('badges')).toEqual(['again', 'results'])
  const verdicts = (name: string) =>
    report(name).requirements.map(({ id, verdict, message }) => `${id} ${verdict} ${message}`)
  expect(verdicts('results/rejudged')).toEqual(verdicts('results'))
})

test('a killed run is rejudged from its recorded part', async () => {
  const { stderr, stdout } = await run('rejudge killed --out mended')
  expect(stderr).toContain('1 line cannot be read')
  expect(stdout).toMatch(/^undecided: [1-9]/m)
  await ends('report mended --report badge', 0)
})

test('compare compares two load runs', async () => {
  const { code, stdout } = await run('compare merged merged --json')
  expect(JSON.parse(stdout)).toMatchObject({ kind: 'load-comparison', design: 'separate' })
  expect([0, 5, 6]).toContain(code)
})

const blame = 'the target changed'

test('compare blames the target only if the settings are equal', async () => {
  const behavior = { open: false }
  await using server = await startModelsServer(behavior)
  const { run, write } = workplace(withKey)
  const check = async (out: string, profile: string, flags = '') => {
    write(`${out}.yaml`, `baseUrl: ${server.url}\n${profile}`)
    const only = `--only OAI-AUTH-01 --only V2-AUTH-02 ${flags}`
    await run(`check --target ${out}.yaml ${only} --out ${out}`)
  }
  await check('monday', 'v2Chat: { anyUuid: true }\n')
  await check('tuesday', 'limits: { settleMs: 1999 }\n')
  behavior.open = true
  await check('wednesday', 'limits: { settleMs: 1999 }\n', '--skip V2-*')
  await check('thursday', 'limits: { settleMs: 1999 }\n')

  const profile = await run('compare monday tuesday')
  expect(profile.stdout).toMatch(
    /The runs had different settings\n {2}profile {4}limits\.settleMs, v2Chat \(only in A\)/,
  )
  expect(profile.stdout).toMatch(/V2-AUTH-02 .*: the profiles differ \(v2Chat\)/)
  expect(profile.stdout).not.toContain(blame)

  const selection = await run('compare tuesday wednesday')
  expect(selection.stdout).toMatch(/ {2}selection {2}--only OAI-AUTH-01 .* → .* --skip V2-\*/)
  expect(selection.stdout).toMatch(/V2-AUTH-02 .*: the selections differ/)
  expect(selection.stdout).toMatch(/OAI-AUTH-01 .* → violated \(required\): the target changed/)

  const same = await run('compare tuesday thursday --json')
  const { newlyViolated, conditions } = JSON.parse(same.stdout)
  expect(newlyViolated).toMatchObject([{ id: 'OAI-AUTH-01', cause: 'target', members: [] }])
  expect(conditions).toMatchObject({ url: null, kit: null, selection: null, profile: [] })
  expect(same.code).toBe(1)
})

/** Files truncated at any byte: an error that names the file, or the rest. */

const noJson = /cut.report\.json is no(t valid)? JSON/
const noSettings = /the settings of the run cannot be read/
const isEdited = /(run\.json|exchanges\.ndjson) was edited after the run/

test.each<[file: string, line: string, says: RegExp]>([
  ['report.json', 'report cut', noJson],
  ['report.json', 'report cut --report html --out -', noJson],
  ['report.json', 'compare cut results --no-rejudge', noJson],
  ['report.json', 'compare results cut --no-rejudge', noJson],
  ['run.json', 'rejudge cut', noSettings],
  ['run.json', 'compare results cut --no-rejudge', isEdited],
  ['exchanges.ndjson', 'report cut', isEdited],
  ['exchanges.ndjson', 'compare cut results --no-rejudge', isEdited],
])('a truncated %s is reported by chatgen %s', async (name, line, says) => {
  for (const file of ['report.json', 'run.json', 'exchanges.ndjson'])
    write(`cut/${file}`, read(`results/${file}`))
  const text = read(`results/${name}`)
  const wholeLength = text.trimEnd().length
  await fc.assert(
    fc.asyncProperty(fc.nat(wholeLength - 1), async (length) => {
      write(`cut/${name}`, text.slice(0, length))
      const { code, stdout, stderr } = await inProcess(line, {}, folder)
      expect(stdout + stderr).toMatch(says)
      expect(code).toBe(2)
    }),
    { numRuns: 60, examples: [[0], [1], [wholeLength - 1]] },
  )
})
