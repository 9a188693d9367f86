import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { targetFixture } from '../../../fixtures/targets.ts'
import { loadReportOf } from '../../../reports/load/test-support/sketch.ts'
import { reportOf, rowOf } from '../test-support/reports.ts'
import { jsonSchemas } from './json-schemas.ts'

const folder = new URL('../../../schemas/', import.meta.url)

test('the published schemas are those of the types: npm run schemas writes them', () => {
  const schemas = jsonSchemas()
  expect(readdirSync(folder).toSorted()).toEqual([...schemas.keys()].toSorted())
  for (const [name, text] of schemas) expect(readFileSync(new URL(name, folder), 'utf8')).toBe(text)
})

describe('read as JSON Schemas,', () => {
  const schemaOf = (name: string) =>
    z.fromJSONSchema(JSON.parse(jsonSchemas().get(`${name}.schema.json`) ?? ''))

  test('that of the report takes reports, also earlier and later ones', () => {
    const schema = schemaOf('report')
    const report = reportOf([rowOf('V3-IDEM-02')])
    const { residue: _, ...earlier } = report
    for (const value of [report, earlier, { ...report, later: true }]) {
      expect(schema.safeParse(value).error).toBeUndefined()
    }
    for (const value of [{}, { ...report, outcome: 'fine' }, { ...report, schemaVersion: 2 }]) {
      expect(schema.safeParse(value).success).toBe(false)
    }
  })

  test('that of a load report takes load reports, also with members that are not known yet', () => {
    const schema = schemaOf('load-report')
    const report = loadReportOf()
    const { heatMaps: _, notes: __, ...earlier } = report
    const shard = { ...report, measurements: 'H4sI', partial: { of: 2, missing: [1] } }
    for (const value of [report, earlier, shard, { ...report, later: true }]) {
      expect(schema.safeParse(value).error).toBeUndefined()
    }
    for (const value of [{}, { ...report, outcome: 'fine' }, { ...report, slo: null }]) {
      expect(schema.safeParse(value).success).toBe(false)
    }
  })

  test('that of the profile takes the one of the reference server', () => {
    const schema = schemaOf('target-profile')
    const profile = { baseUrl: 'http://127.0.0.1:4010', ...parse(targetFixture('reference').text) }
    expect(schema.safeParse(profile).error).toBeUndefined()
    expect(schema.safeParse({ ...profile, capabilites: {} }).success).toBe(false)
  })

  test('that of the baseline wants reasons', () => {
    const schema = schemaOf('baseline')
    expect(schema.safeParse({ 'V3-IDEM-02': { because: 'x', until: '2026-12-31' } }).success).toBe(
      true,
    )
    expect(schema.safeParse({ 'V3-IDEM-02': {} }).success).toBe(false)
  })
})
