import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startReferenceServer } from '../../../reference-server/index.ts'
import type { BenchReport } from '../../load/bench/report.ts'
import { chatgen, emptyFolder } from '../test-support/chatgen.ts'
import { exitCodeOfBench } from './bench.ts'

/** `chatgen bench` and `chatgen calibrate` by the real bin. */

const brief = ['--duration', '1s', '--connections', '2', '--max-tokens', '4', '--quiet']

test('benches the bundled server, and prints a table', async () => {
  const { code, stdout, stderr } = await chatgen(['bench', '--only', 'compatible*', ...brief])
  expect(stderr).toBe('')
  expect(stdout).toMatch(/^http:\S+: 2 connections, 1 s a case, at most 4 tokens an answer$/m)
  expect(stdout).toMatch(/^case +answers\/s +events\/s +MB\/s +p50 ms/m)
  expect(stdout).toMatch(/^compatible stream +[\d.]+ +[\d.]+ /m)
  expect(stdout).toMatch(/^compatible JSON +[\d.]+ +- /m)
  expect(code).toBe(0)
})

test('benches an address, with its key, and prints JSON', async () => {
  const server = await startReferenceServer({ keys: ['sk-a-test-key'] })
  const env = { CHATGEN_API_KEY: 'sk-a-test-key', CHATGEN_BENCH_CONNECTIONS: '3' }
  const args = ['bench', server.url, '--only', 'one-shot JSON', '--duration', '1s', '--json']
  const { code, stdout, stderr } = await chatgen(args, env)
  const refused = await chatgen(args, { ...env, CHATGEN_API_KEY: 'sk-another-key' })
  await server.close()
  const report: BenchReport = JSON.parse(stdout)
  expect(report).toMatchObject({ kind: 'bench-report', connections: 3, seconds: 1 })
  expect(report.rows.map((row) => row.case)).toEqual(['one-shot JSON'])
  expect(stderr).toContain('bench: one-shot JSON: 1 s with 3 connections')
  expect(code).toBe(0)
  expect(refused).toMatchObject({ code: 3, stdout: '' })
  expect(refused.stderr).toContain('refuses the key')
})

test('ends with 3 if nothing listens', async () => {
  const { code, stderr } = await chatgen(['bench', 'http://127.0.0.1:1', '--quiet'])
  expect(stderr).toContain('http://127.0.0.1:1: nothing listens there')
  expect(code).toBe(3)
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
const failing = { ...row, target: { ...figures, failures: { ...figures.failures, lost: 1 } } }

test.each([
  [0, {}],
  [6, { clientBound: ['a case'] }],
  [1, { rows: [failing], clientBound: ['a case'] }],
  [1, { notMeasured: [{ case: 'a case', status: 404, why: '' }] }],
  [130, { rows: [failing], interrupted: true }],
])('a bench ends with %i where %j', (code, found: Partial<BenchReport>) => {
  expect(exitCodeOfBench({ ...report, ...found })).toBe(code)
})

test('stores a calibration in the cache of the user', async () => {
  const cache = emptyFolder()
  const args = ['calibrate', '--rates', '200', '--duration', '2s', '--json', '--quiet']
  const { code, stdout } = await chatgen(args, { XDG_CACHE_HOME: cache })
  const stored = JSON.parse(readFileSync(join(cache, 'chatgen', 'calibration.json'), 'utf8'))
  expect(stored).toEqual(JSON.parse(stdout))
  expect(stored.points).toHaveLength(1)
  // A machine that is busy has no rate at which stamps are beyond doubt.
  expect(code).toBe(stored.ceilingEventsPerSecond > 0 ? 0 : 6)
})
