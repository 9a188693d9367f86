import { readdirSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { ended } from '../../client/test-support/listen-on-loopback.ts'
import { startReferenceServer } from '../../library/index.ts'
import { emptyFolder, expectEnd, workplace } from '../test-support/chatgen.ts'
import { key, startModelsServer, withKey } from '../test-support/servers.ts'

const rows = '--only OAI-AUTH-01 --only OAI-MODELS-01 --out results'

/** Checks an open server, with these further files in the folder. */
async function check(
  more: string,
  files: Readonly<Record<string, string>> = {},
  env: Readonly<Record<string, string>> = {},
) {
  const place = workplace({ ...withKey, ...env }, files)
  await using server = await startModelsServer({ open: true })
  return { ...place, ...(await place.run(`check ${server.url} ${rows} ${more}`)) }
}

test('needs no home folder, and writes nothing there', async () => {
  const home = emptyFolder()
  expectEnd(await check('--quiet', {}, { HOME: home, XDG_DATA_HOME: '' }), 1)
  expect(readdirSync(home)).toEqual([])
})

test('ends with 2 if there is no folder for temporary files', async () => {
  const err = /cannot create a temporary folder: ENOTDIR.*Set TMPDIR to/
  expectEnd(await check('--quiet', {}, { TMPDIR: '/dev/null/none' }), 2, { err })
})

test('--report github prints annotations beside other output', async () => {
  const { stdout } = await check('--report console,github')
  expect(stdout).toMatch(/^VIOLATED[\s\S]*^::error title=OAI-AUTH-01::/m)
})

test('--report github leaves standard output to --json', async () => {
  const { stdout, stderr } = await check('--report github --json', {}, { GITHUB_ACTIONS: 'true' })
  expect(JSON.parse(stdout)).toMatchObject({ outcome: 'violated' })
  expect(stderr).toMatch(/^::error title=OAI-AUTH-01::/m)
})

test('--baseline ends with 1 if a requirement fails differently from its entry', async () => {
  const files = { 'known.yaml': 'OAI-AUTH-01: { because: x, fingerprint: v4-0123456789abcdef }' }
  const out = /^VIOLATED[\s\S]*fails\s+differently/
  expectEnd(await check('--baseline known.yaml', files), 1, { out })
})

test('--update-baseline writes drafts, and their completion makes the next run end with 0', async () => {
  const line = '--baseline known.yaml --quiet'
  const first = await check(`${line} --update-baseline`)
  expectEnd(first, 1, { out: 'added (set "because" where it is TO BE WRITTEN): OAI-AUTH-01' })
  expect(first.read('known.yaml')).toMatch(
    /OAI-AUTH-01:\n {2}because: TO BE WRITTEN\n {2}fingerprint: v4-/,
  )

  const written = first.read('known.yaml').replace('TO BE WRITTEN', 'the gateway is open')
  const second = await check(`${line} --seed another`, { 'known.yaml': written })
  expect([second.code, second.stderr]).toEqual([0, ''])

  const third = await check(`${line} --update-baseline`, { 'known.yaml': written })
  expect(third.stdout).toContain('is up to date')
  expect([third.code, third.read('known.yaml')]).toEqual([0, written])
})

test('--failed checks only requirements that failed, and none if all passed', async () => {
  const { run, ends, read, write, report } = workplace(withKey)
  const faults = ['openai.chat: object is lost']
  const broken = await startReferenceServer({ keys: [key], faults })
  const line = `check ${broken.url}`
  await ends(`${line} --only OAI-CHAT-03 --only OAI-MODELS-01`, 1)
  await ends(`${line} --failed`, 1, { out: 'Checked only the 1 requirement that failed before' })
  expect(report().requirements.map(({ id }) => id)).toEqual(['OAI-CHAT-03'])
  const elsewhere = /--failed: chatgen-results has results of \S+: run/
  await ends(`${line} --url ${broken.url.replace('127.0.0.1', 'localhost')} --failed`, 2, {
    err: elsewhere,
  })
  await broken.close()
  // A run without results moves earlier ones aside; they are found there.
  await ends(`${line} --failed`, 3)

  ended(await startReferenceServer({ keys: [key], port: Number(new URL(broken.url).port) }))
  await ends(`${line} --failed`, 0)
  const nothing = /^Nothing in this selection was violated or undecided/
  await ends(`${line} --failed`, 0, { out: nothing })
  const { stdout } = await run(`${line} --failed --json`)
  expect(JSON.parse(stdout)).toMatchObject({ outcome: 'conforms', totals: { pass: 1 } })
  write('known.yaml', 'OAI-CHAT-03: { because: x }')
  const stale = 'OAI-CHAT-03 passes now: delete its entry'
  await ends(`${line} --failed --baseline known.yaml`, 1, { out: stale })
  const stored = 'chatgen-results/report.json'
  write(stored, read(stored).replace('"strict": false', '"strict": true'))
  const edited = 'the results in chatgen-results were edited after their run'
  await ends(`${line} --failed`, 2, { err: edited })
}, 240_000)

test('--fail-fast ends at the first violation', async () => {
  const { ends, report } = workplace(withKey)
  await using server = await startModelsServer({ open: true })
  const line = `check ${server.url} --profile openai --jobs 1 --fail-fast`
  await ends(line, 1, { out: '(--fail-fast)' })
  const { stopped, requirements } = report()
  expect(stopped).toMatch(/^ended at the first violation, OAI-\w+-\d\d \(--fail-fast\)$/)
  expect(requirements.filter(({ verdict }) => verdict === 'unproven').length).toBeGreaterThan(20)
})

test('--watch runs again if a file changes or the target is back', async () => {
  const { start, write } = workplace(withKey, { 'src/server.ts': '' })
  const first = await startReferenceServer({ keys: [key] })
  write('known.yaml', '{}')
  const line = `check ${first.url} --only OAI-MODELS-01 --watch src --quiet --baseline known.yaml`
  const { child, ended, stderr } = start(line)
  const waits = () => stderr.text.split('waiting for a change').length - 1
  await expect.poll(waits, { timeout: 30_000 }).toBe(1)
  write('src/server.ts', 'changed')
  await expect.poll(waits, { timeout: 30_000 }).toBe(2)
  expect(stderr.text).toContain('src/server.ts changed')
  for (const [text, waited] of [
    ['not yaml: [', 3],
    ['{}', 4],
  ] as const) {
    write('known.yaml', text)
    write('src/server.ts', text)
    await expect.poll(waits, { timeout: 30_000 }).toBe(waited)
  }
  expect(stderr.text).toContain('known.yaml:1: ')
  await first.close()
  // Longer than the polling interval.
  await sleep(1_000)
  const second = await startReferenceServer({ keys: [key], port: Number(new URL(first.url).port) })
  await expect.poll(waits, { timeout: 30_000 }).toBe(5)
  expect(stderr.text).toContain('the target is back')
  child.kill('SIGINT')
  expect((await ended).code).toBe(130)
  await second.close()
}, 120_000)

test('--allow-undecided accepts undecided requirements by name, and no violations', async () => {
  const server = ended(await startReferenceServer({ keys: [key] }))
  const { ends, report } = workplace(withKey)
  const line = `check ${server.url} --only OAI-MODELS-01 --only V3-ATT-11`
  await ends(line, 5)
  const out = /^CONFORMS except 1 undecided requirement \(--allow-undecided V3-ATT-\*\) {2}/
  await ends(`${line} --allow-undecided V3-ATT-*`, 0, { out })
  const allowed = { globs: ['V3-ATT-*'], ids: ['V3-ATT-11'] }
  expect(report().allowedUndecided).toEqual(allowed)
  await ends('rejudge chatgen-results', 5)
  await ends('rejudge chatgen-results --allow-undecided V3-ATT-*', 0, { out })
  await ends(`${line} --allow-undecided KB-*`, 5)
}, 120_000)
