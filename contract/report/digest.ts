import { z } from 'zod'

/** Digest that reveals an edit of a stored report. It does not protect against forgery. */
export const digest = z.object({
  algorithm: z.literal('SHA-256'),
  /** Digest of the report without this field, as canonical JSON (RFC 8785); hexadecimal. */
  report: z.string(),
  /** Digest of the bytes of `exchanges.ndjson`; null if the run wrote none. */
  exchanges: z.string().nullable(),
  /** Digest of the bytes of `run.json`; absent in other results than those of a check. */
  settings: z.string().nullable().optional(),
  /** Source of a report that was made from one whose digest did not match or was missing. */
  from: z
    .enum(['edited report', 'edited evidence', 'edited settings', 'without digest'])
    .optional(),
})
export type Digest = z.infer<typeof digest>

/** Reason to doubt that a report is unchanged since its run. */
export type Doubt = NonNullable<Digest['from']>
