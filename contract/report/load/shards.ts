import { z } from 'zod'

/** Clock of the target minus that of the generator, from the Date headers of answers. */
export const clock = z.object({
  offsetMs: z.number(),
  /** Maximum error of the offset, in milliseconds. */
  uncertaintyMs: z.number(),
  requests: z.int(),
})

/** Starts of the shards of a merged report; null if the clock of the target is not known. */
export const shards = z.object({
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
