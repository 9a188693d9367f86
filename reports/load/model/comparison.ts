import { z } from 'zod'
import { generator } from './generator.ts'
import { metricNames } from './measures.ts'

/** Counts by the lowest value of their bucket, in microseconds; three significant digits. */
const bucketCounts = z.array(z.tuple([z.number(), z.int()]))

const blockLatency = z.object({
  metric: z.enum(metricNames),
  /** Response time if the metric has one, service time otherwise. */
  clock: z.enum(['service', 'response']),
  counts: bucketCounts,
  /** Requests known only to have taken longer than the wait for them. */
  censored: z.int(),
})

const block = z.object({
  /** Requests planned in the block for which a response was due, and those of them that were fully answered. */
  due: z.int(),
  ok: z.int(),
  good: z.int(),
  /** Open requests that had taken longer than a good one may; absent in earlier reports. */
  overdue: z.int().optional(),
  /** Events in the block, regardless of when their requests were planned. */
  completed: z.int(),
  outputTokens: z.int(),
  latencies: z.array(blockLatency),
})
export type LoadBlock = z.infer<typeof block>

/**
 * The measured window in blocks of equal time. Requests of one block resemble each other, so a
 * comparison of two runs estimates its error from the differences between blocks.
 */
export const loadBlocks = z.object({
  blockMs: z.number(),
  blocks: z.array(block),
})
export type LoadBlocks = z.infer<typeof loadBlocks>

/** Comparison of two load runs or capacity searches, as `chatgen compare --json` prints it. */

const figureVerdict = z.enum(['regression', 'no change', 'improvement', 'undecided'])
export type FigureVerdict = z.infer<typeof figureVerdict>

const figure = z.object({
  /** `ttft.p95`, `success`, `rate`; latencies in milliseconds, shares from 0 to 1. */
  name: z.string(),
  unit: z.enum(['ms', 'share', '/s', 'clients']),
  better: z.enum(['lower', 'higher']),
  a: z.number().nullable(),
  b: z.number().nullable(),
  /** B / A, with its individual 95 % interval; null if there is none. */
  ratio: z.number().nullable(),
  low: z.number().nullable(),
  high: z.number().nullable(),
  verdict: figureVerdict,
  /** Relative change that counts as no change: 0.05 allows ratios from 1 / 1.05 to 1.05. */
  tolerance: z.number(),
  /** p-values of the hypothesis that each verdict rejects; null if nothing was tested. */
  p: z.object({ regression: z.number(), improvement: z.number(), noChange: z.number() }).nullable(),
  message: z.string(),
})
export type ComparedFigure = z.infer<typeof figure>

const side = z.object({
  baseUrl: z.string(),
  startedAt: z.string(),
  version: z.string(),
  outcome: z.string(),
  requests: z.int(),
  generator: generator.shape.verdict,
})
export type ComparedSide = z.infer<typeof side>

export const loadComparison = z.object({
  kind: z.literal('load-comparison'),
  schemaVersion: z.literal(1),
  /** `invalid`: the load generator of a run was the bottleneck. */
  outcome: z.enum(['regression', 'no regression', 'undecided', 'invalid']),
  of: z.enum(['load', 'capacity']),
  /** One run after the other. */
  design: z.literal('separate'),
  method: z.string(),
  /** Upper bound on the probability of any wrong verdict other than `undecided`. */
  familyError: z.number(),
  a: side,
  b: side,
  /** Settings in which the runs differ; `decisive` ones rule out a verdict. */
  differences: z.array(
    z.object({ name: z.string(), a: z.string(), b: z.string(), decisive: z.boolean() }),
  ),
  figures: z.array(figure),
  notes: z.array(z.string()),
})
export type LoadComparison = z.infer<typeof loadComparison>
