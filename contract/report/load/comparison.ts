import { z } from 'zod'
import { generator } from './generator.ts'

/** Comparison of two load runs or capacity searches, as `chatgen compare --json` prints it. */

const figureVerdict = z.enum(['regression', 'no change', 'improvement', 'undecided'])
export type FigureVerdict = z.infer<typeof figureVerdict>

const figure = z.object({
  /** `ttft.p95`, `success`, `rate`; latencies in milliseconds, shares from 0 to 1. */
  name: z.string(),
  unit: z.enum(['ms', 'share', '/s']),
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
  /** One run after the other, or blocks of both in one run. */
  design: z.enum(['separate', 'interleaved']),
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
