import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { type LoadReport, loadReport } from '../../../reports/load/model/report.ts'
import { chatgen, emptyFolder, type Running, start } from '../test-support/chatgen.ts'

const key = 'load-report-key'
const folder = emptyFolder()
const read = (file: string) => readFileSync(join(folder, file), 'utf8')
const reportIn = (dir: string) => loadReport.parse(JSON.parse(read(`${dir}/report.json`)))

const every = 'console,json,junit,html,csv,prometheus,markdown'
const files = ['report.csv', 'report.html', 'report.json', 'report.md', 'report.prom', 'report.xml']

beforeAll(async () => {
  const server: Running = start(['serve', '--port', '0', '--key', key])
  await server.shows('http://')
  const url = /http:\/\/127\.0\.0\.1:\d+/.exec(server.soFar())?.[0] ?? ''
  const run = (...args: readonly string[]) =>
    chatgen(['load', url, '--rate', '60', ...args], { CHATGEN_API_KEY: key }, folder)
  const common = ['--duration', '1s', '--seed', 'same', '--slo', 'errors < 50%']
  for (const index of ['0', '1', '2']) {
    await run(...common, '--shard', `${index}/3`, '--out', `shard-${index}`)
  }
  await run(...common, '--out', 'whole', '--report', every, '--verbose')
  const other = ['--duration', '1s', '--seed', 'other', '--no-requests', '--shard', '1/3']
  await run(...other, '--out', 'other')
  server.child.kill('SIGTERM')
  await server.ended
}, 120_000)

describe('chatgen report of a load', () => {
  test('writes every form beside report.json', () => {
    expect(readdirSync(join(folder, 'whole')).toSorted()).toEqual([...files, 'requests.ndjson'])
    expect(read('whole/requests.ndjson').trimEnd().split('\n')).toHaveLength(
      reportIn('whole').transactions.reduce((sum, { planned }) => sum + planned, 0),
    )
    expect(read('whole/report.csv')).toMatch(/^second,planned,/)
    expect(read('whole/report.html')).toMatch(/^<!doctype html>/)
    expect(read('whole/report.prom')).toContain('gen_ai_client_operation_duration_seconds_bucket')
    expect(read('whole/report.md')).toMatch(/^## /)
    expect(read('whole/report.xml')).toContain('<testcase name="errors &lt; 50%"')
  })

  test('renders them again from what is stored', async () => {
    const args = ['report', 'whole', '--report', every, '--out', 'again']
    const { code, stdout } = await chatgen(args, {}, folder)
    expect(stdout).toMatch(/^(MET|INVALID)/)
    expect(code).toBe(0)
    expect(readdirSync(join(folder, 'again')).toSorted()).toEqual(files)
    for (const file of files) expect(read(`again/${file}`)).toBe(read(`whole/${file}`))
  })

  test('merges shards to one run', async () => {
    const shards = ['shard-0', 'shard-1/report.json', 'shard-2']
    const args = ['report', ...shards, '--report', 'console,json', '--out', 'merged']
    const { code, stdout } = await chatgen(args, {}, folder)
    expect(code).toBe(0)
    expect(stdout).not.toContain('partial')
    const [merged, whole] = [reportIn('merged'), reportIn('whole')]
    expect(merged.plan).toEqual(whole.plan)
    expect(merged.integrity.streams).toBe(whole.integrity.streams)
    const planned = ({ series }: LoadReport) => series.reduce((sum, row) => sum + row.planned, 0)
    expect(planned(merged)).toBe(planned(whole))
    const parts = [0, 1, 2].map((index) => reportIn(`shard-${index}`).integrity.streams)
    expect(parts.reduce((sum, count) => sum + count, 0)).toBe(merged.integrity.streams)
    const lines = (dir: string) => read(`${dir}/requests.ndjson`).trimEnd().split('\n')
    expect(lines('merged')).toEqual([0, 1, 2].flatMap((index) => lines(`shard-${index}`)))
    expect(readdirSync(join(folder, 'other'))).toEqual(['report.json'])
  })

  test('says that a shard is missing', async () => {
    const args = ['report', 'shard-0', 'shard-2', '--report', 'console,json', '--out', 'partial']
    const { code, stdout, stderr } = await chatgen(args, {}, folder)
    expect(stdout).toMatch(
      /^(UNDECIDED|INVALID) [\s\S]*;\s+partial:\s+1\s+of\s+3\s+shards\s+missing\s+\(1\)$/m,
    )
    expect(stderr).toContain(
      'partial: 1 of 3 shards missing (1): the figures do not cover the whole load',
    )
    expect(code).toBe(5)
    expect(reportIn('partial').partial).toEqual({ of: 3, missing: [1] })
    const given = ['report', 'partial', '--report', 'junit', '--out', '-']
    const again = await chatgen(given, {}, folder)
    expect(again.stdout).toContain('partial: 1 of 3 shards missing (1)')
    expect(again.code).toBe(5)
    const alone = await chatgen(['report', 'shard-1'], {}, folder)
    expect(alone.stderr).toContain('partial: 2 of 3 shards missing (0, 2)')
    expect(alone.code).toBe(5)
  })

  test('says that a shard was interrupted', async () => {
    cpSync(join(folder, 'shard-1'), join(folder, 'interrupted'), { recursive: true })
    const file = join(folder, 'interrupted', 'report.json')
    const { digest: _, ...report } = reportIn('shard-1')
    writeFileSync(file, JSON.stringify({ ...report, interrupted: true }))
    const { code, stderr } = await chatgen(
      ['report', 'shard-0', 'interrupted', 'shard-2'],
      {},
      folder,
    )
    expect(stderr).toContain('a shard was interrupted: the figures do not cover the whole load')
    expect(code).toBe(5)
  })

  test.each([
    ['the same shard twice', ['shard-0', 'shard-0'], 'is shard 0, which was already given'],
    ['a format that a load has not', ['whole', '--report', 'badge'], 'unknown report format badge'],
    [
      'merged shards without a folder',
      ['shard-0', 'shard-1', '--report', 'html'],
      'pass --out DIR',
    ],
  ])('ends with 2 for %s', async (_, args, problem) => {
    const { code, stderr } = await chatgen(['report', ...args], {}, folder)
    expect(stderr).toContain(problem)
    expect(code).toBe(2)
  })

  test('ends with 2 for a load and conformance together', async () => {
    const file = join(folder, 'conformance.json')
    writeFileSync(file, '{"kind":"conformance-report","schemaVersion":1}')
    const { code, stderr } = await chatgen(['report', 'whole', file], {}, folder)
    expect(stderr).toContain('render them separately')
    expect(code).toBe(2)
  })
})
