import { z } from 'zod'
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
