import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { type LoadReport, loadReport } from '../../../reports/load/model/report.ts'
import { startReferenceServer } from '../../library/index.ts'
import { chatgen, emptyFolder, expectEnd } from '../test-support/chatgen.ts'

const key = 'load-report-key'
const folder = emptyFolder()
const read = (file: string) => readFileSync(join(folder, file), 'utf8')
const reportIn = (dir: string) => loadReport.parse(JSON.parse(read(`${dir}/report.json`)))

const every = 'console,json,junit,html,csv,prometheus,markdown'
const files = ['report.csv', 'report.html', 'report.json', 'report.md', 'report.prom', 'report.xml']

beforeAll(async () => {
  const server = await startReferenceServer({ keys: [key] })
  const run = (...args: readonly string[]) =>
    chatgen(['load', server.url, '--rate', '60', ...args], { CHATGEN_API_KEY: key }, folder)
  const common = ['--duration', '1s', '--seed', 'same', '--slo', 'errors < 50%']
  for (const index of ['0', '1', '2']) {
    await run(...common, '--shard', `${index}/3`, '--out', `shard-${index}`)
  }
  await run(...common, '--out', 'whole', '--report', every, '--verbose')
  const other = ['--duration', '1s', '--seed', 'other', '--no-requests', '--shard', '1/3']
  await run(...other, '--out', 'other')
  await server.close()
}, 120_000)

const render = (...args: readonly string[]) => chatgen(['report', ...args], {}, folder)

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
    const ended = await render('whole', '--report', every, '--out', 'again')
    expectEnd(ended, 0, { out: /^(MET|INVALID)/ })
    expect(readdirSync(join(folder, 'again')).toSorted()).toEqual(files)
    for (const file of files) expect(read(`again/${file}`)).toBe(read(`whole/${file}`))
  })

  test('merges shards to one run', async () => {
    const shards = ['shard-0', 'shard-1/report.json', 'shard-2']
    const ended = await render(...shards, '--report', 'console,json', '--out', 'merged')
    expectEnd(ended, 0)
    expect(ended.stdout).not.toContain('partial')
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
    const args = ['shard-0', 'shard-2', '--report', 'console,json', '--out', 'partial']
    expectEnd(await render(...args), 5, {
      out: /^(UNDECIDED|INVALID) [\s\S]*;\s+partial:\s+1\s+of\s+3\s+shards\s+missing\s+\(1\)$/m,
      err: 'partial: 1 of 3 shards missing (1): the figures do not cover the whole load',
    })
    expect(reportIn('partial').partial).toEqual({ of: 3, missing: [1] })
    const again = await render('partial', '--report', 'junit', '--out', '-')
    expectEnd(again, 5, { out: 'partial: 1 of 3 shards missing (1)' })
    expectEnd(await render('shard-1'), 5, { err: 'partial: 2 of 3 shards missing (0, 2)' })
  })

  test('says that a shard was interrupted', async () => {
    cpSync(join(folder, 'shard-1'), join(folder, 'interrupted'), { recursive: true })
    const file = join(folder, 'interrupted', 'report.json')
    const { digest: _, ...report } = reportIn('shard-1')
    writeFileSync(file, JSON.stringify({ ...report, interrupted: true }))
    const err = 'a shard was interrupted: the figures do not cover the whole load'
    expectEnd(await render('shard-0', 'interrupted', 'shard-2'), 5, { err })
  })

  test.each([
    ['the same shard twice', ['shard-0', 'shard-0'], 'is shard 0, which was already given'],
    ['a format that a load has not', ['whole', '--report', 'badge'], 'unknown report format badge'],
    ['merged shards without a folder', ['shard-0', 'shard-1', '--report', 'html'], 'pass --out'],
    [
      'merged shards in the folder of one of them',
      ['shard-0', 'shard-1', '--report', 'json', '--out', 'shard-1'],
      'has the measurements of a shard',
    ],
    ['a load and conformance together', ['whole', 'check.json'], 'render them separately'],
  ])('ends with 2 for %s', async (_, args, err) => {
    const check = '{"kind":"conformance-report","schemaVersion":1}'
    writeFileSync(join(folder, 'check.json'), check)
    expectEnd(await render(...args), 2, { err })
  })
})
