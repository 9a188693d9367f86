import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test, vi } from 'vitest'
import { startReferenceServer } from '../../../reference-server/index.ts'
import { calibration } from '../../../reports/load/model/generator.ts'
import { ended } from '../../client/test-support/listen-on-loopback.ts'
import type { BenchReport } from '../../load/bench/bench.ts'
import { thisMachine } from '../../load/calibrate.ts'
import { chatgen, chatsOn, emptyFolder, expectEnd, start } from '../test-support/chatgen.ts'
import { halfSilentServer, key, withKey } from '../test-support/servers.ts'
import { exitCodeOfBench } from './bench.ts'

const brief = '--duration 1s --connections 2 --max-tokens 4 --quiet'

test('bench measures the bundled server and prints a table', async () => {
  const out = [
    /^http:\S+: 2 connections, 1 s per case, at most 4 tokens per answer$/m,
    /^case +answers\/s +events\/s +MB\/s +p50 ms/m,
    /^compatible stream +[\d.]+ +[\d.]+ /m,
    /^compatible JSON +[\d.]+ +– /m,
  ]
  expectEnd(await chatgen(`bench --only compatible* ${brief}`), 0, { out, err: /^$/ })
})

test('bench measures a URL with its key and prints JSON', async () => {
  const server = ended(await startReferenceServer({ keys: [key] }))
  const env = { ...withKey, CHATGEN_BENCH_CONNECTIONS: '3' }
  const line = `bench ${server.url} --only 'one-shot JSON' --duration 1s --json`
  const measured = await chatgen(line, env)
  const refused = await chatgen(line, { ...env, CHATGEN_API_KEY: 'sk-another-key' })
  expectEnd(measured, 0, { err: 'bench: one-shot JSON: 1 s with 3 connections' })
  expectEnd(refused, 3, { out: /^$/, err: 'refuses the key' })
  const report: BenchReport = JSON.parse(measured.stdout)
  expect(report).toMatchObject({ kind: 'bench-report', connections: 3, seconds: 1 })
  expect(report.rows.map((row) => row.case)).toEqual(['one-shot JSON'])
})

const figures = {
  answers: 1,
  answersPerSecond: 1,
  eventsPerSecond: 1,
  bytesPerSecond: 1,
  latencyMs: null,
  failures: { connection: 0, timeout: 0, status: 0, broken: 0, lost: 0 },
  clientBusy: 0.1,
}
const row = { case: 'a case', target: figures, baseline: null, ratio: null, chats: null }
const report: BenchReport = {
  kind: 'bench-report',
  schemaVersion: 1,
  target: { baseUrl: 'http://h' },
  startedAt: '',
  connections: 1,
  seconds: 1,
  maxTokens: 1,
  rows: [row],
  notMeasured: [],
  clientBound: [],
  interrupted: false,
}
const emptyRow = { ...row, target: { ...figures, answers: 0 } }
const failingRow = { ...row, target: { ...figures, failures: { ...figures.failures, lost: 1 } } }

test.each([
  [0, {}],
  [5, { rows: [row, emptyRow] }],
  [6, { rows: [emptyRow], clientBound: ['a case'] }],
  [1, { rows: [failingRow], clientBound: ['a case'] }],
  [1, { notMeasured: [{ case: 'a case', status: 404, why: '' }] }],
  [130, { rows: [failingRow], interrupted: true }],
])('a bench ends with %i if %j', (code, found: Partial<BenchReport>) => {
  expect(exitCodeOfBench({ ...report, ...found })).toBe(code)
})

test('calibrate stores a calibration in the cache of the user', async () => {
  const cache = emptyFolder()
  const line = 'calibrate --rates 300,600 --duration 2s --json --quiet'
  const { code, stdout } = await chatgen(line, { XDG_CACHE_HOME: cache })
  const text = readFileSync(join(cache, 'chatgen', 'calibration.json'), 'utf8')
  const stored = calibration.parse(JSON.parse(text))
  expect(stored).toEqual(JSON.parse(stdout))
  expect(stored.machine).toEqual(thisMachine())
  // Higher rates are left out once the generator is overwhelmed.
  const [first, second] = stored.points
  expect(second === undefined).toBe(first?.verdict === 'invalid')
  for (const { eventsPerSecond, timestampError } of stored.points) {
    expect(eventsPerSecond).toBeGreaterThan(100)
    expect(timestampError?.count).toBeGreaterThan(50)
    expect(timestampError?.p99).toBeGreaterThanOrEqual(timestampError?.p50 ?? Number.NaN)
  }
  // A busy machine may have no rate with accurate timestamps.
  expect(code).toBe(stored.ceilingEventsPerSecond > 0 ? 0 : 6)
})

vi.setConfig({ testTimeout: 60_000 })

/** Delay until the measurement; standard error can only be read after the end. */
const intoMeasuring = 6_000

describe('Ctrl-C', () => {
  test('prints the measured cases and leaves no chat behind', async () => {
    const server = ended(await startReferenceServer({ keys: [key] }))
    const load = '--duration 60s --connections 2 --turns 1000'
    const run = start(`bench ${server.url} --only generate* ${load}`, withKey)
    await sleep(intoMeasuring)
    run.child.kill('SIGINT')
    const rest = 'Interrupted: the other cases were not measured.'
    expectEnd(await run.ended, 130, { out: [/^generate stream +[1-9]/m, rest] })
    expect(await chatsOn(server.url, key)).toEqual([])
  })

  test('does not wait for a silent target', async () => {
    const server = await halfSilentServer()
    const run = start(`bench ${server.url} --only compatible* --json`, withKey)
    await server.waits
    run.child.kill('SIGINT')
    const { code, stdout } = await run.ended
    expect(JSON.parse(stdout)).toMatchObject({ rows: [], notMeasured: [], interrupted: true })
    expect(code).toBe(130)
  })
})

test.runIf(process.platform === 'linux')('a killed bench ends its server', async () => {
  const run = start(`bench --only 'compatible JSON' --duration 60s`)
  const { pid = 0 } = run.child
  const children = () => readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
  await vi.waitFor(() => expect(children()).toMatch(/^\d+$/), 20_000)
  const server = Number(children())
  await sleep(2_000)
  run.child.kill('SIGKILL')
  await run.ended
  await vi.waitFor(() => expect(() => process.kill(server, 0)).toThrow('ESRCH'), 10_000)
})
