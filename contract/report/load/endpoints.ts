import { z } from 'zod'
import { metric } from './measures.ts'

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
  /** Requests of clients that misbehave on purpose, and duplicates sent for races. */
  left: z.int(),
  /** Metrics of the measured window. */
  metrics: z.array(metric),
})
export type EndpointRow = z.infer<typeof endpoint>
