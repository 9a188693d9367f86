import { describe, test } from 'vitest'
import { set } from '../test-support/bodies.ts'
import {
  after,
  changed,
  edited,
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
  'message 17': {
    'the last delta is missing': without(delta, 3),
    'a delta is sent twice': after(delta, (event) => event, 1),
    'the deltas are out of order': swapped([delta, 1], [delta, 2]),
    'no deltas at all': (events) => events.filter(({ event }) => event !== delta),
    'a character became U+FFFD in a delta': changed(
      delta,
      (json) => {
        json.delta = json.delta.replace('ü', '\ufffd')
      },
      1,
    ),
    'only the final text is another': inFinal(set('output[0].content[0].text', 'other')),
    'the final response lost its message': inFinal(set('output', [])),
    'created and completed alone': (events) =>
      events.filter(({ event }) => event === 'response.created' || event === completed),
  },
  'minimal 17': {
    'the last delta is missing, five events': without(delta, 1),
  },
  'message 17 18': {
    'the last delta is missing, and output_text.done is another again': (events) => {
      the(events, textDone).json.text = 'other'
      return without(delta, 3)(events)
    },
  },
  'message 18': {
    'only output_text.done is another': changed(textDone, set('text', 'other')),
    'only content_part.done is another': changed(partDone, set('part.text', 'other')),
    'only output_item.done is another': changed(done, set('item.content[0].text', 'other')),
    'output_item.done has no content': changed(done, set('item.content', [])),
  },
  'two-items 17': {
    'a delta of one item goes to the other': (events) => {
      const { json } = the(events, delta, 1)
      Object.assign(json, { item_id: 'msg_b', output_index: 1 })
      return undefined
    },
  },
  'refusal 18': {
    'a refusal delta is missing': without('response.refusal.delta'),
    'only the final refusal is another': inFinal(set('output[0].content[0].refusal', 'other')),
  },
  'reasoning 18': {
    'a reasoning delta is missing': without('response.reasoning_text.delta'),
    'a summary delta is missing': changed(
      'response.reasoning_summary_text.delta',
      set('delta', 'other'),
    ),
  },
  'function-call 18': {
    'an argument delta is missing': without('response.function_call_arguments.delta', 1),
    'only arguments.done is another': changed(
      'response.function_call_arguments.done',
      set('arguments', '{}'),
    ),
    'only the final arguments are others': inFinal(set('output[0].arguments', '{}')),
    'arguments cut in the done item': changed(done, set('item.arguments', '{"zone":')),
  },
}

describe('texts', () => testFaults(texts))

const endings: Faults = {
  'message 05': {
    'no response.created': without('response.created'),
    'response.created twice': after('response.created', (event) => event),
    'in_progress before created': swapped(['response.created', 0], ['response.in_progress', 0]),
  },
  'message 08': {
    'no terminal event': without(completed),
    'completed twice': after(completed, (event) => event),
    'a delta after completed': after(completed, () => ({
      event: delta,
      json: {
        type: delta,
        sequence_number: 0,
        item_id: 'msg_1',
        output_index: 0,
        content_index: 0,
        delta: 'x',
      },
    })),
    'an unknown event after completed': after(completed, () => ({ event: 'done', json: {} })),
    'text after completed': after(completed, () => ({ event: null, json: 'bye' })),
    'response.done in the place of completed': everywhere((event) => {
      if (event.event === completed) {
        event.event = 'response.done'
        event.json.type = 'response.done'
      }
    }),
  },
  'failed 08': {
    'completed after failed': after('response.failed', () => ({
      event: completed,
      json: { type: completed, sequence_number: 0, response: {} },
    })),
  },
  'message 09': {
    'completed without a response': changed(completed, set('response', undefined)),
    'the response beside, not below, response': changed(completed, (json) => {
      Object.assign(json, json.response, { type: completed })
      delete json.response
    }),
    'a final response without output': inFinal(set('output', undefined)),
  },
  'message 29': {
    '[DONE] after the end': after(completed, () => ({ event: null, json: '[DONE]' })),
    '[DONE] before the end': after(textDone, () => ({ event: null, json: '[DONE]' })),
    '[DONE] as an event of its own': after(completed, () => ({ event: 'done', json: '[DONE]' })),
  },
}

describe('beginning and end', () => testFaults(endings))

const snapshots: Faults = {
  'message 10': {
    'another response id at the end': inFinal(set('id', 'resp_other')),
    'another response id in between': changed(
      'response.in_progress',
      set('response.id', 'resp_other'),
    ),
  },
  'message 11': {
    'created_at moves on': inFinal((response) => {
      response.created_at += 1
    }),
    'another model at the end': inFinal(set('model', 'svc-other')),
  },
  'message 21': {
    'in_progress in a completed event': inFinal(set('status', 'in_progress')),
    'completed in a created event': changed(
      'response.created',
      set('response.status', 'completed'),
    ),
    'an error in a completed response': inFinal(
      set('error', { code: 'server_error', message: 'x' }),
    ),
    'incomplete_details in a completed response': inFinal(
      set('incomplete_details', { reason: 'max_output_tokens' }),
    ),
    'a completed event for a cut answer': inFinal((response) => {
      response.status = 'incomplete'
      response.incomplete_details = { reason: 'max_output_tokens' }
    }),
  },
}

describe('the response in lifecycle events', () => testFaults(snapshots))

const order: Faults = {
  'message 12': {
    'no output_item.added': without(added),
    'output_item.added after the first delta': swapped([added, 0], [delta, 0]),
  },
  'minimal 12': {
    'output_item.added after the first delta, five events': swapped([added, 0], [delta, 0]),
    'no output_item.added, five events': without(added),
  },
  'reasoning 12': {
    'no output_item.added for the message after reasoning': without(added, 1),
  },
  'reasoning 13': {
    'no output_item.added for reasoning': without(added),
    'no content_part.added for reasoning': without(partAdded),
    'no content_part.done for reasoning': without(partDone),
    'no output_item.done for reasoning': without(done),
    'no reasoning_text.done': without('response.reasoning_text.done'),
    'no summary_part.added': without('response.reasoning_summary_part.added'),
    'no summary_part.done': without('response.reasoning_summary_part.done'),
  },
  'function-call 13': {
    'no output_item.added for a call': without(added),
    'no arguments.done': without('response.function_call_arguments.done'),
    'a refusal delta in a call': after(added, () => ({
      event: 'response.refusal.delta',
      json: {
        type: 'response.refusal.delta',
        sequence_number: 0,
        item_id: 'fc_1',
        output_index: 0,
        content_index: 0,
        delta: 'no',
      },
    })),
  },
  'file-search 13': {
    'no output_item.added for a search': without(added),
    'searching after completed': swapped(
      ['response.file_search_call.searching', 0],
      ['response.file_search_call.completed', 0],
    ),
  },
  'message 13': {
    'no content_part.added': without(partAdded),
    'content_part.added twice': after(partAdded, (event) => event),
    'output_item.added twice': after(added, (event) => event),
    'no output_text.done': without(textDone),
    'output_text.done twice': after(textDone, (event) => event),
    'no content_part.done': without(partDone),
    'no output_item.done': without(done),
    'output_item.done before content_part.done': swapped([done, 0], [partDone, 0]),
    'output_text.done before the last delta': swapped([textDone, 0], [delta, 3]),
    'content_part.added after the first delta': swapped([partAdded, 0], [delta, 0]),
    'output_item.done twice': after(done, (event) => event),
    'in_progress after the first item': after(delta, () => ({
      event: 'response.in_progress',
      json: {
        type: 'response.in_progress',
        sequence_number: 0,
        response: { id: 'resp_1', status: 'in_progress', output: [] },
      },
    })),
    'an in_progress response without output': changed(
      'response.in_progress',
      set('response.output', undefined),
    ),
    'a created event whose response is not below response': changed('response.created', (json) => {
      Object.assign(json, json.response, { type: 'response.created' })
      delete json.response
    }),
    'a null item': changed(added, set('item', null)),
  },
  'refusal 13': {
    'no content_part.added for a refusal': without(partAdded),
  },
  'two-items 13': {
    'no content_part.added for a second part': without(partAdded, 2),
  },
}

describe('the order of items and parts', () => testFaults(order))

const indexes: Faults = {
  'message 14': {
    'output_index from 1': replaceEverywhere('output_index', 0, 1),
    'output_index changes before output_text.done': changed(textDone, set('output_index', 1)),
    'item_id of another item': changed(delta, set('item_id', 'msg_other'), 1),
    'the item gets another id when it is done': changed(done, set('item.id', 'msg_other')),
  },
  'reasoning 14': {
    'a gap in output_index': replaceEverywhere('output_index', 1, 2),
    'two items at output_index 0': replaceEverywhere('output_index', 1, 0),
    'two items with one id': changed(added, set('item.id', 'rs_1'), 1),
  },
  'two-items 14': {
    'item_id of the other item': changed(delta, set('item_id', 'msg_a')),
  },
  'message 15': {
    'no output_index where it is 0': replaceEverywhere('output_index', 0, undefined),
    'no content_index where it is 0': replaceEverywhere('content_index', 0, undefined),
    'an output_index that is a string': changed(delta, set('output_index', '0')),
  },
  'reasoning 15': {
    'no index where it is 0, two items': everywhere(({ json }) => {
      for (const name of ['output_index', 'content_index', 'summary_index']) {
        if (json[name] === 0) delete json[name]
      }
    }),
  },
  'file-search 15': {
    'no annotation_index': changed(
      'response.output_text.annotation.added',
      set('annotation_index', undefined),
    ),
  },
  'minimal 15': {
    'no output_index in one delta': changed(delta, set('output_index', undefined)),
  },
  'reasoning 16': {
    'content_index runs on from item to item': everywhere(({ json }) => {
      if (json.output_index === 1 && json.content_index === 0) json.content_index = 1
    }),
    'summary_index from 1': replaceEverywhere('summary_index', 0, 1),
  },
  'minimal-reasoning 16': {
    'content_index runs on, five events': everywhere(({ json }) => {
      if (json.output_index === 1 && json.content_index === 0) json.content_index = 1
    }),
  },
  'message 16': {
    'content_index from 1': replaceEverywhere('content_index', 0, 1),
    'content_index counts the deltas': (events) => {
      events
        .filter(({ event }) => event === delta)
        .forEach((event, at) => {
          event.json.content_index = at
        })
      return undefined
    },
  },
}

describe('indexes', () => testFaults(indexes))

const outputs: Faults = {
  'reasoning 19': {
    'the final items are in another order': inFinal((response) => {
      response.output.reverse()
    }),
    'an item of the stream is not in the final response': inFinal((response) => {
      response.output.shift()
    }),
  },
  'message 19': {
    'an item of the final response was not in the stream': inFinal((response) => {
      response.output.unshift({ id: 'rs_x', type: 'reasoning', summary: [] })
    }),
    'another item id in the final response': inFinal(set('output[0].id', 'msg_other')),
  },
  'function-call 19': {
    'another name of the function in the final response': inFinal(
      set('output[0].name', 'get_date'),
    ),
    'another call_id in the final response': inFinal(set('output[0].call_id', 'call_other')),
  },
  'message 20': {
    'an item that is added as completed': changed(names.added, set('item.status', 'completed')),
    'an item that is done in_progress': changed(names.done, set('item.status', 'in_progress')),
    'an item in_progress in a completed response': inFinal(set('output[0].status', 'in_progress')),
    'an incomplete item in a completed response': inFinal(set('output[0].status', 'incomplete')),
  },
}

describe('the items of the final response', () => testFaults(outputs))

const values: Faults = {
  'message 22': {
    'a total that is off by one': inFinal(({ usage }) => {
      usage.total_tokens += 1
    }),
    'more cached than input tokens': inFinal(set('usage.input_tokens_details.cached_tokens', 10)),
    'a count that is a string': inFinal(set('usage.total_tokens', '16')),
  },
  'reasoning 22': {
    'more reasoning than output tokens': inFinal(
      set('usage.output_tokens_details.reasoning_tokens', 21),
    ),
  },
  'incomplete V3-GEN-10': {
    'more output tokens than max_tokens': changed(
      'response.incomplete',
      set('response.usage', { input_tokens: 6, output_tokens: 3, total_tokens: 9 }),
    ),
  },
  'function-call 23': {
    'arguments that are no JSON': (events) => {
      const text = '{"zone":"UTC"'
      the(events, 'response.function_call_arguments.delta', 1).json.delta = '"UTC"'
      the(events, 'response.function_call_arguments.done').json.arguments = text
      the(events, done).json.item.arguments = text
      the(events, completed).json.response.output[0].arguments = text
      return undefined
    },
  },
  'message 25': {
    'a delta that is a number': changed(delta, set('delta', 7), 1),
    'a delta that is null': changed(delta, set('delta', null)),
    'a delta that is an object': changed(
      delta,
      (json) => {
        json.delta = { text: json.delta }
      },
      1,
    ),
  },
  'minimal 25': {
    'no delta in a delta': changed(delta, set('delta', undefined)),
  },
  'reasoning 25': {
    'a reasoning delta that is an array': changed('response.reasoning_text.delta', (json) => {
      json.delta = [json.delta]
    }),
  },
  'message 27': {
    'a surrogate pair in two deltas': (events) => {
      the(events, delta, 2).json.delta = ' aus 東京 \ud83d'
      the(events, delta, 3).json.delta = '\uddfc!'
      return undefined
    },
  },
  'file-search 28': {
    'an annotation behind the text': everywhere(({ json }) => {
      for (const annotation of [
        json.annotation,
        json.part?.annotations?.[0],
        json.item?.content?.[0]?.annotations?.[0],
        json.response?.output[1]?.content[0].annotations[0],
      ]) {
        if (annotation !== undefined) annotation.index = 99
      }
    }),
    'content_part.done without the annotation': changed(partDone, set('part.annotations', [])),
    'the final response without the annotation': inFinal(
      set('output[1].content[0].annotations', []),
    ),
    'annotations under a misspelt name': everywhere((event) => {
      if (event.event === 'response.output_text.annotation.added') {
        event.event = 'response.output_text_annotation.added'
        event.json.type = event.event
      }
    }),
  },
  'reasoning V3-GEN-02': {
    'the stream ends on reasoning': (events) => {
      the(events, completed).json.response.output.pop()
      return events.filter(({ json }) => json.output_index !== 1)
    },
  },
  'function-call V3-GEN-02': {
    'items without a type': everywhere(({ json }) => {
      delete json.item?.type
      for (const item of json.response?.output ?? []) delete item.type
    }),
  },
}

describe('usage, deltas, arguments and annotations', () => testFaults(values))

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
