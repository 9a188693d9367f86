import { type Document, isScalar, type Pair, parseDocument, YAMLMap } from 'yaml'
import { z } from 'zod'
import { requirementIds } from '../../../contract/index.ts'
import { checkDocument, didYouMean, readDocument, type Source } from '../profile/document.ts'

/** The fields of an entry in the order in which they are written. */
const entry = z.strictObject(
  {
    /** Reason why the violation is accepted for now. */
    because: z
      .string({ error: 'must give the reason why the violation is accepted' })
      .trim()
      .min(1, 'must give the reason why the violation is accepted'),
    issue: z.union([z.string(), z.number()]).transform(String).optional(),
    owner: z.string().optional(),
    /** Last day on which the entry counts. */
    until: z.iso.date({ error: 'must be a day such as 2026-12-31' }).optional(),
    /** Digest of how the requirement is broken; without it, any violation of the requirement is excused. */
    fingerprint: z
      .string({ error: 'must be unchanged from --update-baseline' })
      .regex(/^v\d+-[0-9a-f]{16}$/, 'must be unchanged from --update-baseline')
      .optional(),
    /** Finding at the time of the fingerprint; for the reader, not compared. */
    found: z.string().optional(),
  },
  'an entry is a mapping; because gives the reason why it is accepted',
)
export type BaselineEntry = z.output<typeof entry>

const requirement = z.enum(requirementIds, {
  error: ({ input }) => `there is no such requirement.${didYouMean(`${input}`, requirementIds)}`,
})

/** Known violations, by requirement id. */
export const baselineFile = z.partialRecord(requirement, entry)

export interface Baseline {
  readonly file: string
  readonly entries: ReadonlyMap<string, BaselineEntry>
}

/** The reason of an entry that `--update-baseline` has added; no run accepts it. */
export const toBeWritten = 'TO BE WRITTEN'

/**
 * Reads a baseline from YAML or JSON. `drafts` are entries whose reason is not written yet: only an update,
 * which excuses nothing by them, may keep them.
 * @throws ConfigurationError that names file, line and entry of every problem.
 */
export function loadBaseline(source: Source, drafts: 'refused' | 'kept'): Baseline {
  const { value, place } = readDocument(source, 'a baseline')
  const schema = drafts === 'kept' ? baselineFile : z.partialRecord(requirement, finished)
  const violations = checkDocument(schema, value, ([id = '']) => place([id]))
  return { file: source.name, entries: new Map(Object.entries(violations)) }
}

const finished = entry.extend({
  because: entry.shape.because.refine((text) => text !== toBeWritten, 'not filled in yet'),
})

/**
 * The file with these entries, sorted by id. YAML keeps its comments and its order of fields; a name that
 * ends in `.json` makes JSON.
 * @param text the file as it is; empty if there is none.
 */
export function baselineText(source: Source, entries: ReadonlyMap<string, BaselineEntry>): string {
  if (source.name.endsWith('.json')) {
    return `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`
  }
  const document: Document = parseDocument(
    source.text.trim() === '' ? `${introduction}{}\n` : source.text,
  )
  const map = document.contents instanceof YAMLMap ? document.contents : new YAMLMap()
  map.flow = false
  for (const id of map.items.map(keyOf)) if (!entries.has(id)) map.delete(id)
  for (const [id, entry] of entries) {
    const own = map.get(id)
    if (own instanceof YAMLMap) {
      for (const [key, value] of Object.entries(entry)) {
        if (String(own.get(key)) === value) continue
        own.set(key, document.createNode(value))
        own.flow = false
      }
    } else map.set(document.createNode(id), document.createNode(entry))
  }
  map.items.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
  const first = map.items[0]?.key
  if (isScalar(first)) first.spaceBefore = false
  document.contents = map
  return document.toString({ lineWidth: 100 })
}

const introduction = `# Known violations by requirement id, for chatgen check --baseline. Each says because of what it is
# accepted; issue, owner and until (the last day on which the entry counts) may be added.

`

function keyOf({ key }: Pair): string {
  return String(isScalar(key) ? key.value : key)
}
