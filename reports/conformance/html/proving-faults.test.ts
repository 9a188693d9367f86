import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { faults } from '../../../reference-server/deviations/index.ts'
import { provingFaults } from './proving-faults.ts'

const written = existsSync(new URL('../../../docs/kill-matrix.json', import.meta.url))

test.runIf(written)('the kill matrix tells which faulty servers prove a check', () => {
  const proving = provingFaults()?.filter(({ breaks }) => breaks.includes('V3-SSE-09')) ?? []
  const summaries = new Map(faults.map((fault) => [fault.name, fault.summary]))
  expect(proving.length).toBeGreaterThan(0)
  for (const { name, summary } of proving) expect(summaries.get(name)).toBe(summary)
})
