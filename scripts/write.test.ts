import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { requirementIds } from '../contract/index.ts'
import { targetFixture } from '../fixtures/files.ts'
import { reportOf, resultOf } from '../harness/conformance/test-support/reports.ts'
import { readTrace, TraceSyntaxError } from '../harness/load/plan/arrival-times.ts'
import { loadReportOf } from '../reports/test-support/measurements.ts'
import { interfacePages } from './docs/interface-pages.ts'
import { targetProfilePage } from './write-docs.ts'
import { jsonSchemas } from './write-schemas.ts'

describe('JSON Schema', () => {
  const schemaOf = (name: string) =>
    z.fromJSONSchema(JSON.parse(jsonSchemas().get(`${name}.schema.json`) ?? ''))
  const report = reportOf([resultOf('V3-IDEM-02')])
  const load = loadReportOf()
  const shard = { ...load, measurements: 'H4sI', partial: { of: 2, missing: [1] } }
  const profile = { baseUrl: 'http://127.0.0.1:4010', ...parse(targetFixture().text) }
  const prompt = { lognormal: { median: 40, sigma: 0.6 } }

  test.each<[string, taken: readonly object[], refused: readonly object[]]>([
    [
      'report',
      [report, { ...report, later: true }],
      [{}, { ...report, outcome: 'fine' }, { ...report, schemaVersion: 2 }],
    ],
    [
      'load-report',
      [load, shard, { ...load, later: true }],
      [{}, { ...load, outcome: 'fine' }, { ...load, slo: null }],
    ],
    ['target-profile', [profile], [{ ...profile, capabilites: {} }]],
    [
      'mix',
      [{ transactions: [{ kind: 'v3-stream', weight: 3, prompt }] }],
      [{ transactions: [{ kind: 'v4-stream' }] }],
    ],
    ['baseline', [{ 'V3-IDEM-02': { because: 'x', until: '2026-12-31' } }], [{ 'V3-IDEM-02': {} }]],
  ])('of a %s accepts and rejects the same as its reader', (name, taken, refused) => {
    const schema = schemaOf(name)
    for (const value of taken) expect(schema.safeParse(value).error).toBeUndefined()
    for (const value of refused) expect(schema.safeParse(value).success).toBe(false)
  })

  test.each([
    [{ at: 1.25, transaction: 'v3-stream', prompt: 80, answer: 40, session: 'a' }, true],
    [{ timestamp: 27482, input_length: 6955, output_length: 52 }, true],
    [{ at: -1 }, false],
    [{ at: '1' }, false],
    [{ at: 1, prompt: 0 }, false],
    [{ prompt: 80 }, false],
  ])('of a trace line accepts %j as its reader does: %s', (line, isTaken) => {
    expect(schemaOf('trace-line').safeParse(line).success).toBe(isTaken)
    const read = () => readTrace(JSON.stringify(line))
    if (isTaken) expect(read).not.toThrow()
    else expect(read).toThrow(TraceSyntaxError)
  })
})

const page = targetProfilePage()

test('docs/target-profile.md matches the schema (npm run docs)', () => {
  const written = readFileSync(new URL('../docs/target-profile.md', import.meta.url), 'utf8')
  expect(written).toBe(page)
})

test('fields of docs/target-profile.md have types and descriptions', () => {
  const rows = page.split('\n').filter((line) => line.startsWith('| `'))
  expect(rows.length).toBeGreaterThan(80)
  for (const row of rows) {
    const [, field, type, , meaning] = row.split(/(?<!\\)\|/).map((cell) => cell.trim())
    expect(type, field).not.toBe('')
    expect(meaning, field).toMatch(/\.$/)
  }
})

const pages = interfacePages()
const folder = new URL('../docs/interface/', import.meta.url)

test('docs/interface matches the catalog (npm run docs)', () => {
  expect(readdirSync(folder).sort()).toEqual(pages.map(({ name }) => name).sort())
  for (const { name, text } of pages) {
    expect(readFileSync(new URL(name, folder), 'utf8'), name).toBe(text)
  }
})

test('requirements are each on the page of one section', () => {
  const text = pages.map((page) => page.text).join('\n')
  expect(requirementIds.filter((id) => text.split(`**${id}**`).length !== 2)).toEqual([])
})
