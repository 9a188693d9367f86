import { cpSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import { type LoadReport, loadReport } from '../../../reports/load/model/report.ts'
import { startReferenceServer } from '../../library/index.ts'
import { workplace } from '../test-support/chatgen.ts'

const key = 'load-report-key'
const { at, run, ends, list, read, write } = workplace({ CHATGEN_API_KEY: key })
const reportIn = (dir: string) => loadReport.parse(JSON.parse(read(`${dir}/report.json`)))

const every = 'console,json,junit,html,csv,prometheus,markdown'
const files = ['report.csv', 'report.html', 'report.json', 'report.md', 'report.prom', 'report.xml']

beforeAll(async () => {
  const server = await startReferenceServer({ keys: [key] })
  const load = `load ${server.url} --rate 60 --duration 1s`
  const same = `${load} --seed same --slo 'errors < 50%'`
  for (const index of [0, 1, 2]) await run(`${same} --shard ${index}/3 --out shard-${index}`)
  await run(`${same} --out whole --report ${every} --verbose`)
  await run(`${load} --seed other --no-requests --shard 1/3 --out other`)
  await server.close()
}, 120_000)

describe('chatgen report of a load', () => {
  test('writes all formats beside report.json', () => {
    expect(list('whole')).toEqual([...files, 'requests.ndjson'])
    expect(read('whole/requests.ndjson').trimEnd().split('\n')).toHaveLength(
      reportIn('whole').transactions.reduce((sum, { planned }) => sum + planned, 0),
    )
    expect(read('whole/report.csv')).toMatch(/^second,planned,/)
    expect(read('whole/report.html')).toMatch(/^<!doctype html>/)
    expect(read('whole/report.prom')).toContain('gen_ai_client_operation_duration_seconds_bucket')
    expect(read('whole/report.md')).toMatch(/^## /)
    expect(read('whole/report.xml')).toContain('<testcase name="errors &lt; 50%"')
  })

  test('renders stored results the same', async () => {
    await ends(`report whole --report ${every} --out again`, 0, { out: /^(MET|INVALID)/ })
    expect(list('again')).toEqual(files)
    for (const file of files) expect(read(`again/${file}`)).toBe(read(`whole/${file}`))
  })

  test('merges shards into one run', async () => {
    const shards = 'shard-0 shard-1/report.json shard-2'
    // The shards ran one after the other.
    const { stdout } = await ends(`report ${shards} --report console,json --out merged`, 6)
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
    expect(list('other')).toEqual(['report.json'])
  })

  test('reports a missing shard', async () => {
    await ends('report shard-0 shard-2 --report console,json --out partial', 6, {
      out: /^(UNDECIDED|INVALID) [\s\S]*;\s+partial:\s+1\s+of\s+3\s+shards\s+missing\s+\(1\)$/m,
      err: 'partial: 1 of 3 shards missing (1): the figures do not cover the whole load',
    })
    expect(reportIn('partial').partial).toEqual({ of: 3, missing: [1] })
    const out = 'partial: 1 of 3 shards missing (1)'
    await ends('report partial --report junit --out -', 5, { out })
    await ends('report shard-1', 5, { err: 'partial: 2 of 3 shards missing (0, 2)' })
  })

  test('reports an interrupted shard', async () => {
    cpSync(at('shard-1'), at('interrupted'), { recursive: true })
    const { digest: _, ...report } = reportIn('shard-1')
    write('interrupted/report.json', JSON.stringify({ ...report, interrupted: true }))
    const err = 'a shard was interrupted: the figures do not cover the whole load'
    await ends('report shard-0 interrupted shard-2', 6, { err })
  })

  test.each([
    ['the same shard twice', 'shard-0 shard-0', 'is shard 0, which was already given'],
    ['a format that loads do not have', 'whole --report badge', 'unknown report format badge'],
    ['merged shards without a folder', 'shard-0 shard-1 --report html', 'pass --out'],
    [
      'merged shards in the folder of one of them',
      'shard-0 shard-1 --report json --out shard-1',
      'has the measurements of a shard',
    ],
    ['a load and conformance together', 'whole check.json', 'render them separately'],
  ])('ends with 2 for %s', async (_, args, err) => {
    write('check.json', '{"kind":"conformance-report","schemaVersion":1}')
    await ends(`report ${args}`, 2, { err })
  })
})
