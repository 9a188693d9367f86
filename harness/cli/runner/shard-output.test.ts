import fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyRecord } from '../../load/test-support/records.ts'
import { recordsLine, shardOutputIn } from './job.ts'

test('requests come back behind a report that may contain anything', () => {
  fc.assert(
    fc.property(fc.string(), fc.array(anyRecord, { maxLength: 5 }), (text, records) => {
      const report = `${JSON.stringify({ text }, null, 2)}\n`
      const output = shardOutputIn(`${report}${recordsLine(records)}\n`)
      expect(output.report).toBe(report)
      expect(output.records).toEqual(records.map((record) => ({ ...record, gapsNs: [] })))
      expect(shardOutputIn(report)).toEqual({ report, records: [] })
    }),
    { numRuns: 50 },
  )
})
