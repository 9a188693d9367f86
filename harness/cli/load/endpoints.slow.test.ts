import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { chatgen, emptyFolder } from '../test-support/chatgen.ts'
import { load, reportIn, served, withKey } from './test-support/loading.ts'

vi.setConfig({ testTimeout: 120_000 })

/** Two servers that share nothing: a chat exists only where it was created. */
async function twoServers(): Promise<readonly [string, string]> {
  return [await served(), await served()]
}

const traffic = ['--mix', 'v3', '--rate', '10', '--duration', '3s', '--races', '0.3', '--seed', 's']

test('sticky keeps every chat on one endpoint; the report has the figures of each', async () => {
  const [one, other] = await twoServers()
  const folder = emptyFolder()
  const { stdout, report } = await load(
    [one, '--url', other, '--spread', 'sticky', ...traffic, '--report', 'console,markdown,html'],
    folder,
  )
  expect(report.errors).toEqual([])
  expect(report.notes).toEqual([])
  expect(report.endpoints?.map(({ name, baseUrl }) => [name, baseUrl])).toEqual([
    ['A', one],
    ['B', other],
  ])
  for (const { requests, failed } of report.endpoints ?? []) {
    expect(requests).toBeGreaterThan(0)
    expect(failed).toBe(0)
  }
  expect(stdout).toContain('Endpoints, sticky')
  const written = (name: string) => readFileSync(join(folder, 'chatgen-results', name), 'utf8')
  expect(written('report.md')).toContain('### Endpoints')
  expect(written('report.html')).toContain('>Endpoints, sticky ')
})

test('round-robin asks both, by the profile, also in shards', async () => {
  const [one, other] = await twoServers()
  const folder = emptyFolder()
  const args = [...traffic, '--url', one, '--url', other, '--runner', 'local', '--shards', '2']
  const { stdout } = await chatgen(['load', ...args], withKey, folder)
  const report = reportIn(folder)
  expect(report.config.spread).toBe('round-robin')
  expect(stdout).toContain('Endpoints, round-robin')
  // A chat of the other server is not found.
  expect(report.errors).toContainEqual(expect.objectContaining({ kind: 'status', detail: '404' }))
  const { endpoints = [], transactions } = report
  const sent = transactions.flatMap(({ requests }) => requests.map(({ count }) => count))
  const total = (counts: readonly number[]) => counts.reduce((sum, count) => sum + count, 0)
  expect(total(endpoints.map(({ requests }) => requests))).toBe(total(sent))
  for (const { requests } of endpoints) expect(requests).toBeGreaterThan(0)
})
