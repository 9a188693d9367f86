import { z } from 'zod'

/** Meanings of an error for the target; each error row belongs to exactly one of them. */
export const errorCounters = [
  ...(['tooManyRequests', 'serverErrors', 'otherErrors', 'errorEvents', 'unanswered'] as const),
  ...(['droppedConnections', 'incomplete', 'unreadable', 'timeouts', 'violations'] as const),
] as const
export type ErrorCounter = (typeof errorCounters)[number]

/** Requests by how they failed; `open` and `left` are no failures and stand apart. */
export const errorRow = z.object({
  /** `limit`: chatgen left an answer that took more than any answer of the service does. */
  kind: z.enum([
    ...(['connect', 'status', 'shed', 'truncated', 'unreadable', 'in-band-error'] as const),
    ...(['integrity', 'timeout', 'limit'] as const),
  ]),
  /** Counter of `disturbances` that counts it. */
  counter: z.enum(errorCounters),
  /** Cause such as `503`, `ECONNREFUSED` or the id of a requirement. */
  detail: z.string(),
  count: z.int(),
  /** Share of the due requests. */
  share: z.number(),
  /** Index of the arrival that showed it first. */
  firstIndex: z.int(),
  /** Seconds after the start of the run. */
  firstSecond: z.number(),
})
export type ErrorRow = z.infer<typeof errorRow>

/** Answers that say no: 429, any other status outside 2xx, an error event in place of the rest. */
export const refusalKinds: readonly ErrorRow['kind'][] = ['shed', 'status', 'in-band-error']

/** Causes that kept requests from their answer, in the whole run. */
export const disturbances = z.object({
  /** Answered 429. */
  tooManyRequests: z.int(),
  /** Answered 5xx. */
  serverErrors: z.int(),
  /** Any other status outside 2xx. */
  otherErrors: z.int(),
  /** An error event inside a 200. */
  errorEvents: z.int(),
  /** No connection could be opened. */
  unanswered: z.int(),
  /** The request was written, and the connection or its stream ended before the answer did. */
  droppedConnections: z.int(),
  /** Streams that ended without their terminal event. */
  incomplete: z.int(),
  /** Bytes that are no HTTP, that do not fit their Content-Encoding, or that exceed a limit. */
  unreadable: z.int(),
  timeouts: z.int(),
  /** Complete answers that violate a requirement. */
  violations: z.int(),
  /** A load sends each request once. */
  retries: z.int(),
})
export type Disturbances = z.infer<typeof disturbances>
