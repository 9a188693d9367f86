import { readFileSync } from 'node:fs'
import { encodeIntoCompressedBase64, Float64Histogram } from 'hdr-histogram-js'
import { parse } from 'yaml'
import { type CapacityProbe, capacityProbe } from '../capacity/model/probe.ts'
import { type CapacityReport, capacityReport } from '../capacity/model/report.ts'
import type { Distribution, Metric, MetricName } from '../load/model/measures.ts'
import { type LoadReport, loadReport } from '../load/model/report.ts'

/**
 * A load report written by hand: 300 streams in three seconds, some from a slow shard of the target, with
 * hostile texts.
 */
export function loadReportOf(more: Partial<LoadReport> = {}): LoadReport {
  return { ...loadSketch, ...more }
}

const metrics = [
  metricOf('ttft', spreadOf(300, 100), [...spreadOf(290, 102), ...spreadOf(10, 900)]),
  metricOf('icl', [...spreadOf(2900, 20), ...spreadOf(100, 0)]),
  metricOf('tpot', spreadOf(300, 20)),
  metricOf('e2e', spreadOf(300, 500), [...spreadOf(290, 502), ...spreadOf(10, 1400)]),
]
const { transactions, connections, ...others } = parse(
  readFileSync(new URL('load.yaml', import.meta.url), 'utf8'),
  { merge: true },
)
const loadSketch = loadReport.parse({
  ...{ ...others, metrics },
  transactions: transactions.map((row: object) => ({ ...row, metrics })),
  connections: { ...connections, connectMs: metricOf('connect', spreadOf(40, 0.4)) },
})

/** A latency of these values, in milliseconds, as a run would report it. */
export function distributionOf(values: readonly number[]): Distribution {
  const sorted = values.toSorted((a, b) => a - b)
  const histogram = new Float64Histogram(1, 3_600_000_000, 3)
  for (const value of sorted) histogram.recordValue(Math.round(value * 1000))
  const at = (q: number) => sorted[Math.max(0, Math.ceil(q * sorted.length) - 1)] ?? 0
  return {
    count: values.length,
    censored: 0,
    effective: values.length,
    min: at(0),
    mean: sorted.reduce((sum, value) => sum + value, 0) / sorted.length,
    max: at(1),
    quantiles: [0.5, 0.9, 0.99].map((q) =>
      sorted.length * (1 - q) < 3 - 1e-9
        ? { q, value: null, low: null, high: null, why: `n is ${sorted.length}` }
        : { q, value: at(q), low: at(q - 0.02), high: at(Math.min(1, q + 0.008)), why: null },
    ),
    histogram: { unitNs: 1000, digits: 3, base64: encodeIntoCompressedBase64(histogram) },
  }
}

function metricOf(
  name: MetricName,
  service: readonly number[],
  response: readonly number[] | null = null,
): Metric {
  return {
    name,
    unit: 'ms',
    service: distributionOf(service),
    response: response === null ? null : distributionOf(response),
  }
}

/** Deterministic values around a middle. */
function spreadOf(count: number, middle: number): number[] {
  return Array.from(
    { length: count },
    (_, at) => middle * (0.8 + ((at * 37) % count) / (2 * count)),
  )
}

const { suite, target, seed, startedAt, generator } = loadReportOf()
const data = parse(readFileSync(new URL('capacity.yaml', import.meta.url), 'utf8'), { merge: true })
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
