import { describe, test } from 'vitest'
import { set } from '../test-support/bodies.ts'
import {
  after,
  changed,
  edited,
  eventNamed,
  everywhere,
  expectBroken,
  type Faults,
  inFinal,
  names,
  replaceEverywhere,
  swapped,
  testFaults,
  the,
  without,
} from '../test-support/chunks.ts'

const { added, completed, delta, done, partAdded, partDone, textDone } = names

const texts: Faults = {
  'message 17: a delta is sent twice': after(delta, (event) => event, 1),
  'message 17: no deltas at all': (events) => events.filter(({ event }) => event !== delta),
  'message 17: the final response lost its message': inFinal(set('output', [])),
  'minimal 17: the last delta is missing, five events': without(delta, 1),
  'message 17 18: the last delta is missing, and output_text.done is another again': (events) => {
    the(events, textDone).json.text = 'other'
    return without(delta, 3)(events)
  },
  'message 18: output_item.done has no content': changed(done, set('item.content', [])),
  'two-items 17: a delta of one item goes to the other': (events) => {
    const { json } = the(events, delta, 1)
    Object.assign(json, { item_id: 'msg_b', output_index: 1 })
    return undefined
  },
  'refusal 18: a refusal delta is missing': without('response.refusal.delta'),
  'refusal 18: only the final refusal is another': inFinal(
    set('output[0].content[0].refusal', 'other'),
  ),
  'reasoning 18: a summary delta is missing': changed(
    'response.reasoning_summary_text.delta',
    set('delta', 'other'),
  ),
  'function-call 18: arguments cut in the done item': changed(
    done,
    set('item.arguments', '{"zone":'),
  ),
}

describe('texts', () => testFaults(texts))

const endings: Faults = {
  'message 05: no response.created': without('response.created'),
  'message 05: response.created twice': after('response.created', (event) => event),
  'message 08: a delta after completed': after(completed, () =>
    eventNamed(delta, { item_id: 'msg_1', output_index: 0, content_index: 0, delta: 'x' }),
  ),
  'message 08: text after completed': after(completed, () => ({ event: null, json: 'bye' })),
  'failed 08: completed after failed': after('response.failed', () =>
    eventNamed(completed, { response: {} }),
  ),
  'message 09: a final response without output': inFinal(set('output', undefined)),
  'message 29: [DONE] after the end': after(completed, () => ({ event: null, json: '[DONE]' })),
  'message 29: [DONE] as an event of its own': after(completed, () => ({
    event: 'done',
    json: '[DONE]',
  })),
}

describe('beginning and end', () => testFaults(endings))

const order: Faults = {
  'message 12: no output_item.added': without(added),
  'message 12: output_item.added after the first delta': swapped([added, 0], [delta, 0]),
  'minimal 12: output_item.added after the first delta, five events': swapped(
    [added, 0],
    [delta, 0],
  ),
  'minimal 12: no output_item.added, five events': without(added),
  'reasoning 12: no output_item.added for the message after reasoning': without(added, 1),
  'reasoning 13: no output_item.added for reasoning': without(added),
  'reasoning 13: no content_part.done for reasoning': without(partDone),
  'reasoning 13: no output_item.done for reasoning': without(done),
  'reasoning 13: no reasoning_text.done': without('response.reasoning_text.done'),
  'reasoning 13: no summary_part.added': without('response.reasoning_summary_part.added'),
  'reasoning 13: no summary_part.done': without('response.reasoning_summary_part.done'),
  'function-call 13: no output_item.added for a call': without(added),
  'function-call 13: no arguments.done': without('response.function_call_arguments.done'),
  'function-call 13: a refusal delta in a call': after(added, () =>
    eventNamed('response.refusal.delta', {
      ...{ item_id: 'fc_1', output_index: 0, content_index: 0, delta: 'no' },
    }),
  ),
  'file-search 13: no output_item.added for a search': without(added),
  'message 13: no content_part.added': without(partAdded),
  'message 13: content_part.added twice': after(partAdded, (event) => event),
  'message 13: output_item.added twice': after(added, (event) => event),
  'message 13: output_text.done twice': after(textDone, (event) => event),
  'message 13: no output_item.done': without(done),
  'message 13: output_item.done before content_part.done': swapped([done, 0], [partDone, 0]),
  'message 13: content_part.added after the first delta': swapped([partAdded, 0], [delta, 0]),
  'message 13: output_item.done twice': after(done, (event) => event),
  'message 13: a created event whose response is not below response': changed(
    'response.created',
    (json) => {
      Object.assign(json, json.response, { type: 'response.created' })
      delete json.response
    },
  ),
  'refusal 13: no content_part.added for a refusal': without(partAdded),
  'two-items 13: no content_part.added for a second part': without(partAdded, 2),
}

describe('the order of items and parts', () => testFaults(order))

const indexes: Faults = {
  'message 14: the item gets another id when it is done': changed(
    done,
    set('item.id', 'msg_other'),
  ),
  'reasoning 14: two items with one id': changed(added, set('item.id', 'rs_1'), 1),
  'two-items 14: item_id of the other item': changed(delta, set('item_id', 'msg_a')),
  'message 15: an output_index that is a string': changed(delta, set('output_index', '0')),
  'file-search 15: no annotation_index': changed(
    'response.output_text.annotation.added',
    set('annotation_index', undefined),
  ),
  'minimal 15: no output_index in one delta': changed(delta, set('output_index', undefined)),
  'reasoning 16: summary_index from 1': replaceEverywhere('summary_index', 0, 1),
  'minimal-reasoning 16: content_index runs on, five events': everywhere(({ json }) => {
    if (json.output_index === 1 && json.content_index === 0) json.content_index = 1
  }),
  'message 16: content_index from 1': replaceEverywhere('content_index', 0, 1),
  'message 16: content_index counts the deltas': (events) => {
    events
      .filter(({ event }) => event === delta)
      .forEach((event, at) => {
        event.json.content_index = at
      })
    return undefined
  },
}

describe('indexes', () => testFaults(indexes))

const outputs: Faults = {
  'reasoning 19: the final items are in another order': inFinal((response) => {
    response.output.reverse()
  }),
  'function-call 19: another name of the function in the final response': inFinal(
    set('output[0].name', 'get_date'),
  ),
  'message 20: an item that is done in_progress': changed(
    names.done,
    set('item.status', 'in_progress'),
  ),
  'message 20: an item in_progress in a completed response': inFinal(
    set('output[0].status', 'in_progress'),
  ),
  'message 20: an incomplete item in a completed response': inFinal(
    set('output[0].status', 'incomplete'),
  ),
}

describe('the items of the final response', () => testFaults(outputs))

const values: Faults = {
  'message 21: incomplete_details in a completed response': inFinal(
    set('incomplete_details', { reason: 'max_output_tokens' }),
  ),
  'message 21: a completed event for a cut answer': inFinal((response) => {
    response.status = 'incomplete'
    response.incomplete_details = { reason: 'max_output_tokens' }
  }),
  'message 22: a count that is a string': inFinal(set('usage.total_tokens', '16')),
  'message 22: a count that has no text': inFinal(set('usage.input_tokens', { toString: 1 })),
  'reasoning 22: more reasoning than output tokens': inFinal(
    set('usage.output_tokens_details.reasoning_tokens', 21),
  ),
  'incomplete V3-GEN-10: more output tokens than max_tokens': changed(
    'response.incomplete',
    set('response.usage', { input_tokens: 6, output_tokens: 3, total_tokens: 9 }),
  ),
  'message 25: a delta that is a number': changed(delta, set('delta', 7), 1),
  'message 25: a delta that is an object': changed(
    delta,
    (json) => {
      json.delta = { text: json.delta }
    },
    1,
  ),
  'minimal 25: no delta in a delta': changed(delta, set('delta', undefined)),
  'reasoning 25: a reasoning delta that is an array': changed(
    'response.reasoning_text.delta',
    (json) => {
      json.delta = [json.delta]
    },
  ),
  'reasoning V3-GEN-02: the stream ends on reasoning': (events) => {
    the(events, completed).json.response.output.pop()
    return events.filter(({ json }) => json.output_index !== 1)
  },
  'function-call V3-GEN-02: items without a type': everywhere(({ json }) => {
    delete json.item?.type
    for (const item of json.response?.output ?? []) delete item.type
  }),
}

describe('the status, usage and deltas', () => testFaults(values))

describe('reasoning', () => {
  test('without think it breaks 24', () => {
    const request = { stream: true, input: 'Hello.' }
    expectBroken('reasoning', { request }, '24')
    expectBroken('minimal-reasoning', { request: { ...request, think: false } }, '24')
  })

  test('repeated in the answer it breaks V3-THINK-02', () => {
    const thought = 'Seven times six: seven times five is 35, and seven more.'
    const repeat = everywhere(({ event, json }) => {
      if (event === delta && json.delta === 'It is ') json.delta = `${thought} It is `
      const final = json.response?.output[1]?.content[0]
      for (const holder of [json, json.part, json.item?.content?.[0], final]) {
        if (holder?.text === 'It is 42.') holder.text = `${thought} It is 42.`
      }
    })
    expectBroken('reasoning', { body: edited('reasoning', repeat) }, 'V3-THINK-02')
  })
})
