import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { documentedPrefixes, type Prefixes, type PrefixName } from '../../../contract/operations.ts'
import { type ReferenceServer, startReferenceServer } from '../../../reference-server/index.ts'
import { forward, listen, type TestHost } from '../../client/test-support/listen-on-loopback.ts'
import { reportIn as loadReportIn } from '../load/test-support/loading.ts'
import { chatgen, emptyFolder, expectEnd, newChat, reportIn } from '../test-support/chatgen.ts'
import { journalOf, lostName } from '../test-support/journals.ts'

const key = 'sk-prefixes-4711'
const withKey = { CHATGEN_API_KEY: key }
const all = ['openai=/v1', 'v2=/n2', 'v3=/n3', 'knowledge=/bases']
const everywhere = all.flatMap((prefix) => ['--prefix', prefix])

let server: ReferenceServer
let compatible: TestHost
let keyless: TestHost
let whole: TestHost
beforeAll(async () => {
  server = await startReferenceServer({ keys: [key] })
  compatible = await startPrefixFront(server.url, { openai: '/v1' })
  keyless = await startPrefixFront(server.url, { openai: '/v1' }, key)
  const prefixes = { openai: '/v1', v2: '/n2', v3: '/n3', knowledge: '/bases' }
  whole = await startPrefixFront(server.url, prefixes)
})
afterAll(async () => {
  for (const front of [compatible, keyless, whole]) await front.close()
  await server.close()
})

describe('chatgen check', () => {
  test.each([
    ['the host', ''],
    ['the path of the surface', '/v1'],
  ])('finds the compatible surface from %s, and says where', async (_, path) => {
    const folder = emptyFolder()
    const url = `${compatible.url}${path}`
    const run = await chatgen(['check', url, '--profile', 'wire'], withKey, folder)
    expect(run.stderr).toContain(`the compatible surface is at ${compatible.url}/v1 (--prefix `)
    const { outcome, requirements, target } = reportIn(join(folder, 'chatgen-results'))
    expect(requirements.filter(({ verdict }) => ['fail', 'warn'].includes(verdict))).toEqual([])
    expect(requirements.find(({ id }) => id === 'OAI-CHAT-01')?.verdict).toBe('pass')
    expect(target).toMatchObject({ baseUrl: url, prefixes: { openai: path === '' ? '/v1' : '' } })
    expect([run.code, outcome]).toEqual([0, 'conforms'])

    const again = ['rejudge', 'chatgen-results', '--out', 'again']
    expectEnd(await chatgen(again, {}, folder), 0)
  })

  test('of a server without keys calls authentication not applicable, never passed', async () => {
    const folder = emptyFolder()
    const profile = { baseUrl: keyless.url, prefixes: { openai: '/v1' }, auth: 'none' }
    writeFileSync(join(folder, 'target.json'), JSON.stringify(profile))
    const args = ['--target', 'target.json', '--profile', 'openai', '--skip', 'OAI-MODELS-03']
    expectEnd(await chatgen(['check', ...args], withKey, folder), 0)
    const { requirements } = reportIn(join(folder, 'chatgen-results'))
    const auth = requirements.filter(({ id }) => id.startsWith('OAI-AUTH'))
    expect(new Set(auth.map(({ verdict }) => verdict))).toEqual(new Set(['not-applicable']))
    const sent = readFileSync(join(folder, 'chatgen-results', 'exchanges.ndjson'), 'utf8')
    expect(sent).not.toContain('"authorization"')
  })

  test('judges all surfaces below their prefixes', async () => {
    const folder = emptyFolder()
    const only = ['V2-MSG', 'V3-HIST', 'V3-IDEM', 'VER', 'KB', 'V3-CHAT', 'OAI-STREAM']
    const args = ['check', whole.url, ...everywhere, '--only', only.join(',')]
    const run = await chatgen(args, withKey, folder)
    const { requirements } = reportIn(join(folder, 'chatgen-results'))
    expect(requirements.filter(({ verdict }) => /fail|warn|error/.test(verdict))).toEqual([])
    expect(requirements.find(({ id }) => id === 'VER-03')?.verdict).toBe('pass')
    expect(run.code, run.stderr).toBeLessThan(6)
    expect(run.stdout).not.toContain('/api/v3')
  })
})

test('chatgen init writes the prefixes, and its profile can be used', async () => {
  const folder = emptyFolder()
  expectEnd(await chatgen(['init', whole.url, ...everywhere], withKey, folder), 0)
  const text = readFileSync(join(folder, 'target.yaml'), 'utf8')
  expect(text).toContain('prefixes: { openai: /v1, v2: /n2, v3: /n3, knowledge: /bases }')
  const args = ['check', '--target', 'target.yaml', '--only', 'OAI-CHAT,V3-GEN-02']
  expectEnd(await chatgen(args, withKey, folder), 0)
})

test('chatgen load sends every kind of request below the prefixes, and leaves no chat', async () => {
  const folder = emptyFolder()
  const prefixes = { openai: '/v1', v2: '/n2', v3: '/n3' }
  const v2Chat = { create: { method: 'POST', path: '/api/v2/chat', body: { name: '{name}' } } }
  const profile = { baseUrl: whole.url, prefixes, v2Chat }
  writeFileSync(join(folder, 'target.json'), JSON.stringify(profile))
  const args = ['load', '--target', 'target.json', '--rate', '20', '--duration', '2s', '--quiet']
  const run = await chatgen([...args, '--mix', 'all'], withKey, folder)
  const report = loadReportIn(folder)
  expect(report.rates.failed.count, run.stdout + run.stderr).toBe(0)
  expect(report.rates.completed.count).toBeGreaterThan(10)
  expect(report.integrity.findings).toEqual([])
})

test('chatgen bench, capacity and certify find the compatible surface of a bare URL', async () => {
  const folder = emptyFolder()
  const located = `the compatible surface is at ${compatible.url}/v1`
  const bench = ['bench', compatible.url, '--only', 'compatible*', '--duration', '1s']
  const run = await chatgen([...bench, '--json'], withKey, folder)
  expect(run.stderr).toContain(located)
  expect(JSON.parse(run.stdout)).toMatchObject({ notMeasured: [], rows: [{}, {}] })
  expect([0, 6]).toContain(run.code)

  const slo = ['--slo', 'e2e.p95 < 5s', '--min', '4', '--max', '8', '--budget', '10s']
  const surface = ['--surface', 'openai', '--probe', '2s', '--quiet']
  const capacity = ['capacity', compatible.url, ...slo, ...surface]
  const searched = await chatgen(capacity, withKey, folder)
  expect(searched.stderr).toContain(located)
  expect(searched.stdout + searched.stderr).not.toContain('404')
})

test('chatgen cleanup takes the prefixes of the journal', async () => {
  const folder = emptyFolder()
  const prefixes = { openai: '/v1', v3: '/n3' }
  await newChat(server.url, key, lostName)
  writeFileSync(join(folder, 'journal.ndjson'), journalOf(whole.url, undefined, { prefixes }))
  const ended = await chatgen(['cleanup', 'journal.ndjson'], withKey, folder)
  expectEnd(ended, 0, { out: '1 chat deleted or already gone' })
})

/**
 * A front that serves surfaces of a service below other paths, and answers 404 elsewhere.
 * @param key added to every request, for a front that needs none itself
 */
function startPrefixFront(target: string, prefixes: Prefixes, key?: string): Promise<TestHost> {
  const entries = Object.entries(prefixes) as [PrefixName, string][]
  const headers = key === undefined ? {} : { authorization: `Bearer ${key}` }
  return listen((incoming, outgoing) => {
    const { url = '/' } = incoming
    const entry = entries.find(([, prefix]) => url === prefix || url.startsWith(`${prefix}/`))
    const [name, prefix] = entry ?? entries.find(([, each]) => url.startsWith(`${each}?`)) ?? []
    if (name === undefined || prefix === undefined) {
      outgoing.writeHead(404, { 'content-type': 'application/json' })
      outgoing.end('{"error":{"message":"Not Found","type":"invalid_request_error"}}')
      return
    }
    const path = `${documentedPrefixes[name]}${url.slice(prefix.length)}`
    forward(target, incoming, outgoing, { path, headers })
  })
}
