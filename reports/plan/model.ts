import { z } from 'zod'
import { loadReport } from '../load/model/report.ts'

/**
 * The report of `chatgen plan` that other programs read: `plan.json`, schema version 1. Times in
 * milliseconds unless a name says otherwise, shares from 0 to 1, rates a second. Intervals are of 95 %.
 */

const interval = z.tuple([z.number(), z.number()])

/** An hour of a trace, or part of one. */
const hour = z.object({
  /** Milliseconds after the beginning of the trace. */
  fromMs: z.number(),
  label: z.string(),
  requests: z.number(),
  perSecond: z.number(),
  /** Replicas for the mean rate of the hour, by a fluid approximation: no queue lasts from hour to hour. */
  replicas: z.int(),
})

const demand = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('rate'), perSecond: z.number() }),
  z.object({ kind: z.literal('concurrency'), users: z.int() }),
  z.object({
    kind: z.literal('trace'),
    file: z.string(),
    durationMs: z.number(),
    requests: z.number(),
    /** The hour with the most requests, or the whole of a shorter trace. */
    peak: z.object({
      fromMs: z.number(),
      toMs: z.number(),
      label: z.string(),
      perSecond: z.number(),
      /** Highest rate within one minute of it. */
      maxPerSecond: z.number(),
    }),
    hours: z.array(hour),
  }),
])
export type PlanDemand = z.infer<typeof demand>

const measured = z.object({
  file: z.string(),
  baseUrl: z.string(),
  startedAt: z.string(),
  /** Replicas behind the measured address. */
  replicas: z.int(),
  /** Highest sustainable rate, or number of clients, for the SLOs of the measurement. */
  rate: z.number().nullable(),
  interval: interval.nullable(),
  slos: z.array(z.string()),
  /**
   * `decided`: the search came to its end. `undecided`: it stopped before, so its figures are provisional.
   * `invalid`: its figures are those of the load generator.
   */
  basis: z.enum(['decided', 'undecided', 'invalid']),
  /** Reason why the search was not decided, with the remedy; null if it was. */
  caveat: z.string().nullable(),
})
export type PlanMeasurement = z.infer<typeof measured>

const sustainable = z.object({ value: z.number(), interval })

const reproduced = z.object({
  probes: z.array(z.int()),
  /** Requests per second, or clients of a closed loop. */
  load: z.object({ kind: z.enum(['open', 'closed']), value: z.number() }),
  /** `ttft.p95`, `completed`, … */
  statistic: z.string(),
  measured: z.number(),
  predicted: z.number(),
})

/** Fitted model of one replica. */
const service = z.object({
  /** Maximum batch size. */
  maxSequences: z.int(),
  /** False if the measurement never reached the limit: the largest observed batch is used instead. */
  hasSeenLimit: z.boolean(),
  /** Capacity of the queue, in requests; null if none was refused. */
  maxWaiting: z.int().nullable(),
  overheadMs: z.number(),
  /** Time of a prompt, whatever its length. */
  prefillMs: z.number().default(0),
  prefillMsPerToken: z.number(),
  decodeMs: z.number(),
  decodeMsPerSequence: z.number(),
  /** Standard deviation of the logarithm of the duration of an iteration. */
  spread: z.number().default(0),
  lengths: z.object({
    requests: z.int(),
    meanPromptTokens: z.number(),
    meanOutputTokens: z.number(),
    from: z.enum(['measurement', 'trace']),
  }),
  /** Median relative error of the model against the measurement. */
  typicalError: z.number(),
  reproduced: z.array(reproduced),
})
export type PlanService = z.infer<typeof service>

const predictedSlo = z.object({
  expression: z.string(),
  value: z.number().nullable(),
  low: z.number().nullable(),
  high: z.number().nullable(),
  unit: z.string(),
  /** Limit in the unit of `value`. */
  limit: z.number(),
  /** `met` and `missed` hold for the whole interval. */
  verdict: z.enum(['met', 'likely met', 'likely missed', 'missed']),
})
export type PredictedSloRow = z.infer<typeof predictedSlo>

const row = z.object({
  replicas: z.int(),
  verdict: predictedSlo.shape.verdict,
  slo: z.array(predictedSlo),
  ttft: z.object({ p50: z.number().nullable(), p95: z.number().nullable() }),
  e2e: z.object({ p50: z.number().nullable(), p95: z.number().nullable() }),
  refused: z.number(),
  /** Demand as a share of the rate that saturates all replicas; null for a closed loop, which adapts to them. */
  utilization: z.number().nullable(),
  /** Highest load that meets the SLOs, as a multiple of the demand, minus 1; null if the demand misses them. */
  headroom: z.number().nullable(),
  /** Verdict with one replica down, which is that of one replica less. */
  withOneDown: predictedSlo.shape.verdict,
  costPerHour: z.number().nullable(),
})
export type PlanRow = z.infer<typeof row>

/** Universal Scalability Law (Gunther 1993): X(N) = λN / (1 + σ(N − 1) + κN(N − 1)). */
const scalability = z.object({
  status: z.enum(['fits', 'does not fit']),
  lambda: z.number().nullable(),
  sigma: z.number().nullable(),
  kappa: z.number().nullable(),
  /** Replicas for the demand; null if the law does not fit, or never reaches it. */
  replicas: z.int().nullable(),
  /** True beyond one and a half times the largest measured size. */
  isExtrapolated: z.boolean(),
  predictions: z.array(
    z.object({ replicas: z.int(), rate: z.number(), interval, isExtrapolated: z.boolean() }),
  ),
  message: z.string(),
})
export type PlanScalability = z.infer<typeof scalability>

export const planReport = z.object({
  kind: z.literal('plan-report'),
  schemaVersion: z.literal(1),
  /**
   * `provisional`: a measurement was undecided. `unattainable`: no number of replicas meets the SLOs, as one
   * without load misses them. `unreliable`: the service model does not reproduce the measurement. `invalid`:
   * the load generator was the bottleneck of a measurement, so nothing was planned.
   */
  outcome: z.enum(['found', 'provisional', 'unattainable', 'unreliable', 'invalid']),
  suite: loadReport.shape.suite,
  createdAt: z.string(),
  seed: z.string(),
  slos: z.array(z.string()),
  balance: z.enum(['round-robin', 'least-connections']),
  demand,
  measured: z.array(measured),
  /** Null if nothing was planned. */
  service: service.nullable(),
  /** Fewest replicas for which the prediction meets the SLOs, and for which its whole interval does. */
  replicas: z.int().nullable(),
  safeReplicas: z.int().nullable(),
  /** `replicas` plus one: the SLOs are met while one is down. */
  withSpare: z.int().nullable(),
  /** Highest rate, or number of clients, of `replicas` within the SLOs. */
  sustainable: sustainable.nullable(),
  /** The number given by `--replicas`, which may be too low. */
  assessed: z.object({ replicas: z.int(), sustainable: sustainable.nullable() }).nullable(),
  rows: z.array(row),
  /** Null with one measured size. */
  scalability: scalability.nullable(),
  price: z.object({ perHour: z.number(), currency: z.string() }).nullable(),
  /** Methods behind the figures, including approximations. */
  methods: z.array(z.string()),
  notes: z.array(z.string()),
})
export type PlanReport = z.infer<typeof planReport>
