import { z } from 'zod'

/** Digest by which a reader of a stored report can tell that it was edited. It shows an edit, not a forgery. */
export const digest = z.object({
  algorithm: z.literal('SHA-256'),
  /** Digest of the report without this member, as canonical JSON (RFC 8785); hexadecimal. */
  report: z.string(),
  /** Digest of the bytes of `exchanges.ndjson`; null if the run wrote none. */
  exchanges: z.string().nullable(),
  /** Source of a report that was made from one that did not fit its digest, or had none. */
  from: z.enum(['edited report', 'edited evidence', 'without digest']).optional(),
})
export type Digest = z.infer<typeof digest>

/** Reason to doubt that a report is as its run wrote it. */
export type Doubt = NonNullable<Digest['from']>
