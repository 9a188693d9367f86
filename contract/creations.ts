import { z } from 'zod'

/**
 * Lines of a creation journal: a run records each resource before it sends the request that creates it, so
 * that a killed run leaves nothing unrecorded. One JSON object a line; the first line identifies the run.
 */

/** Kinds of created resources; the document shows a route to delete only for chats. */
const creationKinds = ['chat', 'v2 chat', 'attachment', 'document'] as const
export type CreationKind = (typeof creationKinds)[number]

export const journalHead = z
  .object({
    journal: z.literal(1),
    /** Text in the name of every resource that the run creates and may delete. */
    tag: z.string(),
    /** True for a run whose names carry no tag: it deletes by id. */
    untagged: z.literal(true).optional(),
    kit: z.string(),
    baseUrl: z.string(),
    /** Digests of the keys of the run: another key may not see its chats. */
    keys: z.array(z.string()).optional(),
    /** Prefixes of the target that differ from the document. */
    prefixes: z.record(z.string(), z.string().optional()).optional(),
  })
  .refine(({ tag, untagged }) => (untagged ? tag === '' : /^chatgen-./.test(tag)))
export type JournalHead = z.infer<typeof journalHead>

const creation = { kind: z.enum(creationKinds), name: z.string(), scenario: z.string() }
export const journalEntry = z.discriminatedUnion('event', [
  /** Creation that is about to be sent. */
  z.object({ event: z.literal('create'), ...creation }),
  /** Creation whose response contained the id. */
  z.object({ event: z.literal('created'), ...creation, id: z.string() }),
  /** Nothing was created: the target refused, or nothing with the name was found. */
  z.object({ event: z.literal('refused'), ...creation }),
  /** A deletion was confirmed, or a later read was refused. */
  z.object({ event: z.literal('deleted'), kind: z.enum(creationKinds), id: z.string() }),
])
export type JournalEntry = z.infer<typeof journalEntry>

/** `redact` is applied to values from outside, never to the keywords of the format. */
export function journalLine(entry: JournalEntry, redact: (text: string) => string): string {
  const texts = Object.entries(entry).map(([member, text]) => [
    member,
    member === 'event' || member === 'kind' ? text : redact(text),
  ])
  return `${JSON.stringify(Object.fromEntries(texts))}\n`
}
