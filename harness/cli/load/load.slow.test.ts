import { spawnSync } from 'node:child_process'
import { describe, expect, test, vi } from 'vitest'
import { type LoadReport, loadReport } from '../../../reports/load/model/report.ts'
import { ended } from '../../client/test-support/listen-on-loopback.ts'
import {
  certificate,
  certificateFile,
  proxyTo,
  startTlsServer,
} from '../../client/test-support/tls-front.ts'
import { oddServer } from '../../load/test-support/odd-server.ts'
import { bundledServer } from '../target/target.ts'
import { bin, chatgen, emptyFolder, expectEnd, workplace } from '../test-support/chatgen.ts'
import { load, reportIn, served, withKey } from '../test-support/servers.ts'

vi.setConfig({ testTimeout: 180_000 })

describe('chatgen load', () => {
  test('sends each kind of transaction without errors', async () => {
    const url = await served()
    const create = '{ method: POST, path: /api/v2/chat, body: { name: "{name}" } }'
    const profile = `baseUrl: ${url}\nv2Chat: { create: ${create} }\n`
    const { folder } = workplace({}, { 'target.yaml': profile, 'mix.yaml': mixOfAll })
    const size = '--concurrency 6 --duration 5s --races 0.3 --seed all'
    // A busy machine may make the figures invalid; what was sent and judged is the same.
    const { report } = await load(`--target target.yaml --mix mix.yaml ${size}`, folder)
    expect(report).toMatchObject({ errors: [], faults: [], notes: [], integrity: { findings: [] } })
    const operations = report.transactions.flatMap(({ name, requests }) =>
      requests.map(({ operation, form }) => `${name}: ${operation} ${form}`),
    )
    // The number of chats created during the run depends on its speed.
    const sent = new Set(operations.filter((operation) => !operation.includes('createChat')))
    expect([...sent].sort()).toMatchInlineSnapshot(`
      [
        "one-shot-json: v3.oneShot json",
        "one-shot-stream: v3.oneShot stream",
        "openai-json: openai.chat json",
        "openai-stream: openai.chat stream",
        "v2-turn: v2.generate json",
        "v2-turn: v2.message json",
        "v3-chat: v3.generate stream",
        "v3-history: v3.history json",
        "v3-json: v3.generate json",
        "v3-json: v3.history json",
        "v3-stream think=false: v3.generate stream",
        "v3-stream think=false: v3.history json",
        "v3-stream think=true: v3.generate stream",
        "v3-stream think=true: v3.history json",
      ]
    `)
    expect(report.integrity.idempotencyRaces).toMatchObject({ doubled: 0, unreadable: 0 })
    expect(report.integrity.idempotencyRaces.races).toBeGreaterThan(0)
    expect(report.integrity.crossTalk).toMatchObject({ leaks: 0 })
  })

  test('blames its own limit of open files, not the target', async () => {
    const line = `load ${await served()} --concurrency 80 --duration 2s --mix openai-json`
    const shell = ['-c', 'ulimit -n 64; exec "$0" "$@"', process.execPath, bin, ...line.split(' ')]
    const { status, stdout } = spawnSync('bash', shell, {
      cwd: emptyFolder(),
      env: { ...process.env, ...withKey },
      encoding: 'utf8',
    })
    expectEnd({ code: status, stdout, stderr: '' }, 6, {
      out: /reason: this machine could not open \d+ connections \(EMFILE\)/,
    })
  })

  test.each([
    ['v3-stream', 'V3-CTX-02'],
    ['openai-stream', 'LOAD-CROSS-TALK'],
  ])('detects cross-talk of a busy target: %s breaks %s', async (mix, row) => {
    const url = await served('--fault load-answers-of-others')
    const ended = await load(`${url} --rate 60 --arrival constant --duration 3s --mix ${mix}`)
    const { findings, crossTalk } = ended.report.integrity
    const [finding, ...others] = findings
    expect(finding).toMatchObject({ id: row, level: 'required' })
    expect(finding?.first.why).toMatch(
      /^The answer contains zq\w+, which another request of the run/,
    )
    expect(finding?.broken).toBe(crossTalk.leaks)
    expect(others).toEqual([])
    expectEnd(ended, 1)
  })

  test('detects lost races of idempotency keys', async () => {
    const url = await served('--fault v3-idempotency-loses-races --pace ttft=50ms')
    const ended = await load(`${url} --rate 20 --duration 1s --mix v3-json --races 100%`)
    const { findings, idempotencyRaces } = ended.report.integrity
    const finding = findings.find(({ id }) => id === 'V3-IDEM-05')
    expect(finding?.first.why).toBe(
      'Two requests with one Idempotency-Key created 2 turns in the history.',
    )
    expect(idempotencyRaces.doubled).toBeGreaterThan(0)
    expectEnd(ended, 1)
  })

  test('measures TLS handshakes apart from first tokens', async () => {
    const { url: plain } = await oddServer(() => 'well')
    const front = { ...certificate('self-signed'), alpn: ['http/1.1'] as const }
    const { url } = ended(await startTlsServer(proxyTo(plain), front))
    const line = `load ${url} --rate 30 --duration 2s --no-keep-alive`
    const trusting = { ...withKey, NODE_EXTRA_CA_CERTS: certificateFile('self-signed.pem') }
    const folder = emptyFolder()
    await chatgen(line, trusting, folder)
    const report = reportIn(folder)
    expect(report.errors).toEqual([])
    expect(report.integrity.streams).toBe(report.plan.transactions)
    expect(report.connections.connectMs?.service?.count).toBeGreaterThan(0)
    const err = 'is self-signed: trust it with --ca FILE'
    const careless = { ...withKey, NODE_TLS_REJECT_UNAUTHORIZED: '0' }
    expectEnd(await chatgen(line, careless), 3, { err })
  })

  test('--dry-run sends nothing and prints the plan', async () => {
    const { code, stdout } = await chatgen('load --ramp 0..20/10s --mix all --seed x --dry-run')
    expect(stdout).toMatchInlineSnapshot(`
      "Nothing was sent.
      Load      poisson ramp from 0/s to 20/s over 10 s, 10 s
      Mix       all
      Seed      x
      Plan      cf9f16cef2798ef090c6d442c83b56b9a24055a2d0fd9030fe9487f65c1d33f4

      100 transactions:

                       transactions  requests  prompt words  answer tokens
      openai-stream              34        34          1615           3243
      openai-json                 4         4           218            361
      v3-stream                  30        30          1691           2257
      v3-json                     6         6           241            365
      one-shot-stream             6         6           348            377
      one-shot-json               4         4           170            491
      v2-turn                     7        14           298            541
      v3-history                  6         6           325            424
      v3-chat                     3        10           879            667

      This is the minimum: the number of pages of a history depends on the target.
      Chats are created before the run and deleted after it.
      "
    `)
    expect(code).toBe(0)
  })
})

const mixOfAll = `
transactions:
  - { kind: openai-stream, answer: 20 }
  - { kind: openai-json, answer: 20 }
  - { kind: v3-stream, answer: 20, think: [true, false] }
  - { kind: v3-json, answer: 20, rag: agent }
  - { kind: one-shot-stream, answer: 20 }
  - { kind: one-shot-json, answer: free }
  - { kind: v2-turn, answer: 20 }
  - { kind: v3-history }
  - { kind: v3-chat, turns: 2, thinkTime: 20, answer: 10 }
`

test('--runner local sends the whole plan in shards and stores no key', async () => {
  const server = await bundledServer()
  const { read, run } = workplace({ CHATGEN_API_KEY: server.key })
  const flags = '--rate 20 --duration 3s --seed runner --out out --quiet'
  const runner = '--runner local --shards 2 --start-in 6s'
  const { code, stderr } = await run(`load ${server.url} ${flags} ${runner}`)
  await server.stop()
  // A busy machine may slow the generators down; their reports are still complete.
  expect([0, 6], stderr).toContain(code)
  const [merged, ...shards] = ['out', 'out/shard-0', 'out/shard-1'].map((folder): LoadReport => {
    const text = read(`${folder}/report.json`)
    expect(text).not.toContain(server.key)
    return loadReport.parse(JSON.parse(text))
  })
  expect(merged?.plan.ownTransactions).toBe(merged?.plan.transactions)
  expect(merged?.partial).toBeUndefined()
  expect(merged?.shards?.count).toBe(2)
  expect(new Set(shards.map(({ plan }) => plan.hash))).toEqual(new Set([merged?.plan.hash]))
  expect(merged?.integrity.streams).toBe(
    shards.reduce((sum, { integrity }) => sum + integrity.streams, 0),
  )
  expect(read('out/requests.ndjson').trimEnd().split('\n')).toHaveLength(
    merged?.plan.transactions ?? 0,
  )
})
