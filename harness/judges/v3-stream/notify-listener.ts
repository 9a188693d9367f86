import { terminalEvents } from '../../../contract/event-names.ts'
import { asObject, isObject } from '../../../contract/json.ts'
import { show } from '../json.ts'
import type { ContentKind, StreamListener } from '../streams.ts'
import type { ResponseEvent } from './event.ts'

/** Tells a watcher what an event of a v3 stream brings. */
export function notifyListener(watcher: StreamListener, { name, json }: ResponseEvent): void {
  const kind = contentKindOf(name)
  if (kind !== undefined) {
    const { delta } = json
    if (typeof delta === 'string' && delta !== '') watcher.content(kind, delta)
    return
  }
  const response = asObject(json['response'])
  if (response !== undefined) {
    if (typeof response['id'] === 'string') watcher.id(response['id'])
    if (isObject(response['usage'])) watcher.usage(response['usage'])
  }
  if (name === 'error') watcher.serverFailed(show(json['error'] ?? json['message'] ?? json))
  if (name === 'response.failed') watcher.serverFailed(show(response?.['error'] ?? name))
  if ((terminalEvents as readonly string[]).includes(name)) watcher.terminal()
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
