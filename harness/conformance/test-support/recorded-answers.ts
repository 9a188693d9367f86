/** Responses in the right format, for servers that always return the same one. */

const recordedId = '3f0c8a52-6f0b-4a5e-9d0e-0f3a1b9a7c11'

export const recordedCompletion = {
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1_760_000_000,
  model: 'svc-main-model',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Blue.' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 },
}

export function recordedResponse(status: string) {
  const content = [{ type: 'output_text', text: 'Blue.', annotations: [] }]
  return {
    id: recordedId,
    object: 'response',
    status,
    output: [{ id: 'm1', type: 'message', role: 'assistant', status: 'completed', content }],
  }
}

export function recordedEvents(): string {
  const item = { id: 'm1', type: 'message', role: 'assistant', status: 'in_progress', content: [] }
  const events = [
    { type: 'response.created', response: { ...recordedResponse('in_progress'), output: [] } },
    { type: 'response.output_item.added', output_index: 0, item },
    { type: 'response.output_text.delta', delta: 'Blue.' },
    { type: 'response.completed', response: recordedResponse('completed') },
  ]
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('')
}

export function recordedChunks(): string {
  const { id, created, model } = recordedCompletion
  const head = { id, object: 'chat.completion.chunk', created, model }
  const chunks = [
    { ...head, choices: [{ index: 0, delta: { role: 'assistant', content: 'Blue.' } }] },
    { ...head, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
  ]
  return `${chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('')}data: [DONE]\n\n`
}
