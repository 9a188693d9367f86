import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { startReferenceServer } from '../../../reference-server/index.ts'
import { type LoadReport, loadReport } from '../../../reports/load/model/report.ts'
import { jsonSchemas } from '../../../scripts/write-schemas.ts'
import { ended } from '../../client/test-support/listen-on-loopback.ts'
import { readJournal } from '../../conformance/cleanup/journal.ts'
import { oddServer } from '../../load/test-support/odd-server.ts'
import {
  beginningWith,
  chatgen,
  chatsOn,
  endsAtSlip,
  expectEnd,
  failing,
  serving,
  slip,
  workplace,
} from '../test-support/chatgen.ts'
import {
  createdIn,
  halfSilentServer,
  key,
  type Loaded,
  load,
  served,
  withKey,
} from '../test-support/servers.ts'

vi.setConfig({ testTimeout: 120_000 })

const published = jsonSchemas().get('load-report.schema.json') ?? ''
const schema = z.fromJSONSchema(JSON.parse(published))
/** Limit below the timeouts of a request and of the plan, which are a minute. */
const patienceMs = 25_000

/** Requests that a reference server has answered. */
async function handled(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  const counts = text.matchAll(/^http_server_request_duration_seconds_count\S* (\d+)$/gm)
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0)
}

function startLoad(line: string, env: Readonly<Record<string, string>> = {}) {
  const { start, at, read } = workplace({ ...withKey, ...env })
  return {
    ...start(`load ${line}`),
    journal: at('chatgen-results/journal.ndjson'),
    report(): LoadReport {
      const value = JSON.parse(read('chatgen-results/report.json'))
      expect(schema.safeParse(value).error).toBeUndefined()
      return loadReport.parse(value)
    },
  }
}

test('a target that dies in mid-run does not stop a load, which is missed', async () => {
  const { run: server, url } = await serving(`--key ${key} --pace ttft=50ms,gap=20ms`)
  const run = startLoad(`${url} --rate 20 --duration 9s --arrival constant --json`)
  // Requests for the metrics count as well.
  const slowly = { timeout: patienceMs, interval: 1_000 }
  await vi.waitFor(async () => expect(await handled(url)).toBeGreaterThan(40), slowly)
  server.child.kill('SIGKILL')
  const { code, stdout } = await run.ended
  const report = run.report()
  expect(JSON.parse(stdout)).toEqual(report)
  expect(report).toMatchObject({ interrupted: false, faults: [] })
  expect(report.errors.map(({ detail }) => detail)).toContain('ECONNREFUSED')
  expect(report.slo.map(({ expression }) => expression)).toContain('no answer is missing')
  // No SLO counts if the generator fell behind.
  expect(code).toBe(report.outcome === 'invalid' ? 6 : 1)
})

describe('Ctrl-C', () => {
  test.each(['SIGINT', 'SIGTERM'] as const)('with %s does not wait for answers', async (signal) => {
    const server = await oddServer((n) => (n > 20 ? 'stuck' : 'well'))
    const run = startLoad(`${server.url} --rate 40 --duration 120s`)
    await vi.waitFor(() => expect(server.requests()).toBeGreaterThan(60), patienceMs)
    const before = Date.now()
    run.child.kill(signal)
    expectEnd(await run.ended, 130, { out: 'interrupted: partial results' })
    expect(Date.now() - before).toBeLessThan(patienceMs)
    const report = run.report()
    expect(report).toMatchObject({ interrupted: true, faults: [] })
    expect(report.integrity.streams).toBeGreaterThan(0)
    expect(report.open).toBeGreaterThan(0)
  })

  test('gives a target that does not delete some seconds, and reports leftovers', async () => {
    const server = await halfSilentServer()
    const run = startLoad(`${server.url} --rate 5 --mix v3-stream --duration 60s`)
    await server.waits
    run.child.kill('SIGINT')
    expectEnd(await run.ended, 130, { out: 'chatgen cleanup' })
    const notes = run.report().notes.join('\n')
    expect(notes).toMatch(/\d+ chats? could not be deleted/)
    expect(notes).toContain('chatgen cleanup chatgen-results/journal.ndjson')
    expect(readJournal(run.journal).open.length).toBeGreaterThan(0)
  })
})

describe('an internal error ends with 4', () => {
  test('at once if it is in the main process', async () => {
    const server = await oddServer(() => 'well')
    const run = startLoad(`${server.url} --rate 20 --duration 60s`, failing(slip))
    await vi.waitFor(() => expect(server.requests()).toBeGreaterThan(10), patienceMs)
    await endsAtSlip(run)
  })

  test('with the report of the other threads if it is in a worker', async () => {
    const server = await oddServer(() => 'well')
    const inThread = `import { isMainThread, threadId } from 'node:worker_threads'
      if (!isMainThread && threadId === 1) setTimeout(() => { ${slip} }, 5000)`
    // After the start, also on a busy machine.
    const line = `${server.url} --rate 20 --duration 10s --workers 2`
    const { ended, report } = startLoad(line, beginningWith(inThread))
    expectEnd(await ended, 4, { out: 'Internal errors of chatgen' })
    expect(report().faults.join()).toContain('a slip of ours')
    expect(report().integrity.streams).toBeGreaterThan(0)
  })
})

const patience = { timeout: 80_000, interval: 10 }

async function run(line: string) {
  const server = ended(await startReferenceServer({ keys: [key] }))
  const running = startLoad(`${server.url} --seed same ${line}`)
  return { ...running, chats: () => chatsOn(server.url, key) }
}

describe('chats of a load run', () => {
  test.each([
    ['prepared', '--rate 20 --mix v3-stream --duration 60s', 100],
    // A closed loop prepares 200, and creates others on demand.
    ['created on demand', '--concurrency 8 --mix v3-json --duration 60s', 200],
  ])('that was killed are found by its journal: %s', async (how, line, enough) => {
    const killed = await run(line)
    await vi.waitFor(
      () => expect(createdIn(killed.journal)).toBeGreaterThanOrEqual(enough),
      patience,
    )
    const open = () => readJournal(killed.journal).open.length
    if (how === 'created on demand') {
      await vi.waitFor(() => expect(open()).toBeGreaterThan(320), patience)
    }
    killed.child.kill('SIGKILL')
    await killed.ended
    expect(await killed.chats()).not.toEqual([])

    const out = ['run chatgen-load-same against http://', 'deleted or already gone']
    expectEnd(await chatgen(`cleanup ${killed.journal}`, withKey), 0, { out })
    expect(await killed.chats()).toEqual([])
    expect(readFileSync(killed.journal, 'utf8')).not.toContain(key)
  })

  test('are deleted by local shards whose run was killed, in its journal', async () => {
    const killed = await run('--runner local --shards 2 --rate 20 --mix v3-stream --duration 60s')
    await vi.waitFor(() => expect(createdIn(killed.journal)).toBeGreaterThan(100), patience)
    killed.child.kill('SIGKILL')
    await vi.waitFor(() => expect(readJournal(killed.journal).open).toEqual([]), patience)
    expect(await killed.chats()).toEqual([])
  })

  test('are deleted if the run was interrupted while it created them', async () => {
    const interrupted = await run('--rate 200 --mix v3-stream --duration 60s')
    await vi.waitFor(() => expect(createdIn(interrupted.journal)).toBeGreaterThan(19), patience)
    interrupted.child.kill('SIGINT')
    expect((await interrupted.ended).code).toBe(130)
    expect(await interrupted.chats()).toEqual([])
    expect(existsSync(interrupted.journal)).toBe(false)
  })
})

describe('chatgen load ends with', () => {
  test.each(['load --rate 1 --duration 1s --workers 2', "capacity --slo 'ttft.p95 < 1s'"])(
    '4 if a thread cannot start, at once: %s',
    async (line) => {
      const preload =
        "import { isMainThread } from 'node:worker_threads'\nif (!isMainThread) throw new Error('no module')"
      const env = { ...withKey, ...beginningWith(preload) }
      const err = /internal error[\s\S]*a load worker failed to start: Error: no module/
      expectEnd(await chatgen(`${line} ${await served()}`, env), 4, { err })
    },
  )

  test('6 if the generator could not send all that was due', async () => {
    const url = await served('--pace ttft=1s')
    const ended = await load(`${url} --rate 50 --duration 1s --max-in-flight 5 --drain 3s`)
    const { generator, outcome } = ended.report
    expect(generator.reasons.join()).toContain('were not sent: too many were in flight')
    expect(outcome).toBe('invalid')
    expectEnd(ended, 6, { out: /^INVALID/ })
  })
})

const constant = '--arrival constant'
/** Requests before the load that detect surfaces and models. */
const discovery = 2

/** Expects INVALID if a busy machine let the generator fall behind, as no SLO counts then. */
function expectOutcome(ended: Loaded, word: string, code: number) {
  const late = ended.report.generator.verdict === 'invalid'
  expectEnd(ended, late ? 6 : code, { out: late ? /^INVALID / : new RegExp(`^${word} `) })
}

describe('a target that answers 503 to two of three requests', () => {
  const run = async (more: string) => {
    const { url } = await oddServer((n) => (n % 3 === 2 ? 'well' : 503))
    return load(`${url} --rate 60 ${constant} --duration 1s ${more}`)
  }

  test('is missed even if the SLO on its other answers is met', async () => {
    const ended = await run("--slo 'rate > 0.1/s'")
    const { stdout, report } = ended
    expect(report.slo.map(({ verdict }) => verdict)).toEqual(['met', 'missed'])
    expect(stdout).toMatch(/^\w+ {2}1 of 1 SLO met; 6\d % of requests refused \(503\);/)
    expect(stdout).toMatch(/4\d of 60 due requests were refused \(503\); 1 % may be\./)
    expect(stdout).toMatch(/429: 0, 5xx: 4\d, dropped connections: 0, timeouts: 0, retries: 0/)
    expect(report.disturbances).toMatchObject({ tooManyRequests: 0, retries: 0 })
    expect(report.disturbances?.serverErrors).toBe(report.errors[0]?.count)
    expectOutcome(ended, 'MISSED', 1)
  })

  test.each(["--slo 'goodput > 5%'", '--max-refusals 90%'])(
    'is met if %s allows it, with the refusals in the first line',
    async (more) => {
      const ended = await run(more)
      expect(ended.stdout).toMatch(/6\d % of requests refused \(503\);/)
      expect(ended.report.slo.filter(({ verdict }) => verdict !== 'met')).toEqual([])
      expectOutcome(ended, 'MET', 0)
    },
  )
})

test('a load whose requests are all open at the end is undecided', async () => {
  const { url } = await oddServer((n) => (n < discovery ? 200 : 'silent'))
  const run = await load(`${url} --rate 20 ${constant} --duration 1s --drain 200ms`)
  const { stdout, report } = run
  expect(report.goodput.due).toBe(0)
  expect(stdout).toMatch(/^\w+ {2}built-in SLOs only; .* nothing was\s+measured;/s)
  expect(stdout).toContain('20 requests were still open at the end')
  expectOutcome(run, 'UNDECIDED', 5)
})

test('a load with stalled answers is undecided even if the others meet the SLO', async () => {
  const { url } = await oddServer((n) => (n < discovery || n % 2 === 0 ? 'well' : 'stuck'))
  const run = await load(`${url} --rate 10 ${constant} --duration 2s --slo 'ttft.p95 < 5s'`)
  expect(run.stdout).toMatch(/10 of 20 requests had .* only a part that had not\s+grown for 10 s/s)
  expectOutcome(run, 'UNDECIDED', 5)
})
