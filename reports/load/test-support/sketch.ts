// biome-ignore-all lint/style/noExcessiveLinesPerFile: data, one report of a load run
import { encodeIntoCompressedBase64, Float64Histogram } from 'hdr-histogram-js'
import { type Disturbances, type ErrorRow, errorCounters } from '../model/integrity.ts'
import type { Distribution, Metric, MetricName, SloRow } from '../model/measures.ts'
import type { LoadReport } from '../model/report.ts'

/**
 * A load report written by hand: 300 streams in three seconds, some from a slow shard of the target, with
 * hostile texts.
 */
export function loadReportOf(more: Partial<LoadReport> = {}): LoadReport {
  return { ...sketch, ...more }
}

/** Hostile text from a target. */
export const evil =
  '</script><script>window.pwned=1</script><img src=x onerror="window.pwned=1"> | `x` ]]> \u001b[2J\u202etxt'

const ttft = metricOf('ttft', spreadOf(300, 100), [...spreadOf(290, 102), ...spreadOf(10, 900)])
const e2e = metricOf('e2e', spreadOf(300, 500), [...spreadOf(290, 502), ...spreadOf(10, 1400)])
const icl = metricOf('icl', [...spreadOf(2900, 20), ...spreadOf(100, 0)])
const tpot = metricOf('tpot', spreadOf(300, 20))

const undisturbed = Object.fromEntries(
  [...errorCounters, 'retries'].map((name) => [name, 0]),
) as Disturbances

const sketch: LoadReport = {
  kind: 'load-report',
  schemaVersion: 1,
  outcome: 'violated',
  interrupted: false,
  suite: { version: '0.1.0', interface: '2026-01' },
  target: { baseUrl: 'http://127.0.0.1:4010', surfaces: ['openai', 'v3'] },
  seed: 'a-seed',
  startedAt: '2026-01-02T03:04:05.000Z',
  durationMs: 3250,
  plan: {
    hash: '0123456789abcdef'.repeat(4),
    arrival: { kind: 'poisson', perSecond: 100 },
    durationMs: 3000,
    transactions: 306,
    ownTransactions: 306,
    shard: null,
    mix: 'openai-stream',
  },
  config: {
    workers: 1,
    timeoutMs: 60_000,
    drainMs: 10_000,
    mostInFlight: 10_000,
    judgedShare: 1,
    idempotencyRaceShare: 0,
    misbehavior: { slowReader: 0, abort: 0, churn: 0 },
    keepAlive: true,
    startAt: null,
    mix: [],
  },
  window: {
    fromMs: 0,
    toMs: 3000,
    method: 'MSER-5 on ttft',
    steady: { verdict: 'steady', message: 'no trend' },
  },
  rates: {
    offered: { count: 306, perSecond: 102, wholeRun: 306 },
    dispatched: { count: 306, perSecond: 102, wholeRun: 306 },
    completed: { count: 296, perSecond: 98.7, wholeRun: 299 },
    shed: { count: 2, perSecond: 0.67, wholeRun: 2 },
    failed: { count: 5, perSecond: 1.67, wholeRun: 5 },
  },
  goodput: { good: 290, due: 303, share: 290 / 303, perSecond: 96.7 },
  metrics: [ttft, icl, tpot, e2e],
  stalls: {
    overMs: 500,
    streams: 300,
    stalled: 2,
    stalls: 3,
    share: 0.012,
    longestMs: 812,
    gaps: 3000,
    coalesced: 0.033,
  },
  errors: [
    errorOf('integrity', 'violations', 'V3-SSE-17', 4, 17),
    errorOf('shed', 'tooManyRequests', '429', 2, 90),
    errorOf('truncated', 'droppedConnections', evil, 1, 99),
  ],
  disturbances: { ...undisturbed, tooManyRequests: 2, droppedConnections: 1, violations: 4 },
  open: 3,
  left: { abort: 0, churn: 0, slowReader: 0, race: 0 },
  transactions: [
    {
      name: 'openai-stream',
      surface: 'openai',
      share: 1,
      planned: 306,
      completed: 296,
      failed: 7,
      open: 3,
      requests: [
        { operation: 'openai.chat', form: 'stream', count: 306, completed: 296, failed: 7 },
      ],
      metrics: [ttft, icl, tpot, e2e],
    },
  ],
  connections: {
    opened: 4,
    reused: 302,
    connectMs: metricOf('connect', spreadOf(40, 0.4)),
    httpVersions: ['2'],
    http2: { streams: 307, maxAtOnce: 100, allowed: 100, resets: 1, goaways: 2, resent: 1 },
  },
  delivery: {
    streams: 300,
    deltas: 7500,
    reads: 900,
    together: 0.92,
    inOneRead: 3,
    firstRead: 9.5,
    lumps: 'some',
    lumpMs: 200,
    usage: { equal: 297, more: 3, fewer: 0 },
  },
  integrity: {
    judgedShare: 1,
    streams: 303,
    bodies: 0,
    events: 6060,
    held: ['OAI-STREAM-03', 'OAI-STREAM-04'],
    findings: [
      {
        id: 'V3-SSE-17',
        level: 'required',
        title: 'The text of response.completed is all that the deltas said.',
        broken: 4,
        of: 303,
        rate: 4 / 303,
        first: {
          index: 17,
          step: 0,
          atMs: 231.5,
          operation: 'v3.generate',
          event: 12,
          why: evil,
          requestId: 'chatgen-a-seed-17',
        },
      },
    ],
    crossTalk: { answers: 303, leaks: 0 },
    duplicateIds: { ids: 303, duplicates: 0 },
    idempotencyRaces: { races: 0, doubled: 0, unreadable: 0 },
  },
  slo: [
    {
      ...sloOf('ttft.p90 < 500ms', 'met', [131, 128, 133]),
      unit: 'ms',
      message: '10 of 300 requests were over 500 ms; p90 allows 10 %. Met at 99 % confidence.',
      limits: [
        {
          ...{ metric: 'ttft', clock: 'response', statistic: 'p90' },
          ...{ value: 500, unit: 'ms', inclusive: false },
        },
      ],
    },
    {
      ...sloOf('goodput > 99%', 'missed', [95.7, 92.8, 97.7]),
      message:
        '290 of 303 due requests were good; 13 were not, 1 % may be. Missed at 99 % confidence.',
    },
    {
      ...sloOf('errors < 2%', 'undecided', [2.31, 0.93, 4.7]),
      needed: 1200,
      message:
        '7 of 303 due requests failed; 2 % may. 1200 more clean requests needed for a decision.',
    },
  ],
  generator: {
    verdict: 'degraded',
    reasons: ['its timestamps were up to 3.1 ms late (p99)'],
    timestampError: { p50: 0.08, p99: 3.1, max: 4.4, count: 900 },
    scheduleDelay: { p50: 0.3, p99: 2.2, max: 6, count: 306 },
    eventLoopUtilization: 0.42,
    cpuMs: 1234,
    eventsPerSecond: 1865,
    eventsPerCpuSecond: 4911,
    calibration: null,
    workers: [
      {
        index: 0,
        requests: 306,
        events: 6060,
        cpuMs: 1234,
        eventLoopUtilization: 0.42,
        scheduleDelay: null,
        timestampError: { p50: 0.08, p99: 3.1, max: 4.4, count: 900 },
      },
    ],
    environment: {
      node: 'v24.0.0',
      platform: 'linux x64',
      cpus: 2,
      cpuModel: 'A processor',
      loadAverage: 0.5,
    },
  },
  audits: [
    {
      name: 'littles-law',
      verdict: 'pass',
      expected: 49.6,
      observed: 50.1,
      message: 'In flight on average 50.10, rate times residence 49.60: 1.0 % apart.',
    },
    {
      name: 'conservation-transactions',
      verdict: 'fail',
      expected: 306,
      observed: 305,
      message: '306 due = 305 started + 0 not sent.',
    },
  ],
  series: [
    second(0, 98, 52, { p50: 98, p90: 120, p99: 131 }),
    second(1, 104, 60, { p50: 101, p90: 124, p99: 940 }),
    second(2, 104, 55, { p50: 99, p90: 122, p99: 133 }),
    { ...second(3, 0, 0, null), completed: 50 },
  ],
  heatMaps: [
    {
      metric: 'ttft',
      clock: 'response',
      columnSeconds: 1,
      edgesMs: [79.4, 100, 125.9, 158.5],
      counts: [
        [40, 30, 2],
        [41, 33, 4],
        [39, 31, 3],
        [0, 0, 0],
      ],
    },
  ],
  notes: ['DELETE /api/v3/chat: 503 (2 times)'],
  faults: [],
}

function errorOf(
  kind: ErrorRow['kind'],
  counter: ErrorRow['counter'],
  detail: string,
  count: number,
  firstIndex: number,
): ErrorRow {
  const first = { firstIndex, firstSecond: firstIndex / 100 }
  return { kind, counter, detail, count, share: count / 303, ...first }
}

function sloOf(
  expression: string,
  verdict: SloRow['verdict'],
  [observed, low, high]: readonly [number, number, number],
) {
  return { expression, verdict, observed, low, high, unit: '%', needed: null }
}

function second(
  at: number,
  planned: number,
  inFlight: number,
  ttft: { p50: number; p90: number; p99: number } | null,
): LoadReport['series'][number] {
  return {
    second: at,
    planned,
    dispatched: planned,
    completed: planned === 0 ? 0 : planned - 20,
    shed: at === 1 ? 2 : 0,
    failed: at === 1 ? 5 : 0,
    inFlight,
    events: planned * 20,
    bytes: planned * 4000,
    outputTokens: planned * 18,
    ttft,
    e2e: ttft === null ? null : { p50: 500, p90: 620, p99: 1400 },
    icl: ttft === null ? null : { p50: 20, p90: 24, p99: 25 },
  }
}

/** A latency of these values, in milliseconds, as a run would report it. */
export function distributionOf(values: readonly number[], censored = 0): Distribution {
  const sorted = values.toSorted((a, b) => a - b)
  const histogram = new Float64Histogram(1, 3_600_000_000, 3)
  for (const value of sorted) histogram.recordValue(Math.round(value * 1000))
  const at = (q: number) => sorted[Math.max(0, Math.ceil(q * sorted.length) - 1)] ?? 0
  return {
    count: values.length,
    censored,
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
