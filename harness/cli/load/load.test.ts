import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { type LoadReport, loadReport } from '../../../reports/model/load.ts'
import { oddServer } from '../../load/test-support/odd-server.ts'
import { chatgen, emptyFolder, type Running, start } from '../test-support/chatgen.ts'
import { certificateFile, tlsServer } from './test-support/tls-server.ts'

vi.setConfig({ testTimeout: 90_000 })

/** The real bin puts a load on a real reference server; each in a process of its own. */

const key = 'load-test-key'
const withKey = { CHATGEN_API_KEY: key }

describe('chatgen load ends with', () => {
  test('0 where every stream is whole and the SLO is met', async () => {
    const url = await served()
    const { code, stdout, report } = await load([
      url,
      '--rate',
      '40',
      '--duration',
      '2s',
      '--slo',
      'errors < 50%',
    ])
    expect(report.outcome).toBe('met')
    expect(stdout).toMatch(/^MET/)
    expect(code).toBe(0)
    expect(report).toMatchObject({ errors: [], open: 0, faults: [], interrupted: false })
    expect(report.integrity.streams).toBe(report.plan.transactions)
    expect(report.integrity.findings).toEqual([])
    expect(report.integrity.held).toContain('OAI-STREAM-03')
    // Little's law holds on average; so short a run on a busy machine may be off.
    const laws = report.audits.filter(({ name }) => name !== 'littles-law')
    expect(laws.filter(({ verdict }) => verdict === 'fail')).toEqual([])
  })

  test('1 where the SLO is missed', async () => {
    const url = await served('--pace', 'ttft=80ms')
    const args = [url, '--rate', '60', '--arrival', 'constant', '--duration', '2s']
    const { code, report } = await load([...args, '--slo', 'ttft.p50 < 5ms'])
    expect(report.slo).toMatchObject([{ expression: 'ttft.p50 < 5ms', verdict: 'missed' }])
    expect(report.outcome).toBe('missed')
    expect(code).toBe(1)
  })

  test('1 where streams are truncated and no SLO says how many may be', async () => {
    const { url } = await oddServer((n) => (n % 5 === 4 ? 'cut' : 'well'))
    const { code, stdout, report } = await load([url, '--rate', '40', '--duration', '1s'])
    expect(report.outcome).toBe('missed')
    expect(stdout).toMatch(/^MISSED {2}no SLO was given; .* \d+ answers truncated;/)
    expect(stdout).toContain('no answer is truncated')
    expect(code).toBe(1)
  })

  test('5 where the run was too short to decide the SLO, and says what it takes', async () => {
    const url = await served()
    const args = [url, '--rate', '10', '--arrival', 'constant', '--duration', '2s']
    const { code, stdout, report } = await load([...args, '--slo', 'errors < 0.1%'])
    expect(report.slo).toMatchObject([{ verdict: 'undecided', needed: expect.any(Number) }])
    expect(stdout).toContain('more clean requests needed')
    expect(code).toBe(5)
  })

  test('1 where a stream is violated, and names the row and the first that shows it', async () => {
    const url = await served('--fault', 'stream-last-delta-dropped')
    const args = [url, '--rate', '10', '--duration', '1s', '--mix', 'v3-stream']
    const { code, stdout, report } = await load(args)
    expect(report.outcome).toBe('violated')
    expect(report.integrity.findings).toMatchObject([
      { id: 'V3-SSE-17', level: 'required', rate: 1, first: { step: 0, operation: 'v3.generate' } },
    ])
    expect(report.goodput.good).toBe(0)
    expect(stdout).toContain('V3-SSE-17')
    expect(code).toBe(1)
  })

  test.each([
    ['no load', [], 'say the load: --rate N'],
    [
      'two loads',
      ['--rate', '1', '--concurrency', '2'],
      '--rate and --concurrency do not go together',
    ],
    ['no number', ['--rate', 'fast'], 'must be a number of transactions a second'],
    ['no time', ['--rate', '1', '--duration', '30'], 'must be a time such as 500ms, 30s'],
    ['no ramp', ['--ramp', '0-100'], 'must be FROM..TO/TIME'],
    ['no shard', ['--rate', '1', '--shard', '9/8'], 'must be I/N'],
    ['an unknown mix', ['--rate', '1', '--mix', 'v3-strem'], 'Did you mean v3-stream?'],
    [
      'an unknown manner',
      ['--rate', '1', '--misbehave', 'rude=1'],
      'is none of slow-reader, abort, churn',
    ],
    [
      'a surface that the mix has not',
      ['--rate', '1', '--mix', 'v2', '--surface', 'v3'],
      'sends nothing to v3',
    ],
    ['an unknown flag', ['--rat', '1'], 'Did you mean --rate?'],
    ['no target', ['--rate', '1'], 'say what to check'],
  ])('2 for %s', async (_, args, sentence) => {
    const { code, stdout, stderr } = await chatgen(['load', ...args])
    expect(stderr).toContain(sentence)
    expect(stdout).toBe('')
    expect(code).toBe(2)
  })

  test('2 for an SLO that cannot be read, and points at the place', async () => {
    const { code, stderr } = await chatgen(['load', '--rate', '1', '--slo', 'ttft.p95 < 500'])
    expect(stderr).toContain('ttft.p95 < 500')
    expect(stderr).toMatch(/\^$/m)
    expect(code).toBe(2)
  })

  test('2 for a mix with a mistake, and says file, line and field', async () => {
    const folder = emptyFolder()
    const text = 'transactions:\n  - kind: v3-stream\n    wieght: 2\n  - kind: v4\n'
    writeFileSync(join(folder, 'mix.yaml'), text)
    const args = ['load', '--rate', '1', '--mix', 'mix.yaml', '--dry-run']
    const { code, stderr } = await chatgen(args, {}, folder)
    expect(stderr).toContain(
      'mix.yaml:3: transactions.0.wieght: there is no such field. Did you mean weight?',
    )
    expect(stderr).toContain('mix.yaml:4: transactions.1.kind: invalid option')
    expect(code).toBe(2)
  })

  test('3 where nothing listens, in one line', async () => {
    const { code, stderr } = await chatgen(['load', 'http://127.0.0.1:1', '--rate', '1'])
    expect(stderr.trim()).toBe('chatgen: http://127.0.0.1:1: nothing listens there (ECONNREFUSED)')
    expect(code).toBe(3)
  })

  test('3 where the key is refused', async () => {
    const url = await served()
    const wrong = { CHATGEN_API_KEY: 'wrong' }
    const { code, stderr } = await chatgen(['load', url, '--rate', '1'], wrong)
    expect(stderr).toContain('refuses the key')
    expect(code).toBe(3)
  })

  test('6 where more was due than the generator could send', async () => {
    const url = await served('--pace', 'ttft=1s')
    const args = [url, '--rate', '50', '--duration', '1s', '--max-in-flight', '5', '--drain', '3s']
    const { code, stdout, report } = await load(args)
    expect(report.generator.reasons.join()).toContain('were not sent: too many were in flight')
    expect(report.outcome).toBe('invalid')
    expect(stdout).toMatch(/^INVALID/)
    expect(code).toBe(6)
  })

  test('130 where it is interrupted, and keeps what was found', async () => {
    const server = await oddServer(() => 'well', { tokens: 40, gapMs: 5 })
    const folder = emptyFolder()
    const args = ['load', server.url, '--rate', '50', '--duration', '120s']
    const run = start(args, withKey, folder)
    // The first requests ask who is there; streams that are answered come with the others.
    await vi.waitFor(() => expect(server.requests()).toBeGreaterThan(60), 60_000)
    run.child.kill('SIGINT')
    const { code } = await run.ended
    const report = reportIn(folder)
    expect(report.interrupted).toBe(true)
    expect(report.integrity.streams).toBeGreaterThan(0)
    expect(report.durationMs).toBeLessThan(100_000)
    expect(code).toBe(130)
  })
})

describe('chatgen load', () => {
  test('sends every kind of transaction, and every one of them goes well', async () => {
    const url = await served()
    const folder = emptyFolder()
    const create = '{ method: POST, path: /api/v2/chat, body: { name: "{name}" } }'
    writeFileSync(join(folder, 'target.yaml'), `baseUrl: ${url}\nv2Chat: { create: ${create} }\n`)
    writeFileSync(join(folder, 'mix.yaml'), mixOfAll)
    const args = ['--target', 'target.yaml', '--mix', 'mix.yaml', '--concurrency', '6']
    // A busy machine may make the figures invalid; what was sent and judged is the same.
    const { report } = await load(
      [...args, '--duration', '5s', '--races', '0.3', '--seed', 'all'],
      folder,
    )
    expect(report.errors).toEqual([])
    expect(report.faults).toEqual([])
    expect(report.notes).toEqual([])
    expect(report.integrity.findings).toEqual([])
    const operations = report.transactions.flatMap(({ name, requests }) =>
      requests.map(({ operation, form }) => `${name}: ${operation} ${form}`),
    )
    // How many chats had to be made on the way depends on how many there was time for.
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

  test('sends the same plan for the same seed, in shards and workers that add up', async () => {
    const url = await served()
    const args = ['--rate', '30', '--duration', '1s', '--seed', 'same']
    const whole = await load([url, ...args])
    const parts = [
      await load([url, ...args, '--shard', '0/2', '--workers', '2']),
      await load([url, ...args, '--shard', '1/2']),
    ]
    const hashes = [whole, ...parts].map(({ report }) => report.plan.hash)
    expect(new Set(hashes).size).toBe(1)
    const sent = parts.map(({ report }) => report.plan.ownTransactions)
    expect(sent.reduce((sum, count) => sum + count, 0)).toBe(whole.report.plan.transactions)
    expect(parts.map(({ report }) => report.integrity.streams)).toEqual(sent)
  })

  test.each([
    ['v3-stream', 'V3-CTX-02'],
    ['openai-stream', 'LOAD-CROSS-TALK'],
  ])('finds what a busy target tells the wrong client: %s breaks %s', async (mix, row) => {
    const url = await served('--fault', 'load-answers-of-others')
    const args = [url, '--rate', '60', '--arrival', 'constant', '--duration', '3s', '--mix', mix]
    const { code, report } = await load(args)
    const [finding, ...others] = report.integrity.findings
    expect(finding).toMatchObject({ id: row, level: 'required' })
    expect(finding?.first.why).toMatch(/^The answer shows zq\w+, which another request of the run/)
    expect(finding?.broken).toBe(report.integrity.crossTalk.leaks)
    expect(others).toEqual([])
    expect(code).toBe(1)
  })

  test('finds races of idempotency keys that a target loses', async () => {
    const url = await served('--fault', 'v3-idempotency-loses-races', '--pace', 'ttft=50ms')
    const args = [url, '--rate', '20', '--duration', '1s', '--mix', 'v3-json', '--races', '100%']
    const { code, report } = await load(args)
    const finding = report.integrity.findings.find(({ id }) => id === 'V3-IDEM-05')
    expect(finding?.first.why).toBe(
      'Two requests with one Idempotency-Key left 2 turns in the history.',
    )
    expect(report.integrity.idempotencyRaces.doubled).toBeGreaterThan(0)
    expect(code).toBe(1)
  })

  test('speaks TLS, and tells its handshakes apart from first tokens', async () => {
    const url = await tlsServer()
    const args = ['load', url, '--rate', '30', '--duration', '2s', '--no-keep-alive']
    const trusting = { ...withKey, NODE_EXTRA_CA_CERTS: certificateFile }
    const folder = emptyFolder()
    await chatgen(args, trusting, folder)
    const report = reportIn(folder)
    expect(report.errors).toEqual([])
    expect(report.integrity.streams).toBe(report.plan.transactions)
    expect(report.connections.connectMs?.service?.count).toBeGreaterThan(0)
    const { code, stderr } = await chatgen(args, withKey)
    expect(stderr).toContain('self-signed certificate')
    expect(code).toBe(3)
  })

  test('lets clients misbehave, and leaves them out of the figures', async () => {
    const url = await served('--pace', 'ttft=5ms,gap=2ms')
    const args = [
      url,
      '--rate',
      '40',
      '--duration',
      '2s',
      '--misbehave',
      'slow-reader=0.2,abort=0.2,churn=0.2',
    ]
    const { report } = await load(args)
    const { abort, churn, slowReader } = report.left
    for (const count of [abort, churn, slowReader]) expect(count).toBeGreaterThan(0)
    expect(report.errors).toEqual([])
    const due = report.metrics.find(({ name }) => name === 'e2e')?.service?.count ?? 0
    expect(due).toBeLessThanOrEqual(report.plan.transactions - abort - churn - slowReader)
  })

  test('--json prints the report and nothing else', async () => {
    const url = await served()
    const args = ['load', url, '--rate', '5', '--duration', '1s', '--json']
    const { stdout } = await chatgen(args, withKey)
    expect(loadReport.parse(JSON.parse(stdout)).kind).toBe('load-report')
  })

  test('--dry-run sends nothing and prints the plan', async () => {
    const args = ['load', '--ramp', '0..20/10s', '--mix', 'all', '--seed', 'x', '--dry-run']
    const { code, stdout } = await chatgen(args)
    expect(stdout).toMatchInlineSnapshot(`
      "Nothing was sent.
      Load      poisson ramp from 0/s to 20/s over 10 s, 10 s
      Mix       all
      Seed      x
      Plan      ea0a9600279d002ff2991ab684a21da44debd6b15977179d04e604d3ec8faf1f

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

      Requests are the fewest; histories have as many pages as the target makes of them.
      Chats are made before the run and deleted after it.
      "
    `)
    expect(code).toBe(0)
  })

  test('reads the environment where there is no flag', async () => {
    const env = { CHATGEN_RATE: '7', CHATGEN_DURATION: '2s', CHATGEN_MIX: 'v2-turn' }
    const { stdout } = await chatgen(['load', '--dry-run'], env)
    expect(stdout).toContain('poisson, 7/s, 2 s')
    expect(stdout).toContain('v2-turn')
  })

  test('prints its help with examples', async () => {
    const { stdout } = await chatgen(['load', '--help'])
    expect(stdout).toContain('chatgen load --target staging.yaml')
    expect(stdout).toContain('6 the load generator was the bottleneck')
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

interface Loaded {
  readonly code: number | null
  readonly stdout: string
  readonly report: LoadReport
}

async function load(args: readonly string[], folder = emptyFolder()): Promise<Loaded> {
  const { code, stdout, stderr } = await chatgen(['load', ...args], withKey, folder)
  // On a busy machine a run lasts long enough to say how far it is.
  expect(stderr.replaceAll(/^(running|draining) \d+ s of .*\n/gm, '')).toBe('')
  return { code, stdout, report: reportIn(folder) }
}

function reportIn(folder: string): LoadReport {
  const text = readFileSync(join(folder, 'chatgen-results', 'report.json'), 'utf8')
  return loadReport.parse(JSON.parse(text))
}

/** The address of a reference server in a process of its own, for one test. */
async function served(...args: readonly string[]): Promise<string> {
  const server: Running = start(['serve', '--port', '0', '--key', key, ...args])
  onTestFinished(async () => {
    server.child.kill('SIGTERM')
    await server.ended
  })
  await server.shows('http://')
  const url = /http:\/\/127\.0\.0\.1:\d+/.exec(server.soFar())?.[0]
  expect(url).toBeDefined()
  return url ?? ''
}
