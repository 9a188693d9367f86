import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { type LoadReport, loadReport } from '../../../contract/report/load/report.ts'
import { bundledServer } from '../target/reference-thread.ts'
import { chatgen, emptyFolder } from '../test-support/chatgen.ts'

vi.setConfig({ testTimeout: 180_000 })

test('a plan is sent whole by shards that are processes, and merged; no key is left in a file', async () => {
  const server = await bundledServer()
  const cwd = emptyFolder()
  const flags = ['--rate', '20', '--duration', '3s', '--seed', 'runner', '--out', 'out']
  const runner = ['--runner', 'local', '--shards', '2', '--start-in', '15s']
  const env = { CHATGEN_API_KEY: server.key }
  const { code, stderr } = await chatgen(
    ['load', server.url, ...flags, ...runner, '--quiet'],
    env,
    cwd,
  )
  await server.stop()
  // A busy machine may slow the generators down; their reports are still complete.
  expect([0, 6], stderr).toContain(code)
  const [merged, ...shards] = ['out', 'out/shard-0', 'out/shard-1'].map((folder): LoadReport => {
    const text = readFileSync(join(cwd, folder, 'report.json'), 'utf8')
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
  const requests = readFileSync(join(cwd, 'out', 'requests.ndjson'), 'utf8')
  expect(requests.trimEnd().split('\n')).toHaveLength(merged?.plan.transactions ?? 0)
})
