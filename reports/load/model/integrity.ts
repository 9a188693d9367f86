import { z } from 'zod'

/** Findings of the judges in the traffic of a load run. */

const evidence = z.object({
  /** Index of the arrival in the plan, and of the request in its transaction. */
  index: z.int(),
  step: z.int(),
  /** Milliseconds after the start of the run. */
  atMs: z.number(),
  operation: z.string(),
  /** Index of the event in its stream; null if no single event shows it. */
  event: z.int().nullable(),
  why: z.string(),
  /** Value of X-Request-Id that the request carried. */
  requestId: z.string(),
})
export type Evidence = z.infer<typeof evidence>

const finding = z.object({
  id: z.string(),
  level: z.enum(['required', 'expected']),
  title: z.string(),
  /** Answers that violated it. */
  broken: z.int(),
  /** Answers that it applies to. */
  of: z.int(),
  /** `broken / of`, as a share. */
  rate: z.number(),
  first: evidence,
})
export type LoadFinding = z.infer<typeof finding>

/** Distinguishes violations from warnings: those of expected requirements count only with `--strict`. */
export function isViolation(
  { level }: Pick<LoadFinding, 'level'>,
  { strict }: { readonly strict?: boolean | undefined },
): boolean {
  return level === 'required' || strict === true
}

export const integrity = z.object({
  /** Share of the answers that were judged, 0 to 1; by default all. */
  judgedShare: z.number(),
  streams: z.int(),
  bodies: z.int(),
  events: z.int(),
  /** Requirements that held in at least one answer and broke in none. */
  held: z.array(z.string()),
  findings: z.array(finding),
  /** Search for the nonces of one request in the answers to others. */
  crossTalk: z.object({ answers: z.int(), leaks: z.int() }),
  duplicateIds: z.object({ ids: z.int(), duplicates: z.int() }),
  /** The same Idempotency-Key sent twice at once. */
  idempotencyRaces: z.object({ races: z.int(), doubled: z.int(), unreadable: z.int() }),
})
export type Integrity = z.infer<typeof integrity>

/** Causes of requests without a proper response, in the whole run. */
export const disturbances = z.object({
  tooManyRequests: z.int(),
  /** Answered 5xx. */
  serverErrors: z.int(),
  /** Any other status outside 2xx. */
  otherErrors: z.int(),
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

/** Meanings of an error for the target; each error row belongs to exactly one of them. */
const errorCounter = disturbances.omit({ retries: true }).keyof()
export const errorCounters = errorCounter.options
export type ErrorCounter = z.infer<typeof errorCounter>

/** Requests by kind of failure; `open` and `left` are not failures and are listed separately. */
export const errorRow = z.object({
  /** `limit`: chatgen aborted a response that took more resources than any response of the service does. */
  kind: z.enum([
    ...(['connect', 'status', 'shed', 'truncated', 'unreadable', 'in-band-error'] as const),
    ...(['integrity', 'timeout', 'limit'] as const),
  ]),
  /** Counter of `disturbances` that counts it. */
  counter: errorCounter,
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
