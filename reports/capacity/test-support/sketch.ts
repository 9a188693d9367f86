import { loadReportOf } from '../../load/test-support/sketch.ts'
import type { CapacityProbe, ProbeLatency } from '../model/probe.ts'
import type { CapacityReport } from '../model/report.ts'

const { suite, target, seed, startedAt, generator } = loadReportOf()

/** A capacity report written by hand: two rates that meet the SLO, one that misses it. */
export function capacityReportOf(more: Partial<CapacityReport> = {}): CapacityReport {
  return { ...sketch, ...more }
}

export function capacityProbeOf(more: Partial<CapacityProbe> = {}): CapacityProbe {
  return { ...probe, ...more }
}

const slo = 'ttft.p95 < 1s'

const probe: CapacityProbe = {
  index: 1,
  purpose: 'search',
  rate: 20,
  clients: null,
  verdict: 'met',
  valid: true,
  stopped: null,
  atMs: 2000,
  durationMs: 40_000,
  rest: null,
  slo: [
    {
      expression: slo,
      verdict: 'met',
      observed: 400,
      limit: 1000,
      unit: 'ms',
      margin: 0.6,
      over: 4,
      requests: 800,
      allowed: 0.05,
      independent: 0.5,
    },
  ],
  perSecond: {
    offered: 20,
    completed: 20,
    shed: 0,
    failed: 0,
    good: 19.9,
    inputTokens: 1200,
    outputTokens: 2400,
  },
  concurrency: 50,
  latencies: [
    latencyOf('ttft', 'response', [200, 180, 300, 400, 700]),
    latencyOf('tpot', 'service', [20, 20, 24, 25, 30]),
    latencyOf('e2e', 'response', [2500, 2400, 3800, 4200, 5100]),
  ],
  violated: [],
  generator: { verdict: 'valid', reasons: [], eventLoopUtilization: 0.1 },
  audits: [],
  samples: {
    of: 2,
    sentMs: [100, 150],
    transaction: ['openai-stream', 'openai-stream'],
    promptTokens: [60, 61],
    outputTokens: [120, null],
    ttftMs: [180, 190],
    e2eMs: [2400, 2500],
    tpotMs: [20, null],
    inFlight: [48, 49],
  },
  planHash: '0123456789abcdef'.repeat(4),
  report: 'probes/001/report.json',
}

const missed = capacityProbeOf({
  index: 3,
  rate: 44,
  verdict: 'missed',
  stopped: `more than half of the requests are over ${slo}`,
  report: 'probes/003/report.json',
  slo: probe.slo.map((row) => ({
    ...row,
    verdict: 'missed',
    observed: 3100,
    margin: -2.1,
    over: 600,
  })),
})

const sketch: CapacityReport = {
  kind: 'capacity-report',
  schemaVersion: 1,
  outcome: 'found',
  interrupted: false,
  suite,
  target: { ...target, surfaces: ['openai'] },
  seed,
  startedAt,
  durationMs: 600_000,
  loop: 'open',
  config: {
    slos: [slo],
    min: 1,
    max: 10_000,
    precision: 0.05,
    budgetMs: 1_200_000,
    headroom: 0.7,
    probeMs: 40_000,
    arrival: 'poisson',
    workers: 1,
    timeoutMs: 60_000,
    mixName: 'openai-stream',
    mix: [],
  },
  result: {
    rate: 42.1,
    interval: [39.8, 43.5],
    confidence: 0.95,
    limitedBy: slo,
    limit: 'capacity',
    firstFailing: 44,
    highestMet: 38,
    by: 'fit',
    headroom: { share: 0.7, rate: 29.47 },
    concurrency: { value: 105, interval: [99.5, 109] },
    tokensPerSecond: { input: 2526, output: 5052 },
  },
  probes: [
    probe,
    capacityProbeOf({ index: 2, rate: 38, report: 'probes/002/report.json' }),
    missed,
  ],
  frontier: [
    {
      ...{ rate: 20, clients: null, probes: 1, completed: 20, outputTokens: 2400, concurrency: 50 },
      ...{
        ttft: { p50: 180, p95: 400 },
        tpot: { p50: 20, p95: 25 },
        e2e: { p50: 2400, p95: 4200 },
      },
      verdict: 'met',
    },
    {
      ...{
        rate: 44,
        clients: null,
        probes: 1,
        completed: 41,
        outputTokens: 4900,
        concurrency: 190,
      },
      ...{ ttft: { p50: 1800, p95: 3100 }, tpot: { p50: 22, p95: null } },
      ...{ e2e: { p50: 5400, p95: 8200 }, verdict: 'missed' },
    },
  ],
  policyLimit: null,
  hysteresis: {
    verdict: 'none',
    rate: 35.8,
    up: 0.01,
    down: 0.012,
    message: '35.8/s right after an overload of 63.1/s is no worse than before.',
  },
  drift: {
    verdict: 'none',
    perHour: null,
    message: 'No change of the capacity with time is told from noise.',
  },
  generator: { verdict: 'valid', reasons: [], environment: generator.environment, holds: null },
  notes: [],
  faults: [],
}

function latencyOf(
  metric: ProbeLatency['metric'],
  clock: ProbeLatency['clock'],
  [mean, p50, p90, p95, p99]: readonly [number, number, number, number, number],
): ProbeLatency {
  return { metric, clock, count: 800, mean, p50, p90, p95, p99 }
}

/** Result of a search that found no rate. */
export const nothingFound: CapacityReport['result'] = {
  ...sketch.result,
  ...{ rate: null, interval: null, limitedBy: null, limit: null, firstFailing: null, by: null },
  ...{ highestMet: null, headroom: null, concurrency: null, tokensPerSecond: null },
}
