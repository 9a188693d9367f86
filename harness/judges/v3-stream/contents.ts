import { terminalEvents } from '../../../contract/event-names.ts'
import { asObject, isObject } from '../../../contract/json.ts'
import { show } from '../json.ts'
import type { ContentKind, StreamContents } from '../streams.ts'
import type { ResponseEvent } from './event.ts'

/** Adds the contents of an event of a v3 stream. */
export function readEvent(contents: StreamContents, { name, json }: ResponseEvent): void {
  const kind = contentKindOf(name)
  if (kind !== undefined) {
    const { delta } = json
    if (typeof delta === 'string' && delta !== '') contents.add(kind, delta)
    return
  }
  const response = asObject(json['response'])
  if (response !== undefined) {
    if (typeof response['id'] === 'string') contents.id ??= response['id']
    if (isObject(response['usage'])) contents.usage = response['usage']
  }
  if (name === 'error') contents.failure ??= show(json['error'] ?? json['message'] ?? json)
  if (name === 'response.failed') contents.failure ??= show(response?.['error'] ?? name)
  if ((terminalEvents as readonly string[]).includes(name)) contents.isTerminal = true
}

/** Undefined for events that bring no generated content. */
export function contentKindOf(name: string): ContentKind | undefined {
  return kinds[name]
}

const kinds: Readonly<Record<string, ContentKind>> = {
  'response.output_text.delta': 'text',
  'response.reasoning_text.delta': 'reasoning',
  'response.reasoning_summary_text.delta': 'reasoning',
  'response.refusal.delta': 'refusal',
  'response.function_call_arguments.delta': 'tool',
}
