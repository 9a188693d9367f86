import type { Json, ServerEvent } from './hooks.ts'
import type { Call } from './http.ts'
import { piecesOf, tokensOf } from './model.ts'

export function responseTo(
  { hooks }: Call,
  body: Json,
  messages: readonly string[],
  text: string,
  calls: readonly Json[] = [],
): Json {
  const maxTokens = typeof body['max_tokens'] === 'number' ? body['max_tokens'] : undefined
  const limit = hooks.maxTokens(maxTokens)
  const tokens = tokensOf(text)
  const cut = limit !== undefined && tokens.length > limit
  const answer = cut ? tokens.slice(0, limit).join('') : text
  const status = cut ? 'incomplete' : 'completed'
  const content = [{ type: 'output_text', text: answer, annotations: [] }]
  const message = { id: `m-${crypto.randomUUID()}`, type: 'message', role: 'assistant', status }
  const thought =
    body['think'] === true
      ? 'First things first: what was asked, and what may be left out of the answer to it.'
      : undefined
  const summary = { id: `t-${crypto.randomUUID()}`, type: 'reasoning', summary: [] }
  const reasoning = { ...summary, content: [{ type: 'reasoning_text', text: thought }] }
  const input = tokensOf(messages.join(' ')).length
  const output = tokensOf(answer).length
  return {
    id: hooks.newId('response'),
    object: 'response',
    status,
    created_at: Math.floor(Date.now() / 1000),
    model: body['model_id'] ?? 'svc-main-model',
    incomplete_details: cut ? { reason: 'max_output_tokens' } : null,
    output: [...(thought ? [reasoning] : []), ...calls, { ...message, content }],
    usage: { input_tokens: input, output_tokens: output, total_tokens: input + output },
    region: 'north',
  }
}

export /** The minimal stream: no sequence numbers, no parts, and deltas that do not say of which item. */
function eventsOf(final: Json, initial: Json): ServerEvent[] {
  const items = (final['output'] as Json[]).flatMap((item, at) => {
    if (item['type'] === 'function_call') {
      const begun = { ...item, status: 'in_progress', arguments: '' }
      return [
        event('response.output_item.added', { output_index: at, item: begun }),
        event('response.output_item.done', { output_index: at, item }),
      ]
    }
    const [part] = item['content'] as Json[]
    const name = item['type'] === 'reasoning' ? 'reasoning_text' : 'output_text'
    const added = { ...item, content: [], ...(item['status'] ? { status: 'in_progress' } : {}) }
    return [
      event('response.output_item.added', { output_index: at, item: added }),
      ...piecesOf(String(part?.['text'])).map((delta) =>
        event(`response.${name}.delta`, { delta }),
      ),
    ]
  })
  return [event('response.created', { response: begun(final) }), ...items, ended(initial)]
}

export function shortStream(response: Json): ServerEvent[] {
  return [event('response.created', { response: begun(response) }), ended(response)]
}

function begun(final: Json): Json {
  return { ...final, status: 'in_progress', incomplete_details: null, output: [], usage: null }
}

function ended(final: Json): ServerEvent {
  return event(`response.${final['status']}`, { response: final })
}

function event(name: string, data: Json): ServerEvent {
  return { name, data: { type: name, ...data } }
}

/** No space after the colon; the JSON over several lines where it is long. */
export function blockOf({ name, data }: ServerEvent): readonly string[] {
  const text = 'response' in data ? JSON.stringify(data, null, 1) : JSON.stringify(data)
  return [`event:${name}`, ...text.split('\n').map((line) => `data:${line}`)]
}
