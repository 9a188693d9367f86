import { z } from 'zod'

/** Clock of the target minus that of the generator, from the Date headers of answers. */
export const clock = z.object({
  offsetMs: z.number(),
  /** The true offset is within so many milliseconds of it. */
  uncertaintyMs: z.number(),
  requests: z.int(),
})

/** Starts of the shards of a merged report; null if the clock of the target is not known. */
export const shards = z.object({
  count: z.int(),
  /** Spread of the starts by the clock of each shard. */
  localSpreadMs: z.number(),
  /** Differences of the clocks, and of the starts by the clock of the target, at most. */
  skewMs: z.number().nullable(),
  spreadMs: z.number().nullable(),
  uncertaintyMs: z.number().nullable(),
  /** Bound on what the spread adds to response times that count from the common plan. */
  boundMs: z.number().nullable(),
})
