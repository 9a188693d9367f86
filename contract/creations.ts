import { z } from 'zod'

/**
 * The lines of a creation journal: what a run is about to create is written down before it is sent, so
 * that a run that is killed leaves no secret behind. One JSON object a line; the first line says whose
 * journal it is.
 */

/** Kinds of created resources; the document shows a route to delete only for chats. */
export const creationKinds = ['chat', 'v2 chat', 'attachment', 'document'] as const
export type CreationKind = (typeof creationKinds)[number]

export const journalHead = z
  .object({
    journal: z.literal(1),
    /** Text in the name of everything that the run creates and may delete. */
    tag: z.string(),
    /** True for a run whose names carry no tag: it deletes by id. */
    untagged: z.literal(true).optional(),
    kit: z.string(),
    baseUrl: z.string(),
    /** Prefixes of the target that differ from the document. */
    prefixes: z.record(z.string(), z.string().optional()).optional(),
  })
  .refine(({ tag, untagged }) => (untagged ? tag === '' : /^chatgen-./.test(tag)))
export type JournalHead = z.infer<typeof journalHead>

const creation = { kind: z.enum(creationKinds), name: z.string(), scenario: z.string() }
export const journalEntry = z.discriminatedUnion('event', [
  /** Creation that is about to be sent. */
  z.object({ event: z.literal('create'), ...creation }),
  /** Creation whose answer told the id. */
  z.object({ event: z.literal('created'), ...creation, id: z.string() }),
  /** Nothing was made: the target declined, or nothing of the name can be found. */
  z.object({ event: z.literal('refused'), ...creation }),
  /** A deletion was confirmed, or reading it was declined afterwards. */
  z.object({ event: z.literal('deleted'), kind: z.enum(creationKinds), id: z.string() }),
])
export type JournalEntry = z.infer<typeof journalEntry>

/** `redact` sees the texts that came from elsewhere, never the words of the format. */
export function journalLine(entry: JournalEntry, redact: (text: string) => string): string {
  const texts = Object.entries(entry).map(([member, text]) => [
    member,
    member === 'event' || member === 'kind' ? text : redact(text),
  ])
  return `${JSON.stringify(Object.fromEntries(texts))}\n`
}
