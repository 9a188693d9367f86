import { afterAll, describe, expect, test } from 'vitest'
import { documentedPrefixes, type Prefixes, type PrefixName } from '../../../contract/operations.ts'
import { startReferenceServer } from '../../../reference-server/index.ts'
import { forward, listen, type TestHost } from '../../client/test-support/listen-on-loopback.ts'
import { newChat, workplace } from '../test-support/chatgen.ts'
import {
  journalOf,
  key,
  reportIn as loadReportIn,
  lostName,
  withKey,
} from '../test-support/servers.ts'

const everywhere = '--prefix openai=/v1,v2=/n2,v3=/n3,knowledge=/bases'

const server = await startReferenceServer({ keys: [key] })
const compatible = await startPrefixFront(server.url, { openai: '/v1' })
const keyless = await startPrefixFront(server.url, { openai: '/v1' }, key)
const prefixes = { openai: '/v1', v2: '/n2', v3: '/n3', knowledge: '/bases' }
const whole = await startPrefixFront(server.url, prefixes)
afterAll(async () => {
  for (const front of [compatible, keyless, whole]) await front.close()
  await server.close()
})

describe('chatgen check', () => {
  test.each([
    ['the host', ''],
    ['the path of the surface', '/v1'],
  ])('finds the compatible surface from %s and prints its URL', async (_, path) => {
    const { run, ends, report } = workplace(withKey)
    const url = `${compatible.url}${path}`
    const { code, stderr } = await run(`check ${url} --profile wire`)
    expect(stderr).toContain(`the compatible surface is at ${compatible.url}/v1 (--prefix `)
    const { outcome, requirements, target } = report()
    expect(requirements.filter(({ verdict }) => ['fail', 'warn'].includes(verdict))).toEqual([])
    expect(requirements.find(({ id }) => id === 'OAI-CHAT-01')?.verdict).toBe('pass')
    expect(target).toMatchObject({ baseUrl: url, prefixes: { openai: path === '' ? '/v1' : '' } })
    expect([code, outcome]).toEqual([0, 'conforms'])
    await ends('rejudge chatgen-results --out again', 0)
  })

  test('makes authentication not applicable for a server without keys', async () => {
    const profile = { baseUrl: keyless.url, prefixes: { openai: '/v1' }, auth: 'none' }
    const { ends, read, report } = workplace(withKey, { 'target.json': JSON.stringify(profile) })
    await ends('check --target target.json --profile openai --skip OAI-MODELS-03', 0)
    const auth = report().requirements.filter(({ id }) => id.startsWith('OAI-AUTH'))
    expect(new Set(auth.map(({ verdict }) => verdict))).toEqual(new Set(['not-applicable']))
    expect(read('chatgen-results/exchanges.ndjson')).not.toContain('"authorization"')
  })

  test('judges all surfaces below their prefixes', async () => {
    const { run, report } = workplace(withKey)
    const only = 'V2-MSG,V3-HIST,V3-IDEM,VER,KB,V3-CHAT,OAI-STREAM'
    const { code, stdout, stderr } = await run(`check ${whole.url} ${everywhere} --only ${only}`)
    const { requirements } = report()
    expect(requirements.filter(({ verdict }) => /fail|warn|error/.test(verdict))).toEqual([])
    expect(requirements.find(({ id }) => id === 'VER-03')?.verdict).toBe('pass')
    expect(code, stderr).toBeLessThan(6)
    expect(stdout).not.toContain('/api/v3')
  })
})

test('chatgen init writes the prefixes into a usable profile', async () => {
  const { ends, read } = workplace(withKey)
  await ends(`init ${whole.url} ${everywhere}`, 0)
  const prefixes = 'prefixes: { openai: /v1, v2: /n2, v3: /n3, knowledge: /bases }'
  expect(read('target.yaml')).toContain(prefixes)
  await ends('check --target target.yaml --only OAI-CHAT,V3-GEN-02', 0)
})

test('chatgen load sends all kinds of requests below the prefixes', async () => {
  const v2Chat = { create: { method: 'POST', path: '/api/v2/chat', body: { name: '{name}' } } }
  const profile = { baseUrl: whole.url, prefixes, v2Chat }
  const { folder, run } = workplace(withKey, { 'target.json': JSON.stringify(profile) })
  const line = 'load --target target.json --rate 20 --duration 2s --quiet --mix all'
  const { stdout, stderr } = await run(line)
  const report = loadReportIn(folder)
  expect(report.rates.failed.count, stdout + stderr).toBe(0)
  expect(report.rates.completed.count).toBeGreaterThan(10)
  expect(report.integrity.findings).toEqual([])
})

test('chatgen bench and capacity find the compatible surface of a bare URL', async () => {
  const { run } = workplace(withKey)
  const located = `the compatible surface is at ${compatible.url}/v1`
  const bench = await run(`bench ${compatible.url} --only compatible* --duration 1s --json`)
  expect(bench.stderr).toContain(located)
  expect(JSON.parse(bench.stdout)).toMatchObject({ notMeasured: [], rows: [{}, {}] })
  expect([0, 6]).toContain(bench.code)

  const slo = "--slo 'e2e.p95 < 5s' --min 4 --max 8 --budget 10s --probe 2s"
  const searched = await run(`capacity ${compatible.url} ${slo} --surface openai --quiet`)
  expect(searched.stderr).toContain(located)
  expect(searched.stdout + searched.stderr).not.toContain('404')
})

test('chatgen cleanup uses the prefixes of the journal', async () => {
  const journal = journalOf(whole.url, undefined, { prefixes })
  const { ends } = workplace(withKey, { 'journal.ndjson': journal })
  await newChat(server.url, key, lostName)
  await ends('cleanup journal.ndjson', 0, { out: '1 chat deleted or already gone' })
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
