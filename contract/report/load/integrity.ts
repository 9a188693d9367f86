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
  /** Id of the requirement. */
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
