import { describe } from 'vitest'
import { set } from '../test-support/bodies.ts'
import {
  after,
  changed,
  type Edit,
  eventNamed,
  everywhere,
  type Faults,
  inFinal,
  names,
  swapped,
  testFaults,
} from '../test-support/chunks.ts'

const { added, completed, delta, done, partDone } = names

/** Fields of the contract that the document does not show. */
const optional = ['item_id', 'logprobs', 'obfuscation', 'name', 'status', 'usage', 'model', 'error']

const bare: Edit = everywhere(({ json }) => {
  for (const holder of [json, json.item, json.response, ...(json.response?.output ?? [])]) {
    for (const member of optional) delete holder?.[member]
  }
})

/** Legal variations of a server: none breaks a requirement. */
const legal: Faults = {
  'message: deltas without item_id': bare,
  'message: an unknown event of the same contract': after(delta, () => ({
    event: 'response.reasoning_part.added',
    json: { output_index: 9, item_id: 'x' },
  })),
  'message: an unknown event that counts for itself': after(delta, () =>
    eventNamed('x-vendor:tick'),
  ),
  'message: unknown members everywhere': everywhere(({ json }) => {
    for (const holder of [json, json.item, json.part, json.response]) {
      if (holder != null) holder['x-vendor'] = { any: [1, null] }
    }
  }),
  'message: members that only the final items show': inFinal(
    set('output[0].phase', 'final_answer'),
  ),
  'message: usage of one member': inFinal(set('usage', { total_tokens: 12 })),
  'message: ids of no kind in items': everywhere(({ json }) => {
    for (const holder of [json.item, json.response?.output[0]]) {
      if (holder !== undefined) delete holder.id
    }
  }),
  'message: progress of a tool that the document does not name': after(added, () =>
    eventNamed('response.web_search_call.searching', { output_index: 0, item_id: 'msg_1' }),
  ),
  'message: steps of a tool in an order of its own': (events) =>
    ['generating', 'in_progress'].reduce<typeof events>((all, step) => {
      const name = `response.image_generation_call.${step}`
      const event = eventNamed(name, { output_index: 0, item_id: 'msg_1' })
      return after(added, () => event)(all) ?? all
    }, events),
  'message: an event of a queue before the response': (events) => [eventNamed('queue'), ...events],
  'message: a part whose logprobs only one place shows': changed(
    partDone,
    set('part.logprobs', [{ token: 'x' }]),
  ),
  'reasoning: reasoning without optional members': bare,
  'reasoning: a sealed reasoning item without its text': changed(done, ({ item }) => {
    item.content = null
    item.encrypted_content = 'c2VhbGVk'
  }),
  'two-items: two items without item_id': bare,
  'two-items: items that take turns': swapped([delta, 0], [delta, 1]),
  'file-search: a search without optional members': bare,
  'file-search: results that only the done item shows': inFinal(
    set('output[0].results', undefined),
  ),
  'file-search: a search that failed in a completed response': everywhere(({ json }) => {
    for (const item of [json.item, json.response?.output[0]]) {
      if (item?.type === 'file_search_call' && item.status === 'completed') item.status = 'failed'
    }
  }),
  'file-search: an annotation at the very end of its text': everywhere(({ json }) => {
    const parts = [json.part, json.item?.content?.[0], json.response?.output[1]?.content[0]]
    for (const annotation of [json.annotation, ...parts.map((part) => part?.annotations?.[0])]) {
      if (annotation !== undefined) annotation.index = 8
    }
  }),
  'failed: an error alone at the end': (events) =>
    events.filter(({ event }) => event !== 'response.failed'),
  'failed: response.failed alone at the end': (events) =>
    events.filter(({ event }) => event !== 'error'),
  'failed: a flat error event': changed('error', set('error', undefined)),
  'minimal: the text of a five-event stream in several parts': (events) => {
    const last = events.filter(({ event }) => event === delta)[1]
    if (last !== undefined) last.json.content_index = 1
    const final = events.find(({ event }) => event === completed)?.json.response.output[0]
    final.content = [
      { type: 'output_text', text: 'Good ' },
      { type: 'output_text', text: 'morning.' },
    ]
    return undefined
  },
}

describe('legal oddities', () => testFaults(legal))
