import { z } from 'zod'

/** Measurements of the target in a load run. */

export const metricNames = [
  'connect',
  'ttfb',
  'ttfe',
  'ttft',
  'ttfo',
  'thinking',
  'icl',
  'tpot',
  'e2e',
  'close_lag',
  'max_gap',
] as const
export type MetricName = (typeof metricNames)[number]

const quantile = z.object({
  /** 0.5, 0.9, 0.99, … */
  q: z.number(),
  /** Null if the sample is too small for it; `why` gives the size that is needed. */
  value: z.number().nullable(),
  /** Exact order-statistic interval of 95 %, on the effective sample; null at an open end. */
  low: z.number().nullable(),
  high: z.number().nullable(),
  why: z.string().nullable(),
})
export type Quantile = z.infer<typeof quantile>

const distribution = z.object({
  /** Values recorded in the measured window. */
  count: z.int(),
  /** Requests known only to have taken longer; included in the quantiles, not in `count`. */
  censored: z.int(),
  /** Effective sample size, reduced by autocorrelation. */
  effective: z.number(),
  min: z.number().nullable(),
  mean: z.number().nullable(),
  max: z.number().nullable(),
  quantiles: z.array(quantile),
  /** HDR V2, compressed, base64; one unit is `unitNs` nanoseconds. */
  histogram: z.object({ unitNs: z.number(), digits: z.int(), base64: z.string() }).nullable(),
})
export type Distribution = z.infer<typeof distribution>

export const metric = z.object({
  name: z.enum(metricNames),
  unit: z.literal('ms'),
  /** Latency from the send time; null if nothing was recorded. */
  service: distribution.nullable(),
  /** Latency from the planned send time; null if the metric has no such form. */
  response: distribution.nullable(),
})
export type Metric = z.infer<typeof metric>

const rate = z.object({
  count: z.int(),
  perSecond: z.number(),
  /** Count of the whole run, warm-up and drain included. */
  wholeRun: z.int(),
})

/** Five separate rates, in the measured window. */
export const rates = z.object({
  offered: rate,
  dispatched: rate,
  completed: rate,
  shed: rate,
  /** Every other failure. */
  failed: rate,
})
export type Rates = z.infer<typeof rates>

export const goodput = z.object({
  /** Complete, without a violation and within every SLO on single requests. */
  good: z.int(),
  /** All that were due in the window, whatever their outcome, except those still open. */
  due: z.int(),
  /** `good / due`; null if nothing was due. */
  share: z.number().nullable(),
  perSecond: z.number(),
})
export type Goodput = z.infer<typeof goodput>

/** Part of the run that was measured, in milliseconds after its start. */
export const window = z.object({
  fromMs: z.number(),
  toMs: z.number(),
  /** Method that cut the warm-up, for example `MSER-5 on ttft`. */
  method: z.string(),
  steady: z.object({ verdict: z.enum(['steady', 'trend', 'too short']), message: z.string() }),
})
export type Window = z.infer<typeof window>

/** Limit of a latency in an SLO, as it was parsed. */
const sloLimit = z.object({
  metric: z.enum(metricNames),
  /** Start of the latency: the actual or the planned send time. */
  clock: z.enum(['service', 'response']),
  /** `p95`, `mean`; null for a limit of each request, as in a goodput. */
  statistic: z.string().nullable(),
  value: z.number(),
  unit: z.literal('ms'),
  /** True if the limit itself is allowed. */
  inclusive: z.boolean(),
})
export type SloLimit = z.infer<typeof sloLimit>

export const sloRow = z.object({
  /** SLO as it was written: `ttft.p95 < 500ms`. */
  expression: z.string(),
  verdict: z.enum(['met', 'missed', 'undecided']),
  /** Observed value in the unit of the expression; null if nothing was measured. */
  observed: z.number().nullable(),
  low: z.number().nullable(),
  high: z.number().nullable(),
  unit: z.string(),
  /** Further good requests that a decision needs; null if it is decided. */
  needed: z.int().nullable(),
  message: z.string(),
  /** Absent for an SLO without a latency. */
  limits: z.array(sloLimit).optional(),
  /** True for an implied SLO: it has a row only if it is missed. */
  implied: z.boolean().optional(),
})
export type SloRow = z.infer<typeof sloRow>

const quantiles = z.object({ p50: z.number(), p90: z.number(), p99: z.number() })

/** One second of the run, by the time of each event. */
export const secondRow = z.object({
  second: z.int(),
  planned: z.int(),
  dispatched: z.int(),
  completed: z.int(),
  shed: z.int(),
  failed: z.int(),
  /** Requests in flight at the end of the second. */
  inFlight: z.int(),
  events: z.int(),
  bytes: z.int(),
  outputTokens: z.int(),
  /** Latencies of requests that got their first token, or ended, in this second; milliseconds. */
  ttft: quantiles.nullable(),
  e2e: quantiles.nullable(),
  icl: quantiles.nullable(),
})
export type SecondRow = z.infer<typeof secondRow>

/** Evenness of content arrival in the measured window. */
export const stalls = z.object({
  /** A gap over this is a stall. */
  overMs: z.number(),
  streams: z.int(),
  /** Streams with a stall, and stalls. */
  stalled: z.int(),
  stalls: z.int(),
  /** Time in stalls, as a share of the time from first to last content. */
  share: z.number(),
  longestMs: z.number().nullable(),
  gaps: z.int(),
  /** Share of the gaps that are 0, because one read brought several pieces. */
  coalesced: z.number(),
})
export type Stalls = z.infer<typeof stalls>

/** Arrival of stream deltas in the measured window: the effect of a proxy or buffer on the way. */
export const delivery = z.object({
  /** Answers with two deltas or more. */
  streams: z.int(),
  /** Pieces of generated content, and socket reads that brought some. */
  deltas: z.int(),
  reads: z.int(),
  /** Share of the deltas that arrived in one read with the delta before them. */
  together: z.number(),
  /** Streams whose deltas all arrived in one read. */
  inOneRead: z.int(),
  /** Deltas in the first read that brought any, on average over the streams. */
  firstRead: z.number(),
  /**
   * `none`: deltas arrived separately, as far as can be measured. `some`: most arrived in lumps, including
   * the first, so `ttft` is the time of the first lump. `whole`: most answers arrived in one read.
   */
  lumps: z.enum(['none', 'some', 'whole']),
  /** Time between lumps if it is nearly the same each time, milliseconds. */
  lumpMs: z.number().nullable(),
  /**
   * Complete streams with a usage that have as many deltas as output tokens, more, and fewer. Not a finding:
   * a server may send several tokens in a delta, or one in several.
   */
  usage: z.object({ equal: z.int(), more: z.int(), fewer: z.int() }),
})
export type Delivery = z.infer<typeof delivery>

/** Distribution of latencies over time: a column for each time range, a row for each latency range. */
export const heatMap = z.object({
  metric: z.enum(['ttft', 'e2e']),
  clock: z.literal('response'),
  columnSeconds: z.int(),
  /** Lower ends of the rows, milliseconds, ten a decade; the last one is the upper end of the last row. */
  edgesMs: z.array(z.number()),
  /** Counts by column, then by row. */
  counts: z.array(z.array(z.int())),
})
export type HeatMap = z.infer<typeof heatMap>

/** Results of the requests to one of several endpoints. */
export const endpoint = z.object({
  /** A, B, … in the order of the command line or the profile. */
  name: z.string(),
  baseUrl: z.string(),
  /** Requests of the whole run. */
  requests: z.int(),
  completed: z.int(),
  /** 429 responses count as shed, not as failed. */
  failed: z.int(),
  shed: z.int(),
  open: z.int(),
  /** Requests of deliberately misbehaving clients, and duplicates in races. */
  left: z.int(),
  /** Metrics of the measured window. */
  metrics: z.array(metric),
})
export type EndpointRow = z.infer<typeof endpoint>
