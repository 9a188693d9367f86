import { z } from 'zod'

/**
 * A line of `requests.ndjson`: one request of a load run, in the order in which requests ended. Times are
 * milliseconds after the start of the run (of a shard: of its own start); null if it did not happen.
 */
export const requestLine = z.object({
  /** Index of the arrival in the plan, the same for every shard, and position in its transaction, from 0. */
  index: z.int(),
  step: z.int(),
  transaction: z.string(),
  operation: z.string(),
  /** Index of the endpoint; absent for a target with one. */
  endpoint: z.int().optional(),
  planned: z.number(),
  /** First byte written. */
  sent: z.number().nullable(),
  /** First event of a stream, of any kind. */
  firstEvent: z.number().nullable(),
  /** First answer text of a stream. */
  firstText: z.number().nullable(),
  /** End of the answer, of the connection or of the wait for it. */
  end: z.number().nullable(),
  /** Bytes of the body as they arrived. */
  bytes: z.int(),
  /** Events of a stream; 0 for other answers. */
  events: z.int(),
  /** Tokens of the prompt, and of the output, by the usage of the answer; null without one. */
  promptTokens: z.int().nullable(),
  tokens: z.int().nullable(),
  /** Null without a status line. */
  status: z.int().nullable(),
  /** `ok`, `open` (in flight at the end of the run), `abandoned` (by a client that misbehaves), or the kind of its failure. */
  outcome: z.string(),
  /** Cause of a failure, or behavior of an abandoning client; null for others. */
  detail: z.string().nullable(),
  /** First requirement that the answer violates, a required one before an expected one; null for none. */
  finding: z.string().nullable(),
})
export type RequestLine = z.infer<typeof requestLine>
