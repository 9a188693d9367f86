import { z } from 'zod'
import { profileNames, surfaces } from '../../../contract/catalog/requirement.ts'
import { container, digest } from '../../../contract/report/common.ts'
import { audit, generator } from './generator.ts'
import { disturbances, errorRow, integrity } from './integrity.ts'
import {
  delivery,
  endpoint,
  goodput,
  heatMap,
  metric,
  rates,
  secondRow,
  sloRow,
  stalls,
  window,
} from './measures.ts'

/**
 * The report of a load run that other programs read: `report.json`, schema version 1. Times are in
 * milliseconds unless a name says otherwise; histograms are HDR V2, base64.
 */

/** Placement of arrivals in time. */
const arrival = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('poisson'), perSecond: z.number() }),
  z.object({ kind: z.literal('constant'), perSecond: z.number() }),
  z.object({
    kind: z.literal('ramp'),
    process: z.enum(['poisson', 'constant']),
    from: z.number(),
    to: z.number(),
    overMs: z.number(),
  }),
  z.object({
    kind: z.literal('steps'),
    process: z.enum(['poisson', 'constant']),
    steps: z.array(z.object({ perSecond: z.number(), forMs: z.number() })),
  }),
  z.object({ kind: z.literal('closed'), concurrency: z.int() }),
  z.object({
    kind: z.literal('trace'),
    file: z.string(),
    /** SHA-256 of its requests, hexadecimal; absent in older reports. */
    digest: z.string().optional(),
  }),
])
export type ArrivalRow = z.infer<typeof arrival>

const shard = z.object({ index: z.int(), of: z.int() })

/** Planned load: the same for every shard, worker and repetition. */
const plan = z.object({
  /** SHA-256 of every arrival in order, hexadecimal; does not depend on shards or workers. */
  hash: z.string(),
  arrival,
  durationMs: z.number(),
  /** Transactions of the whole plan; for a closed loop, the maximum that it may start. */
  transactions: z.int(),
  /** Transactions of this shard. */
  ownTransactions: z.int(),
  shard: shard.nullable(),
  mix: z.string(),
})

/** Results of the requests of one kind of transaction. */
const transaction = z.object({
  name: z.string(),
  surface: z.enum(surfaces),
  /** Share of the mix, 0 to 1. */
  share: z.number(),
  planned: z.int(),
  completed: z.int(),
  failed: z.int(),
  open: z.int(),
  /** Requests by operation, in the order in which the transaction sends them. */
  requests: z.array(
    z.object({
      operation: z.string(),
      form: z.enum(['stream', 'json']),
      count: z.int(),
      completed: z.int(),
      failed: z.int(),
    }),
  ),
  metrics: z.array(metric),
})
export type TransactionRow = z.infer<typeof transaction>

/** Measurements of HTTP/2 only (RFC 9113): many requests share a connection, each as its own stream. */
const http2 = z.object({
  /** Streams opened: requests sent, including resent ones. */
  streams: z.int(),
  /** Maximum number of concurrent streams of a connection. */
  maxAtOnce: z.int(),
  /** The lowest SETTINGS_MAX_CONCURRENT_STREAMS of the target; null if it set none. */
  allowed: z.int().nullable(),
  /** Streams that the target reset with RST_STREAM. */
  resets: z.int(),
  /** Connections that the target ended with GOAWAY. */
  goaways: z.int(),
  /** Requests sent again because the target said that it had not processed them. */
  resent: z.int(),
})

const connections = z.object({
  opened: z.int(),
  /** Requests that reused an open connection. */
  reused: z.int(),
  /** Milliseconds to open one, TLS included; not part of any first-token time. */
  connectMs: metric.nullable(),
  httpVersions: z.array(z.enum(['1.1', '2'])),
  /** Absent if nothing went over HTTP/2. */
  http2: http2.optional(),
})

/** All settings that determine what is sent, as resolved from flags, environment and defaults. */
const config = z.object({
  workers: z.int(),
  timeoutMs: z.number(),
  drainMs: z.number(),
  mostInFlight: z.int(),
  judgedShare: z.number(),
  idempotencyRaceShare: z.number(),
  misbehavior: z.object({ slowReader: z.number(), abort: z.number(), churn: z.number() }),
  keepAlive: z.boolean(),
  /** Distribution of requests over the endpoints; absent for a target with one. */
  spread: z.enum(['round-robin', 'random', 'sticky']).optional(),
  /** Absent if there was no limit. */
  mostConnections: z.int().optional(),
  startAt: z.string().nullable(),
  /** Share of the requests that may be refused; absent if not set. */
  maxRefusals: z.number().optional(),
  /** True if violations of expected requirements count as those of required ones. */
  strict: z.boolean().optional(),
  mix: z.unknown(),
})

/**
 * The worst first. `violated`: a required requirement was broken. `invalid`: the generator was the bottleneck.
 * `missed`: an SLO, given or implied. `undecided`: too little was measured, or shards are missing.
 */
export const loadOutcomes = ['violated', 'invalid', 'missed', 'undecided', 'met'] as const

/** Clock of the target minus that of the generator, from the Date headers of answers. */
const clock = z.object({
  offsetMs: z.number(),
  /** Maximum error of the offset, in milliseconds. */
  uncertaintyMs: z.number(),
  requests: z.int(),
})

/** Starts of the shards of a merged report; null if the clock of the target is not known. */
const shards = z.object({
  count: z.int(),
  /** Spread of the starts by the clock of each shard. */
  localSpreadMs: z.number(),
  /** Maximum difference of the clocks, and of the starts by the clock of the target. */
  skewMs: z.number().nullable(),
  spreadMs: z.number().nullable(),
  uncertaintyMs: z.number().nullable(),
  /** Upper bound on what the spread adds to response times, which are measured from the common plan. */
  boundMs: z.number().nullable(),
})

export const loadReport = z.object({
  kind: z.literal('load-report'),
  schemaVersion: z.literal(1),
  outcome: z.enum(loadOutcomes),
  /** True if the run was interrupted, so the results are partial. */
  interrupted: z.boolean(),
  suite: z.object({ version: z.string(), interface: z.string() }),
  target: z.object({
    baseUrl: z.string(),
    /** Prefixes of surfaces that differ from the interface document; absent if none does. */
    prefixes: z.record(z.string(), z.string().optional()).optional(),
    /** The only surface of the load, or `full`. */
    profile: z.enum(profileNames).optional(),
    capabilities: z.record(z.string(), z.boolean()).optional(),
    surfaces: z.array(z.enum(surfaces)),
    /** Endpoints of one service; absent if there was one. */
    endpoints: z.array(z.object({ name: z.string(), baseUrl: z.string() })).optional(),
    /** Absent if the run did not start its target. */
    container: container.optional(),
  }),
  seed: z.string(),
  startedAt: z.string(),
  durationMs: z.number(),
  plan,
  config,
  window,
  rates,
  goodput,
  metrics: z.array(metric),
  /** Null if nothing was streamed. */
  stalls: stalls.nullable(),
  /** Null if nothing was streamed in two deltas or more. */
  delivery: delivery.nullable(),
  errors: z.array(errorRow),
  disturbances,
  /** Requests in flight when the run ended. */
  open: z.int(),
  /** Deliberately misbehaving clients and duplicates in races: not users, excluded from latencies. */
  left: z.object({ abort: z.int(), churn: z.int(), slowReader: z.int(), race: z.int() }),
  transactions: z.array(transaction),
  /** Absent for a target with one endpoint. */
  endpoints: z.array(endpoint).optional(),
  connections,
  integrity,
  slo: z.array(sloRow),
  generator,
  audits: z.array(audit),
  series: z.array(secondRow),
  heatMaps: z.array(heatMap),
  /** Failures of setup or cleanup. */
  notes: z.array(z.string()),
  /** Internal errors. */
  faults: z.array(z.string()),
  /** Number of shards and the missing ones, in a report that was merged from some of them. */
  partial: z.object({ of: z.int(), missing: z.array(z.int()) }).optional(),
  /** The measured window in blocks (`blocks.ts`), for comparisons: JSON, compressed by gzip, in base64. */
  blocks: z.string().optional(),
  /** Clock offset of a shard, or of a run with --start-at; null if it could not be measured. */
  clock: clock.nullish(),
  /** Shards of a merged report; absent in others. */
  shards: shards.optional(),
  /** All data that a merge needs, in the report of a shard: JSON, compressed by gzip, in base64. */
  measurements: z.string().optional(),
  /** Absent until the report is written. */
  digest: digest.optional(),
})
export type LoadReport = z.infer<typeof loadReport>
