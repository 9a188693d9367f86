import { z } from 'zod'
import { audit, generator } from '../../load/model/generator.ts'
import { metricNames } from '../../load/model/measures.ts'

/** One probe of a capacity search: a load run at one rate, or with one number of clients. */

/** An SLO in one probe. Latencies in milliseconds, shares from 0 to 1. */
const sloMargin = z.object({
  /** SLO as it was written: `ttft.p95 < 500ms`; implied SLOs have their own wording. */
  expression: z.string(),
  verdict: z.enum(['met', 'missed', 'undecided']),
  observed: z.number().nullable(),
  /** Limit in the unit of `observed`. */
  limit: z.number().nullable(),
  unit: z.string(),
  /** `(limit - observed) / limit`, negative beyond the limit; null if nothing was observed. */
  margin: z.number().nullable(),
  /** Requests over the limit and all; null for an SLO that is not a share of requests. */
  over: z.int().nullable(),
  requests: z.int().nullable(),
  /** Share of the requests that may be over the limit: 0.05 for a p95. */
  allowed: z.number().nullable(),
  /** Effective sample size as a share of `requests`. */
  independent: z.number().nullable(),
})
export type SloMargin = z.infer<typeof sloMargin>

/** Quantiles of a latency; null if the sample is too small. */
const latency = z.object({
  metric: z.enum(metricNames),
  /** Start of the latency: the actual or the planned send time. */
  clock: z.enum(['service', 'response']),
  count: z.int(),
  mean: z.number().nullable(),
  p50: z.number().nullable(),
  p90: z.number().nullable(),
  p95: z.number().nullable(),
  p99: z.number().nullable(),
})
export type ProbeLatency = z.infer<typeof latency>

const nullableNumbers = z.array(z.number().nullable())

/**
 * The first fully answered requests of a probe in order of sending, by column: values with the same index
 * belong to one request. Service times can be fitted to them, as the requests beside each are known.
 */
const samples = z.object({
  /** Number of fully answered requests. */
  of: z.int(),
  /** Milliseconds after the start of the probe at which the request was sent. */
  sentMs: z.array(z.number()),
  /** Name of the transaction in the mix. */
  transaction: z.array(z.string()),
  /** Token counts from the usage of the answer; null without one. */
  promptTokens: nullableNumbers,
  outputTokens: nullableNumbers,
  /** Time from sending to the first token, and to the end of the answer. */
  ttftMs: nullableNumbers,
  e2eMs: nullableNumbers,
  /** Mean time for each output token after the first. */
  tpotMs: nullableNumbers,
  /** Requests of the probe in flight when this one was sent, not counting it. */
  inFlight: z.array(z.int()),
})
export type ProbeSamples = z.infer<typeof samples>

export const capacityProbe = z.object({
  index: z.int(),
  /** `baseline`: unloaded latency. `hysteresis`: repeated on the way down, after overload. */
  purpose: z.enum(['baseline', 'search', 'replicate', 'hysteresis']),
  /** Offered transactions per second; for a closed loop, completed ones. */
  rate: z.number(),
  /** Clients of a closed loop; null for an open one. */
  clients: z.int().nullable(),
  verdict: z.enum(['met', 'missed', 'undecided', 'invalid']),
  /** False if the generator was the bottleneck: the probe is ignored. */
  valid: z.boolean(),
  /** Reason of an early stop; null for a probe of full length. */
  stopped: z.string().nullable(),
  /** Milliseconds after the start of the search. */
  atMs: z.number(),
  durationMs: z.number(),
  /** Rest before the probe, and whether the target was back at its unloaded latency after it. */
  rest: z.object({ ms: z.number(), recovered: z.boolean() }).nullable(),
  slo: z.array(sloMargin),
  /** Rates in the measured window, per second. */
  perSecond: z.object({
    offered: z.number(),
    completed: z.number(),
    shed: z.number(),
    failed: z.number(),
    good: z.number(),
    inputTokens: z.number().nullable(),
    outputTokens: z.number(),
  }),
  /** Mean number of requests in flight, by Little's law. */
  concurrency: z.number().nullable(),
  latencies: z.array(latency),
  /** Required requirements that were violated. */
  violated: z.array(z.string()),
  generator: generator.pick({ verdict: true, reasons: true, eventLoopUtilization: true }),
  audits: z.array(audit),
  samples: samples.nullable(),
  planHash: z.string(),
  /** Load report of the probe, relative to the folder of this report; null if none was written. */
  report: z.string().nullable(),
})
export type CapacityProbe = z.infer<typeof capacityProbe>

/** Configured load: the rate that clients reach depends on the target. */
export function loadOf({ clients, rate }: Pick<CapacityProbe, 'clients' | 'rate'>): number {
  return clients ?? rate
}

/** Counts over a limit by rate, pooled if a higher rate had the smaller share. */

export interface RateCount {
  readonly rate: number
  /** Requests and those over the limit, both as effective sample sizes. */
  readonly count: number
  readonly over: number
}

/** Adjacent rates with one share. */
export interface Pool {
  readonly low: number
  readonly high: number
  readonly count: number
  readonly over: number
}

/**
 * Isotonic regression of the share on the rate by pooling adjacent violators (Ayer et al., Ann. Math.
 * Stat. 26, 1955); pools in ascending order of rate, shares ascending.
 */
export function isotonic(counts: readonly RateCount[]): readonly Pool[] {
  const pools: Pool[] = []
  for (const { rate, count, over } of counts.toSorted((a, b) => a.rate - b.rate)) {
    let pool: Pool = { low: rate, high: rate, count, over }
    for (let before = pools.at(-1); before !== undefined; before = pools.at(-1)) {
      const isSame = before.high === pool.low
      if (!isSame && share(before) <= share(pool)) break
      pools.pop()
      pool = {
        low: before.low,
        high: pool.high,
        count: before.count + pool.count,
        over: before.over + pool.over,
      }
    }
    pools.push(pool)
  }
  return pools
}

function share({ count, over }: Pool): number {
  return count === 0 ? 0 : over / count
}
