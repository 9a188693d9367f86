import { asObject, isObject, type JsonObject } from '../json.ts'
import type { ContentKind, StreamWatcher } from '../streams.ts'

/** Tells a watcher what a chunk of the compatible stream brings. */
export function watchChunk(
  watcher: StreamWatcher,
  json: JsonObject,
  choices: readonly unknown[],
): void {
  const { id, usage } = json
  if (typeof id === 'string') watcher.id(id)
  if (isObject(usage)) watcher.usage(usage)
  for (const choice of choices) {
    const delta = asObject(asObject(choice)?.['delta'])
    if (delta === undefined) continue
    for (const [member, kind] of contents) {
      const text = delta[member]
      if (typeof text === 'string' && text !== '') watcher.content(kind, text)
    }
    const calls = delta['tool_calls']
    if (Array.isArray(calls) && calls.length > 0) watcher.content('tool', '')
  }
}

/** `reasoning_content` and `reasoning` are how servers of this surface show their thinking. */
const contents: readonly (readonly [member: string, kind: ContentKind])[] = [
  ['reasoning_content', 'reasoning'],
  ['reasoning', 'reasoning'],
  ['refusal', 'refusal'],
  ['content', 'text'],
]
