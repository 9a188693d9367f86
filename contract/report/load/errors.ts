import { z } from 'zod'

/** Meanings of an error for the target; each error row belongs to exactly one of them. */
export const errorCounters = [
  ...(['tooManyRequests', 'serverErrors', 'otherErrors', 'errorEvents', 'unanswered'] as const),
  ...(['droppedConnections', 'incomplete', 'unreadable', 'timeouts', 'violations'] as const),
] as const
export type ErrorCounter = (typeof errorCounters)[number]

/** Requests by kind of failure; `open` and `left` are not failures and are listed separately. */
export const errorRow = z.object({
  /** `limit`: chatgen aborted a response that took more resources than any response of the service does. */
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
  /** Index of the first arrival with this error. */
  firstIndex: z.int(),
  /** Seconds after the start of the run. */
  firstSecond: z.number(),
})
export type ErrorRow = z.infer<typeof errorRow>

/** Refusals: 429, any other status outside 2xx, an error event instead of the rest of a stream. */
export const refusalKinds: readonly ErrorRow['kind'][] = ['shed', 'status', 'in-band-error']

/** Causes of requests without a proper response, in the whole run. */
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
  /** The connection or its stream ended after the request was written and before the response was complete. */
  droppedConnections: z.int(),
  /** Streams that ended without their terminal event. */
  incomplete: z.int(),
  /** Bytes that are not HTTP, do not match their Content-Encoding or exceed a limit. */
  unreadable: z.int(),
  timeouts: z.int(),
  /** Complete answers that violate a requirement. */
  violations: z.int(),
  /** A load sends each request once. */
  retries: z.int(),
})
export type Disturbances = z.infer<typeof disturbances>
