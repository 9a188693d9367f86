import { type Document, isScalar, type Pair, parseDocument, YAMLMap } from 'yaml'
import type { BaselineEntry } from './file.ts'

/**
 * The file with these entries, sorted by id. Of YAML, the comments and the order of members stay;
 * a name that ends in `.json` makes JSON.
 * @param text the file as it is; empty where there is none.
 */
export function baselineText(
  source: { readonly name: string; readonly text: string },
  entries: ReadonlyMap<string, BaselineEntry>,
): string {
  if (source.name.endsWith('.json')) {
    return `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`
  }
  const document: Document = parseDocument(
    source.text.trim() === '' ? `${introduction}{}\n` : source.text,
  )
  const map = document.contents instanceof YAMLMap ? document.contents : new YAMLMap()
  map.flow = false
  for (const id of keysOf(map)) if (!entries.has(id)) map.delete(id)
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

function keysOf(map: YAMLMap): readonly string[] {
  return map.items.map(keyOf)
}

function keyOf({ key }: Pair): string {
  return String(isScalar(key) ? key.value : key)
}
