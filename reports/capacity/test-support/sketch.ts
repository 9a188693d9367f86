import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { loadReportOf } from '../../load/test-support/sketch.ts'
import { type CapacityProbe, capacityProbe } from '../model/probe.ts'
import { type CapacityReport, capacityReport } from '../model/report.ts'

const { suite, target, seed, startedAt, generator } = loadReportOf()
const data = parse(readFileSync(new URL('sketch.yaml', import.meta.url), 'utf8'), { merge: true })
const probe = capacityProbe.parse(data.probes[0])
const sketch = capacityReport.parse({
  ...{ ...data, suite, target: { ...target, surfaces: ['openai'] }, seed, startedAt },
  generator: { ...data.generator, environment: generator.environment },
})

/** A capacity report written by hand: two rates that meet the SLO, one that misses it. */
export function capacityReportOf(more: Partial<CapacityReport> = {}): CapacityReport {
  return { ...sketch, ...more }
}

export function capacityProbeOf(more: Partial<CapacityProbe> = {}): CapacityProbe {
  return { ...probe, ...more }
}

/** Result of a search that found no rate. */
export const nothingFound: CapacityReport['result'] = {
  ...sketch.result,
  ...{ rate: null, interval: null, limitedBy: null, limit: null, firstFailing: null, by: null },
  ...{ highestMet: null, headroom: null, concurrency: null, tokensPerSecond: null },
}
