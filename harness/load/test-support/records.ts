import fc from 'fast-check'
import type { LoadReport } from '../../../reports/load/model/report.ts'
import { loadReportOf } from '../../../reports/test-support/measurements.ts'
import { Histogram, packed } from '../metrics/samples/histogram.ts'
import { drawsOf, standardNormal } from '../plan/random.ts'
import {
  failure,
  failureKinds,
  type RequestOutcome,
  type RequestRecord,
  type Timestamps,
} from '../record.ts'

const ms = 1e6

export interface RecordParts {
  readonly timestamps?: Partial<Timestamps>
  readonly counts?: Partial<RequestRecord['counts']>
  readonly record?: Partial<RequestRecord>
}

/**
 * A stream that was planned at 0, sent at 1 ms on a connection that was open, with the opening event
 * at 51 ms, reasoning from 101 ms, text from 201 ms in gaps of 100, 20, 0 and 30 ms, the terminal
 * event at 260 ms and the end of the body at 262 ms. 5 pieces, 11 tokens.
 */
export function recordOf({ timestamps, counts, record }: RecordParts = {}): RequestRecord {
  return {
    index: 0,
    step: 0,
    transaction: 'chat',
    surface: 'openai',
    operation: 'openai.chat',
    form: 'stream',
    timestamps: {
      planned: 0,
      dispatched: 0.5 * ms,
      connected: 1 * ms,
      sent: 1 * ms,
      headers: 41 * ms,
      firstEvent: 51 * ms,
      firstGenerated: 101 * ms,
      firstText: 201 * ms,
      lastGenerated: 251 * ms,
      terminal: 260 * ms,
      ended: 262 * ms,
      ...timestamps,
    },
    gapsNs: [100 * ms, 20 * ms, 0, 30 * ms],
    counts: {
      bytes: 1000,
      events: 8,
      generated: 5,
      outputTokens: 11,
      streamedTokens: counts?.outputTokens === undefined ? 11 : counts.outputTokens,
      inputTokens: 7,
      newConnection: false,
      ...counts,
    },
    status: 200,
    outcome: { kind: 'ok' },
    ...record,
  }
}

/** The same record shifted in time, as a separate request. */
export function shifted(record: RequestRecord, index: number, byNs: number): RequestRecord {
  const stamps = Object.fromEntries(
    Object.entries(record.timestamps).map(([name, at]) => [name, at === null ? null : at + byNs]),
  ) as unknown as Timestamps
  return { ...record, index, timestamps: stamps }
}

const gap = fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 2_000 * ms }))

/** Any request that an engine can report: its timestamps are in order and may break off anywhere. */
export const anyRecord: fc.Arbitrary<RequestRecord> = fc
  .record({
    index: fc.nat(20_000),
    step: fc.nat(1),
    transaction: fc.constantFrom('chat', 'history'),
    form: fc.constantFrom('stream', 'json'),
    planned: fc.integer({ min: 0, max: 20_000 * ms }),
    steps: fc.array(gap, { minLength: 9, maxLength: 9 }),
    reached: fc.integer({ min: 1, max: 9 }),
    gapsNs: fc.array(gap, { maxLength: 6 }),
    tokens: fc.option(fc.nat(40)),
    bytes: fc.nat(5000),
    newConnection: fc.boolean(),
    outcome: fc.oneof(
      fc.constant<RequestOutcome>({ kind: 'ok' }),
      fc.constantFrom<RequestOutcome>({ kind: 'open' }, { kind: 'abandoned', why: 'abort' }),
      fc
        .tuple(fc.constantFrom(...failureKinds), fc.constantFrom('a', '503'))
        .map(([kind, detail]) => failure(kind, detail)),
    ),
  })
  .map(({ index, step, transaction, form, planned, steps, reached, gapsNs, ...rest }) => {
    let at = planned
    const reach = (position: number) => {
      at += steps[position] ?? 0
      return position < reached ? at : null
    }
    const dispatched = reach(0) ?? planned
    const connected = reach(1)
    const sent = reach(2)
    const headers = reach(3)
    const streams = form === 'stream'
    const firstEvent = streams ? reach(4) : null
    const firstGenerated = streams ? reach(5) : null
    const gaps = firstGenerated === null ? [] : gapsNs
    if (firstGenerated !== null) at += gaps.reduce((sum, value) => sum + value, 0)
    const lastGenerated = firstGenerated === null ? null : at
    const { tokens, bytes, newConnection, outcome } = rest
    return recordOf({
      timestamps: {
        ...{ planned, dispatched, connected, sent, headers, firstEvent, firstGenerated },
        firstText: firstGenerated === null || steps[6] === 0 ? null : lastGenerated,
        lastGenerated,
        terminal: reach(7),
        ended: reach(8),
      },
      counts: { bytes, outputTokens: tokens, newConnection, generated: gaps.length + 1 },
      record: {
        ...{ index, step, transaction, form, gapsNs: gaps, outcome },
        status: headers === null ? null : outcome.kind === 'status' ? 503 : 200,
      },
    })
  })

/**
 * 60 s at 40 requests per second, times lognormal with sigma 0.15. Each second has its own level, which
 * follows that of the second before it (autocorrelation 0.5, 2 %), so requests are not independent.
 */
export function simulatedRun(seed: number, factor: number, failing = 0): LoadReport {
  const [random, noise] = [drawsOf(seed, 0), normal(seed + 1e6)]
  let level = 0
  const blocks = Array.from({ length: 20 }, () => {
    const [ttft, tpot, e2e] = [new Histogram(), new Histogram(), new Histogram()]
    let [due, ok] = [0, 0]
    for (let second = 0; second < 3; second++) {
      level = 0.5 * level + Math.sqrt(1 - 0.5 ** 2) * 0.02 * noise()
      const scale = factor * Math.exp(level)
      for (let at = exponential(random, 40); at < 1; at += exponential(random, 40)) {
        due++
        if (random() < failing) continue
        ok++
        const first = 200e6 * scale * Math.exp(0.15 * noise())
        const gap = 20e6 * scale * Math.exp(0.15 * noise())
        ttft.add(first)
        tpot.add(gap)
        e2e.add(first + 10 * gap)
      }
    }
    const latency = (metric: 'ttft' | 'tpot' | 'e2e', values: Histogram) => ({
      metric,
      clock: metric === 'tpot' ? ('service' as const) : ('response' as const),
      counts: [...values.counts],
      censored: 0,
    })
    const latencies = [latency('ttft', ttft), latency('tpot', tpot), latency('e2e', e2e)]
    return { due, ok, good: ok, completed: ok, outputTokens: 11 * ok, latencies }
  })
  return loadReportOf({ ...validRun, metrics: [], blocks: packed({ blockMs: 3000, blocks }) })
}

/** A run without SLOs whose generator kept up. */
const validRun = {
  generator: { ...loadReportOf().generator, verdict: 'valid' },
  slo: [],
} as const satisfies Partial<LoadReport>

function exponential(random: () => number, perSecond: number): number {
  return -Math.log(1 - random()) / perSecond
}

/** Standard normal values. */
export function normal(seed: number): () => number {
  const random = drawsOf(seed, 0)
  return () => standardNormal(random(), random())
}
