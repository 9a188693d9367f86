import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { forSome } from '../../contract/test-support/for-all.ts'
import { requestLine } from '../../reports/load/model/requests.ts'
import { joinRequests, requestsFile, requestsName } from './record.ts'
import { load } from './test-support/drive.ts'
import { oddServer } from './test-support/odd-server.ts'
import { anyRecord, recordOf } from './test-support/records.ts'

const emptyFolder = () => mkdtempSync(join(tmpdir(), 'chatgen-requests-'))

const linesIn = (file: string) =>
  readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => requestLine.parse(JSON.parse(line)))

test('requests.ndjson has a line for each request, with its finding', async () => {
  const server = await oddServer((n) => (n % 4 === 3 ? 'cut after [DONE]' : n === 0 ? 503 : 'well'))
  const file = join(emptyFolder(), requestsName)
  const report = await load(server.url, { options: { requestsFile: file } })
  const lines = linesIn(file)
  expect(lines.map(({ index }) => index).sort((a, b) => a - b)).toEqual([...Array(20).keys()])
  const outcomes = Map.groupBy(lines, ({ outcome, status }) => `${outcome} ${status}`)
  expect([...outcomes].map(([name, all]) => [name, all.length])).toEqual([
    ['status 503', 1],
    ['ok 200', 19],
  ])
  expect(lines.filter(({ finding }) => finding === 'OAI-STREAM-09')).toHaveLength(5)
  expect(lines.reduce((sum, { events }) => sum + events, 0)).toBe(report.integrity.events)
  for (const { planned, sent, firstEvent, firstText, end, outcome } of lines) {
    const times = [planned, sent, firstEvent, firstText, end]
    const stamps = times.filter((ms) => ms !== null)
    expect(stamps).toEqual(stamps.toSorted((a, b) => a - b))
    expect(stamps).toHaveLength(outcome === 'ok' ? 5 : 3)
  }
})

test('requests.ndjson lines match the schema and contain no secrets', () => {
  const file = join(emptyFolder(), requestsName)
  forSome(30, fc.array(anyRecord, { minLength: 1, maxLength: 20 }), (records) => {
    const requests = requestsFile(file, (text) => text.replaceAll('503', '***'))
    for (const record of records) requests.add([record])
    const lines = linesIn(file)
    expect(lines.map(({ index, step }) => [index, step])).toEqual(
      records.map(({ index, step }) => [index, step]),
    )
    for (const { detail } of lines) expect(detail).not.toBe('503')
  })
})

test('requests.ndjson that cannot be written is a problem of the run', () => {
  const requests = requestsFile(join(emptyFolder(), 'no-such-folder', requestsName), String)
  requests.add([recordOf()])
  requests.add([recordOf()])
  expect(requests.problems()).toEqual([
    expect.stringContaining('requests.ndjson is incomplete: ENOENT'),
  ])
})

test('joinRequests concatenates shards, also into the folder of one of them', () => {
  const folder = emptyFolder()
  const shards = ['a', 'b', 'c'].map((name) => join(folder, name))
  for (const shard of shards) mkdirSync(shard)
  shards.slice(0, 2).forEach((shard, at) => {
    writeFileSync(join(shard, requestsName), `{"index":${at}}\n`.repeat(200_000))
  })
  for (const out of [folder, shards[0] ?? '']) {
    joinRequests(shards, out)
    const text = readFileSync(join(out, requestsName), 'utf8')
    expect(text).toBe(`${'{"index":0}\n'.repeat(200_000)}${'{"index":1}\n'.repeat(200_000)}`)
  }
})
