import { z } from 'zod'
import { digest } from '../../../contract/report/common.ts'
import { generator } from '../../load/model/generator.ts'
import { loadReport } from '../../load/model/report.ts'
import { capacityProbe } from './probe.ts'

/**
 * The report of a capacity search that other programs read: `report.json`, schema version 1. Rates are
 * transactions per second, times milliseconds, shares from 0 to 1.
 */

const interval = z.tuple([z.number(), z.number()])
const estimate = z.object({ value: z.number(), interval: interval.nullable() })

/** The highest load within the SLOs. */
const result = z.object({
  /** Highest sustainable rate; null if the search has no bracket. */
  rate: z.number().nullable(),
  interval: interval.nullable(),
  /** Confidence level of the interval: 0.95. */
  confidence: z.number(),
  /** The SLO that limits the rate; with `limit: 'policy'`, a rate limit refuses requests before saturation. */
  limitedBy: z.string().nullable(),
  limit: z.enum(['capacity', 'policy']).nullable(),
  /** Lowest rate at which an SLO was missed. */
  firstFailing: z.number().nullable(),
  /** Highest rate at which every SLO was met. */
  highestMet: z.number().nullable(),
  /** Method of the interval: a fitted curve, a jump between two rates, or two verdicts. */
  by: z.enum(['fit', 'cliff', 'bracket']).nullable(),
  /** Recommended operating rate, a share of `rate`. */
  headroom: z.object({ share: z.number(), rate: z.number() }).nullable(),
  /** Mean number of requests in flight at the found rate, by Little's law; clients of a closed loop. */
  concurrency: estimate.nullable(),
  tokensPerSecond: z.object({ input: z.number().nullable(), output: z.number() }).nullable(),
})
export type CapacityResult = z.infer<typeof result>

/** A point of the throughput-latency frontier: all probes of one rate. */
const frontierPoint = z.object({
  rate: z.number(),
  clients: z.int().nullable(),
  probes: z.int(),
  /** Completed requests per second. */
  completed: z.number(),
  outputTokens: z.number(),
  concurrency: z.number().nullable(),
  ttft: z.object({ p50: z.number().nullable(), p95: z.number().nullable() }),
  tpot: z.object({ p50: z.number().nullable(), p95: z.number().nullable() }),
  e2e: z.object({ p50: z.number().nullable(), p95: z.number().nullable() }),
  verdict: z.enum(['met', 'missed', 'undecided']),
})
export type FrontierPoint = z.infer<typeof frontierPoint>

/** A token bucket that explains the 429s of a probe. */
const policyLimit = z.object({
  /** Requests that are accepted in a burst. */
  burst: estimate,
  /** Requests per second that are accepted in the long run. */
  refill: estimate,
  /** Accepted and refused requests of the probe from which it was fitted. */
  accepted: z.int(),
  refused: z.int(),
  probe: z.int(),
  /** Rate-limit headers of the refusals, with one sample value each. */
  headers: z.record(z.string(), z.string()),
  message: z.string(),
})

/** Dependence of the verdict on earlier load: at one rate, before and after overload. */
const hysteresis = z.object({
  verdict: z.enum(['none', 'found', 'undecided']),
  rate: z.number(),
  /** Shares over the limit of the limiting SLO, on the way up and on the way down. */
  up: z.number().nullable(),
  down: z.number().nullable(),
  message: z.string(),
})
export type Hysteresis = z.infer<typeof hysteresis>

/** Change of the capacity during the search. */
const drift = z.object({
  verdict: z.enum(['none', 'found', 'undecided']),
  /** Relative change of the capacity an hour; negative if the target becomes slower. */
  perHour: z.number().nullable(),
  message: z.string(),
})
export type Drift = z.infer<typeof drift>

export const capacityReport = z.object({
  kind: z.literal('capacity-report'),
  schemaVersion: z.literal(1),
  /**
   * `found`: an interval as narrow as requested. `above max`: every SLO is met at the maximum.
   * `below min`: an SLO is missed at the minimum. `undecided`: the budget ended the search before,
   * or an internal error occurred.
   * `violated`: a required requirement was violated under load. `invalid`: the generator was the
   * bottleneck before the target was. `unreachable`: the target stopped answering.
   */
  outcome: z.enum([
    ...(['found', 'above max', 'below min', 'undecided'] as const),
    ...(['violated', 'invalid', 'unreachable'] as const),
  ]),
  interrupted: z.boolean(),
  suite: loadReport.shape.suite,
  target: loadReport.shape.target,
  seed: z.string(),
  startedAt: z.string(),
  durationMs: z.number(),
  /** Open: the rate is searched. Closed: the number of clients. */
  loop: z.enum(['open', 'closed']),
  /** Options as resolved from flags, environment and defaults. */
  config: z.object({
    slos: z.array(z.string()),
    min: z.number(),
    max: z.number(),
    precision: z.number(),
    budgetMs: z.number(),
    headroom: z.number(),
    probeMs: z.number(),
    arrival: z.enum(['poisson', 'constant']),
    /** Distribution of requests over the endpoints; absent for a target with one. */
    spread: z.string().optional(),
    workers: z.int(),
    timeoutMs: z.number(),
    mixName: z.string(),
    mix: z.unknown(),
  }),
  result,
  probes: z.array(capacityProbe),
  frontier: z.array(frontierPoint),
  policyLimit: policyLimit.nullable(),
  hysteresis: hysteresis.nullable(),
  drift: drift.nullable(),
  generator: generator.pick({ verdict: true, reasons: true, environment: true }).extend({
    /** Highest rate that the generator is known to sustain; null if it was never the bottleneck. */
    holds: z.number().nullable(),
  }),
  /** Failures of setup or cleanup. */
  notes: z.array(z.string()),
  /** Internal errors. */
  faults: z.array(z.string()),
  digest: digest.optional(),
})
export type CapacityReport = z.infer<typeof capacityReport>

/** The found load with its interval: clients of a closed loop, otherwise requests per second. */
export function loadEstimate({ result, loop }: Pick<CapacityReport, 'result' | 'loop'>) {
  const { concurrency, rate, interval } = result
  if (loop === 'closed' && concurrency !== null) return { ...concurrency, unit: 'clients' as const }
  return { value: rate, interval, unit: '/s' as const }
}
