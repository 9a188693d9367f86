import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command } from 'commander'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { hostileReport } from '../../../reports/test-support/hostile.ts'
import { reportToJson } from '../../../reports/text/digest.ts'
import { reportOf, resultOf } from '../../conformance/test-support/reports.ts'
import { environmentWithout, givenFlags } from '../commands/ui.ts'
import { emptyFolder } from '../test-support/chatgen.ts'
import { resultAt, withParts } from './results.ts'
import { refusal } from './server.ts'
import { type Runner, Session } from './session.ts'

const older = reportToJson(hostileReport('plain').report)
const newer = older.replace(/"startedAt": *"[^"]*"/, '"startedAt": "2026-02-03T04:05:06.000Z"')

function sessionWith(runner: Runner) {
  const folder = emptyFolder()
  const part = join(folder, 'part-1')
  mkdirSync(part, { recursive: true })
  for (const one of [folder, part]) writeFileSync(join(one, 'report.json'), older)
  const result = resultAt('check', folder)
  result.parts = [{ name: 'part-1', ...hostileReport('plain') }]
  return { session: new Session([result], runner), part, folder }
}

const version = { args: ['--version'], env: process.env, isPrinted: false }

/** Resolves when the run has ended. */
async function runAll(session: Session): Promise<void> {
  expect(session.start('all')).toBe(true)
  await expect.poll(() => session.running).toBeNull()
}

test('parts are kept if a full run wrote no report', async () => {
  const { session, part } = sessionWith(() => version)
  await runAll(session)
  expect(session.results[0]?.parts).toHaveLength(1)
  expect(existsSync(part)).toBe(true)
})

test('parts are removed if a full run replaced the report', async () => {
  const { session, part, folder } = sessionWith((run) => {
    writeFileSync(join(run.folder, 'report.json'), newer)
    return version
  })
  await runAll(session)
  expect(session.results[0]?.parts).toEqual([])
  expect(existsSync(part)).toBe(false)
  expect(existsSync(join(folder, 'report.json'))).toBe(true)
})

test('a strict check stays violated while a warning is in no part', () => {
  const [one, other] = (['V3-SSE-07', 'V3-SSE-30'] as const).map((id) =>
    resultOf(id, { verdict: 'warn' }),
  )
  const checked = (...requirements: (typeof one)[]) => {
    const report = reportOf(
      requirements.flatMap((own) => own ?? []),
      { strict: true },
    )
    return { report, exchanges: new Map() }
  }
  const part = { name: 'part-1', ...checked(one && { ...one, verdict: 'pass' }) }
  expect(withParts(checked(one, other), [part]).report.outcome).toBe('violated')
  expect(withParts(checked(one), [part]).report.outcome).toBe('incomplete')
})

const page = { port: 4321, token: 'a-token-of-this-page' }
const own = { host: '127.0.0.1:4321' }
const bearer = { authorization: `Bearer ${page.token}` }
const at = (path: string) => new URL(path, 'http://127.0.0.1:4321')
const withToken = at(`/view?token=${page.token}`)
const printed = at(`/?token=${page.token}`)
const script = at('/assets/app.mjs')
const elsewhere = { ...own, 'sec-fetch-site': 'cross-site' }

test.each([
  ['the printed address', 'GET', printed, own],
  ['a link on another site', 'GET', printed, { ...elsewhere, 'sec-fetch-mode': 'navigate' }],
  ['events', 'GET', withToken, { ...own, 'sec-fetch-site': 'same-origin' }],
  ['a button', 'POST', at('/run'), { ...own, ...bearer, origin: 'http://127.0.0.1:4321' }],
  ['the other name of the machine', 'GET', withToken, { host: 'localhost:4321' }],
  ['a script of the page', 'GET', script, own],
])('%s is accepted', (_, method, url, headers) => {
  expect(refusal({ method, headers }, url, page)).toBeNull()
})

test.each([
  ['a name that resolves to this machine', 'GET', withToken, { host: 'evil.example:4321' }],
  ['another port in Host', 'GET', withToken, { host: '127.0.0.1:80' }],
  ['no Host', 'GET', withToken, {}],
  ['another origin', 'POST', at('/run'), { ...own, ...bearer, origin: 'http://127.0.0.1:9' }],
  ['a sandboxed frame', 'POST', at('/run'), { ...own, ...bearer, origin: 'null' }],
  ['an image on another site', 'GET', withToken, elsewhere],
  ['another port of the same site', 'GET', withToken, { ...own, 'sec-fetch-site': 'same-site' }],
  ['a script of the page, for another site', 'GET', script, elsewhere],
  ['a form with the token in its address', 'POST', at(`/run?token=${page.token}`), own],
  ['a path outside of the assets', 'GET', at('/assets/../view'), own],
])('%s is rejected', (_, method, url, headers) => {
  expect(refusal({ method, headers }, url, page)).not.toBeNull()
})

test('only the exact token is accepted', () => {
  const { token } = page
  const examples = ['', token, token.slice(0, -1), `${token} `, 'ä-token-of-this-pag']
  fc.assert(
    fc.property(fc.string(), (given) => {
      const url = at(`/view?${new URLSearchParams({ token: given })}`)
      const isAllowed = refusal({ method: 'GET', headers: own }, url, page) === null
      expect(isAllowed).toBe(given === token)
    }),
    { examples: examples.map((one) => [one]) },
  )
})

const command = new Command('x')
  .option('--out <dir>')
  .option('--only <glob>')
  .option('--watch [path]')
  .option('--ui')
  .option('--no-color')

test.each([
  ['http://a --out dir --ui', '--out dir'],
  ['--only A http://a --only=B --ui', '--only A --only=B'],
  ['--watch --no-color http://a', '--watch --no-color'],
  ['--watch src --ui --out --', '--watch src --out --'],
])('%s without --ui and arguments is %s', (line, kept) => {
  expect(givenFlags(command, line.split(' '), ['ui']).join(' ')).toBe(kept)
})

test('a dropped flag is removed with its value and its variable', () => {
  expect(givenFlags(command, ['--out', 'dir', '--only', 'A'], ['out'])).toEqual(['--only', 'A'])
  const env = { CHATGEN_OUT: 'dir', CHATGEN_DRY_RUN: 'true', CHATGEN_API_KEY: 'k', HOME: '/' }
  expect(environmentWithout(env, ['out', 'dryRun'])).toEqual({ CHATGEN_API_KEY: 'k', HOME: '/' })
})
