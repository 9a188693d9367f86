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

/** The container that a run started as its target. */
export const container = z.object({
  /** Image name as given, such as `registry.example.org/chat:1.4`. */
  image: z.string(),
  /** Digest of the image, `sha256:…`: that of its registry if it has one, otherwise its id. */
  digest: z.string(),
  /** Service in the Compose file; null for a container that was started from an image. */
  service: z.string().nullable(),
  /** The last lines of its output if the run has a violation; empty otherwise. */
  log: z.array(z.string()),
})
export type ContainerRow = z.infer<typeof container>
