import type { ResponseRun } from '../../../../reference-server/events/run.ts'
import type { ResponseEvent } from '../../../../reference-server/events/sequence.ts'
import { plainSettings } from '../../../../reference-server/test-support/run-settings.ts'
import { asJson, asList, type Json } from './json.ts'

/** Parts of a run that faults ask for, read off the events of any server. */
export function runOf(events: readonly ResponseEvent[]): ResponseRun {
  const response = asJson(events.at(-1)?.['response'])
  const output = asList(response['output']).map(asJson)
  return {
    id: String(response['id']),
    startedAt: 0,
    completedAt: 0,
    decoding: { endsAt: 0, token: () => undefined, all: async () => {} },
    settings: {
      ...plainSettings,
      model: String(response['model']),
      think: output.some(({ type }) => type === 'reasoning'),
    },
    steps: output.map(stepOf),
    finish: finishOf(response['status']),
    failure: null,
    tokens: { input: 0, output: 0, reasoning: 0 },
  }
}

function finishOf(status: unknown): ResponseRun['finish'] {
  if (status === 'failed') return 'failed'
  return status === 'incomplete' ? 'length' : 'stop'
}

function stepOf(item: Json): ResponseRun['steps'][number] {
  const ids = { itemId: String(item['id']), callId: String(item['call_id']) }
  const parts = asList(item['content']).map(asJson)
  const spoken = { fragments: parts.map(({ text }) => String(text)), complete: true }
  switch (item['type']) {
    case 'reasoning':
      return { ...ids, ...spoken, type: 'reasoning' }
    case 'function_call':
      return { ...ids, ...spoken, type: 'function_call', name: String(item['name']) }
    case 'file_search_call':
      return { ...ids, ...spoken, type: 'file_search', queries: [], results: [] }
    default:
      return { ...ids, ...spoken, type: 'message', citations: [] }
  }
}
