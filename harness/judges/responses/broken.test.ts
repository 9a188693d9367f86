import { describe, expect, test } from 'vitest'
import type { TranscriptName } from '../../../fixtures/transcripts.ts'
import {
  after,
  changed,
  type Edit,
  edited,
  type eventsOf,
  swapped,
  the,
  without,
} from '../test-support/edit.ts'
import {
  brokenIn,
  complete,
  type ExchangeParts,
  encode,
  transcriptExchange,
} from '../test-support/exchanges.ts'

/** A fault, the rows that it turns red, and the transcript that it is put into. */
type Fault = readonly [fault: string, rows: string, base: TranscriptName, edit: Edit]

const added = 'response.output_item.added'
const done = 'response.output_item.done'
const partAdded = 'response.content_part.added'
const partDone = 'response.content_part.done'
const delta = 'response.output_text.delta'
const textDone = 'response.output_text.done'
const completed = 'response.completed'

const inFinal = (change: (response: FinalResponse) => void): Edit =>
  changed(completed, ({ response }) => change(response))

// biome-ignore lint/suspicious/noExplicitAny: tests reach deep into hand-written events
type FinalResponse = any

const everywhere =
  (change: (event: ReturnType<typeof eventsOf>[number]) => void): Edit =>
  (events) => {
    for (const event of events) change(event)
    return undefined
  }

const faults: readonly Fault[] = [
  // Framing
  [
    'an event without an event: line',
    '02',
    'message',
    (events) => {
      the(events, delta).event = null
      return undefined
    },
  ],
  ['data that is no object', '02', 'message', changed(delta, () => {}, 1)],
  [
    'another type than the event',
    '03',
    'message',
    changed(delta, (json) => {
      json.type = 'response.text.delta'
    }),
  ],
  [
    'another name than the type',
    '03',
    'message',
    everywhere((event) => {
      event.event = 'message'
    }),
  ],
  [
    'no type in one event',
    '04',
    'message',
    changed(textDone, (json) => {
      delete json.type
    }),
  ],
  [
    'no type at all',
    '04',
    'message',
    everywhere(({ json }) => {
      delete json.type
    }),
  ],
  [
    'no sequence_number',
    '06',
    'message',
    everywhere(({ json }) => {
      delete json.sequence_number
    }),
  ],
  [
    'a sequence_number that is a string',
    '06',
    'message',
    changed(delta, (json) => {
      json.sequence_number = '4'
    }),
  ],

  // Beginning and end
  ['no response.created', '05', 'message', without('response.created')],
  ['response.created twice', '05', 'message', after('response.created', (event) => event)],
  [
    'in_progress before created',
    '05',
    'message',
    swapped(['response.created', 0], ['response.in_progress', 0]),
  ],
  ['no terminal event', '08', 'message', without(completed)],
  ['completed twice', '08', 'message', after(completed, (event) => event)],
  [
    'a delta after completed',
    '08',
    'message',
    after(completed, () => ({
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
  ],
  [
    'completed after failed',
    '08',
    'failed',
    after('response.failed', () => ({
      event: completed,
      json: { type: completed, sequence_number: 0, response: {} },
    })),
  ],
  [
    'an unknown event after completed',
    '08',
    'message',
    after(completed, () => ({ event: 'done', json: {} })),
  ],
  ['text after completed', '08', 'message', after(completed, () => ({ event: null, json: 'bye' }))],
  [
    'response.done in the place of completed',
    '08',
    'message',
    everywhere((event) => {
      if (event.event === completed) {
        event.event = 'response.done'
        event.json.type = 'response.done'
      }
    }),
  ],
  [
    'completed without a response',
    '09',
    'message',
    changed(completed, (json) => {
      delete json.response
    }),
  ],
  [
    'the response beside, not below, response',
    '09',
    'message',
    changed(completed, (json) => {
      Object.assign(json, json.response, { type: completed })
      delete json.response
    }),
  ],
  [
    'a final response without output',
    '09',
    'message',
    inFinal((response) => {
      delete response.output
    }),
  ],
  [
    '[DONE] after the end',
    '29',
    'message',
    after(completed, () => ({ event: null, json: '[DONE]' })),
  ],
  [
    '[DONE] before the end',
    '29',
    'message',
    after(textDone, () => ({ event: null, json: '[DONE]' })),
  ],
  [
    '[DONE] as an event of its own',
    '29',
    'message',
    after(completed, () => ({ event: 'done', json: '[DONE]' })),
  ],

  // Snapshots
  [
    'another response id at the end',
    '10',
    'message',
    inFinal((response) => {
      response.id = 'resp_other'
    }),
  ],
  [
    'another response id in between',
    '10',
    'message',
    changed('response.in_progress', ({ response }) => {
      response.id = 'resp_other'
    }),
  ],
  [
    'created_at moves on',
    '11',
    'message',
    inFinal((response) => {
      response.created_at += 1
    }),
  ],
  [
    'another model at the end',
    '11',
    'message',
    inFinal((response) => {
      response.model = 'svc-other'
    }),
  ],
  [
    'in_progress in a completed event',
    '21',
    'message',
    inFinal((response) => {
      response.status = 'in_progress'
    }),
  ],
  [
    'completed in a created event',
    '21',
    'message',
    changed('response.created', ({ response }) => {
      response.status = 'completed'
    }),
  ],
  [
    'an error in a completed response',
    '21',
    'message',
    inFinal((response) => {
      response.error = { code: 'server_error', message: 'x' }
    }),
  ],
  [
    'incomplete_details in a completed response',
    '21',
    'message',
    inFinal((response) => {
      response.incomplete_details = { reason: 'max_output_tokens' }
    }),
  ],
  [
    'a completed event for a cut answer',
    '21',
    'message',
    inFinal((response) => {
      response.status = 'incomplete'
      response.incomplete_details = { reason: 'max_output_tokens' }
    }),
  ],

  // Items and parts
  ['no output_item.added', '12', 'message', without(added)],
  ['output_item.added after the first delta', '12', 'message', swapped([added, 0], [delta, 0])],
  [
    'output_item.added after the first delta, five events',
    '12',
    'minimal',
    swapped([added, 0], [delta, 0]),
  ],
  ['no output_item.added, five events', '12', 'minimal', without(added)],
  ['no output_item.added for the message after reasoning', '12', 'reasoning', without(added, 1)],
  ['no output_item.added for reasoning', '13', 'reasoning', without(added)],
  ['no output_item.added for a call', '13', 'function-call', without(added)],
  ['no output_item.added for a search', '13', 'file-search', without(added)],
  ['no content_part.added', '13', 'message', without(partAdded)],
  ['no content_part.added for reasoning', '13', 'reasoning', without(partAdded)],
  ['no content_part.added for a refusal', '13', 'refusal', without(partAdded)],
  ['no content_part.added for a second part', '13', 'two-items', without(partAdded, 2)],
  ['content_part.added twice', '13', 'message', after(partAdded, (event) => event)],
  ['output_item.added twice', '13', 'message', after(added, (event) => event)],
  ['no output_text.done', '13', 'message', without(textDone)],
  ['output_text.done twice', '13', 'message', after(textDone, (event) => event)],
  ['no content_part.done', '13', 'message', without(partDone)],
  ['no content_part.done for reasoning', '13', 'reasoning', without(partDone)],
  ['no output_item.done', '13', 'message', without(done)],
  ['no output_item.done for reasoning', '13', 'reasoning', without(done)],
  ['output_item.done before content_part.done', '13', 'message', swapped([done, 0], [partDone, 0])],
  ['output_text.done before the last delta', '13', 'message', swapped([textDone, 0], [delta, 3])],
  [
    'content_part.added after the first delta',
    '13',
    'message',
    swapped([partAdded, 0], [delta, 0]),
  ],
  ['output_item.done twice', '13', 'message', after(done, (event) => event)],
  ['no reasoning_text.done', '13', 'reasoning', without('response.reasoning_text.done')],
  ['no summary_part.added', '13', 'reasoning', without('response.reasoning_summary_part.added')],
  ['no summary_part.done', '13', 'reasoning', without('response.reasoning_summary_part.done')],
  ['no arguments.done', '13', 'function-call', without('response.function_call_arguments.done')],
  [
    'searching after completed',
    '13',
    'file-search',
    swapped(['response.file_search_call.searching', 0], ['response.file_search_call.completed', 0]),
  ],
  [
    'in_progress after the first item',
    '13',
    'message',
    after(delta, () => ({
      event: 'response.in_progress',
      json: {
        type: 'response.in_progress',
        sequence_number: 0,
        response: { id: 'resp_1', status: 'in_progress', output: [] },
      },
    })),
  ],
  [
    'an in_progress response without output',
    '13',
    'message',
    changed('response.in_progress', ({ response }) => {
      delete response.output
    }),
  ],
  [
    'a created event whose response is not below response',
    '13',
    'message',
    changed('response.created', (json) => {
      Object.assign(json, json.response, { type: 'response.created' })
      delete json.response
    }),
  ],
  [
    'a null item',
    '13',
    'message',
    changed(added, (json) => {
      json.item = null
    }),
  ],
  [
    'a refusal delta in a call',
    '13',
    'function-call',
    after(added, () => ({
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
  ],
  [
    'output_index from 1',
    '14',
    'message',
    everywhere(({ json }) => {
      if (json.output_index === 0) json.output_index = 1
    }),
  ],
  [
    'a gap in output_index',
    '14',
    'reasoning',
    everywhere(({ json }) => {
      if (json.output_index === 1) json.output_index = 2
    }),
  ],
  [
    'two items at output_index 0',
    '14',
    'reasoning',
    everywhere(({ json }) => {
      if (json.output_index === 1) json.output_index = 0
    }),
  ],
  [
    'output_index changes before output_text.done',
    '14',
    'message',
    changed(textDone, (json) => {
      json.output_index = 1
    }),
  ],
  [
    'item_id of another item',
    '14',
    'message',
    changed(
      delta,
      (json) => {
        json.item_id = 'msg_other'
      },
      1,
    ),
  ],
  [
    'item_id of the other item',
    '14',
    'two-items',
    changed(delta, (json) => {
      json.item_id = 'msg_a'
    }),
  ],
  [
    'the item gets another id when it is done',
    '14',
    'message',
    changed(done, ({ item }) => {
      item.id = 'msg_other'
    }),
  ],
  [
    'two items with one id',
    '14',
    'reasoning',
    changed(
      added,
      ({ item }) => {
        item.id = 'rs_1'
      },
      1,
    ),
  ],
  [
    'no output_index where it is 0',
    '15',
    'message',
    everywhere(({ json }) => {
      if (json.output_index === 0) delete json.output_index
    }),
  ],
  [
    'no content_index where it is 0',
    '15',
    'message',
    everywhere(({ json }) => {
      if (json.content_index === 0) delete json.content_index
    }),
  ],
  [
    'no index where it is 0, two items',
    '15',
    'reasoning',
    everywhere(({ json }) => {
      for (const name of ['output_index', 'content_index', 'summary_index']) {
        if (json[name] === 0) delete json[name]
      }
    }),
  ],
  [
    'an output_index that is a string',
    '15',
    'message',
    changed(delta, (json) => {
      json.output_index = '0'
    }),
  ],
  [
    'no annotation_index',
    '15',
    'file-search',
    changed('response.output_text.annotation.added', (json) => {
      delete json.annotation_index
    }),
  ],
  [
    'no output_index in one delta',
    '15',
    'minimal',
    changed(delta, (json) => {
      delete json.output_index
    }),
  ],
  [
    'content_index runs on from item to item',
    '16',
    'reasoning',
    everywhere(({ json }) => {
      if (json.output_index === 1 && json.content_index === 0) json.content_index = 1
    }),
  ],
  [
    'content_index runs on, five events',
    '16',
    'minimal-reasoning',
    everywhere(({ json }) => {
      if (json.output_index === 1 && json.content_index === 0) json.content_index = 1
    }),
  ],
  [
    'content_index from 1',
    '16',
    'message',
    everywhere(({ json }) => {
      if (json.content_index === 0) json.content_index = 1
    }),
  ],
  [
    'content_index counts the deltas',
    '16',
    'message',
    (events) => {
      events
        .filter(({ event }) => event === delta)
        .forEach((event, at) => {
          event.json.content_index = at
        })
      return undefined
    },
  ],
  [
    'summary_index from 1',
    '16',
    'reasoning',
    everywhere(({ json }) => {
      if (json.summary_index === 0) json.summary_index = 1
    }),
  ],

  // Texts
  ['the last delta is missing', '17', 'message', without(delta, 3)],
  ['a delta is sent twice', '17', 'message', after(delta, (event) => event, 1)],
  ['the deltas are out of order', '17', 'message', swapped([delta, 1], [delta, 2])],
  ['no deltas at all', '17', 'message', (events) => events.filter(({ event }) => event !== delta)],
  [
    'a character became U+FFFD in a delta',
    '17',
    'message',
    changed(
      delta,
      (json) => {
        json.delta = json.delta.replace('ü', '\ufffd')
      },
      1,
    ),
  ],
  [
    'only the final text is another',
    '17',
    'message',
    inFinal((response) => {
      response.output[0].content[0].text = 'other'
    }),
  ],
  [
    'the final response lost its message',
    '17',
    'message',
    inFinal((response) => {
      response.output = []
    }),
  ],
  ['the last delta is missing, five events', '17', 'minimal', without(delta, 1)],
  [
    'created and completed alone',
    '17',
    'message',
    (events) => events.filter(({ event }) => event === 'response.created' || event === completed),
  ],
  [
    'the last delta is missing, and output_text.done is another again',
    '17 18',
    'message',
    (events) => {
      the(events, textDone).json.text = 'other'
      return without(delta, 3)(events)
    },
  ],
  [
    'only output_text.done is another',
    '18',
    'message',
    changed(textDone, (json) => {
      json.text = 'other'
    }),
  ],
  [
    'only content_part.done is another',
    '18',
    'message',
    changed(partDone, ({ part }) => {
      part.text = 'other'
    }),
  ],
  [
    'only output_item.done is another',
    '18',
    'message',
    changed(done, ({ item }) => {
      item.content[0].text = 'other'
    }),
  ],
  [
    'output_item.done has no content',
    '18',
    'message',
    changed(done, ({ item }) => {
      item.content = []
    }),
  ],
  [
    'a delta of one item goes to the other',
    '17',
    'two-items',
    (events) => {
      const { json } = the(events, delta, 1)
      Object.assign(json, { item_id: 'msg_b', output_index: 1 })
      return undefined
    },
  ],
  ['a refusal delta is missing', '18', 'refusal', without('response.refusal.delta')],
  [
    'only the final refusal is another',
    '18',
    'refusal',
    inFinal((response) => {
      response.output[0].content[0].refusal = 'other'
    }),
  ],
  ['a reasoning delta is missing', '18', 'reasoning', without('response.reasoning_text.delta')],
  [
    'a summary delta is missing',
    '18',
    'reasoning',
    changed('response.reasoning_summary_text.delta', (json) => {
      json.delta = 'other'
    }),
  ],
  [
    'an argument delta is missing',
    '18',
    'function-call',
    without('response.function_call_arguments.delta', 1),
  ],
  [
    'only arguments.done is another',
    '18',
    'function-call',
    changed('response.function_call_arguments.done', (json) => {
      json.arguments = '{}'
    }),
  ],
  [
    'only the final arguments are others',
    '18',
    'function-call',
    inFinal((response) => {
      response.output[0].arguments = '{}'
    }),
  ],
  [
    'arguments cut in the done item',
    '18',
    'function-call',
    changed(done, ({ item }) => {
      item.arguments = '{"zone":'
    }),
  ],
  [
    'the final items are in another order',
    '19',
    'reasoning',
    inFinal((response) => {
      response.output.reverse()
    }),
  ],
  [
    'an item of the stream is not in the final response',
    '19',
    'reasoning',
    inFinal((response) => {
      response.output.shift()
    }),
  ],
  [
    'an item of the final response was not in the stream',
    '19',
    'message',
    inFinal((response) => {
      response.output.unshift({ id: 'rs_x', type: 'reasoning', summary: [] })
    }),
  ],
  [
    'another item id in the final response',
    '19',
    'message',
    inFinal((response) => {
      response.output[0].id = 'msg_other'
    }),
  ],
  [
    'another name of the function in the final response',
    '19',
    'function-call',
    inFinal((response) => {
      response.output[0].name = 'get_date'
    }),
  ],
  [
    'another call_id in the final response',
    '19',
    'function-call',
    inFinal((response) => {
      response.output[0].call_id = 'call_other'
    }),
  ],
  [
    'added as completed',
    '20',
    'message',
    changed(added, ({ item }) => {
      item.status = 'completed'
    }),
  ],
  [
    'done in_progress',
    '20',
    'message',
    changed(done, ({ item }) => {
      item.status = 'in_progress'
    }),
  ],
  [
    'an item in_progress in a completed response',
    '20',
    'message',
    inFinal((response) => {
      response.output[0].status = 'in_progress'
    }),
  ],
  [
    'an incomplete item in a completed response',
    '20',
    'message',
    inFinal((response) => {
      response.output[0].status = 'incomplete'
    }),
  ],

  // Usage, arguments, reasoning, deltas, annotations
  [
    'a total that is off by one',
    '22',
    'message',
    inFinal(({ usage }) => {
      usage.total_tokens += 1
    }),
  ],
  [
    'more cached than input tokens',
    '22',
    'message',
    inFinal(({ usage }) => {
      usage.input_tokens_details.cached_tokens = 10
    }),
  ],
  [
    'more reasoning than output tokens',
    '22',
    'reasoning',
    inFinal(({ usage }) => {
      usage.output_tokens_details.reasoning_tokens = 21
    }),
  ],
  [
    'a count that is a string',
    '22',
    'message',
    inFinal(({ usage }) => {
      usage.total_tokens = '16'
    }),
  ],
  [
    'more output tokens than max_tokens',
    'V3-GEN-10',
    'incomplete',
    changed('response.incomplete', ({ response }) => {
      response.usage = { input_tokens: 6, output_tokens: 3, total_tokens: 9 }
    }),
  ],
  [
    'arguments that are no JSON',
    '23',
    'function-call',
    (events) => {
      const text = '{"zone":"UTC"'
      the(events, 'response.function_call_arguments.delta', 1).json.delta = '"UTC"'
      the(events, 'response.function_call_arguments.done').json.arguments = text
      the(events, done).json.item.arguments = text
      the(events, completed).json.response.output[0].arguments = text
      return undefined
    },
  ],
  [
    'a delta that is a number',
    '25',
    'message',
    changed(
      delta,
      (json) => {
        json.delta = 7
      },
      1,
    ),
  ],
  [
    'a delta that is null',
    '25',
    'message',
    changed(delta, (json) => {
      json.delta = null
    }),
  ],
  [
    'a delta that is an object',
    '25',
    'message',
    changed(
      delta,
      (json) => {
        json.delta = { text: json.delta }
      },
      1,
    ),
  ],
  [
    'no delta in a delta',
    '25',
    'minimal',
    changed(delta, (json) => {
      delete json.delta
    }),
  ],
  [
    'a reasoning delta that is an array',
    '25',
    'reasoning',
    changed('response.reasoning_text.delta', (json) => {
      json.delta = [json.delta]
    }),
  ],
  [
    'a surrogate pair in two deltas',
    '27',
    'message',
    (events) => {
      the(events, delta, 2).json.delta = ' aus 東京 \ud83d'
      the(events, delta, 3).json.delta = '\uddfc!'
      return undefined
    },
  ],
  [
    'an annotation behind the text',
    '28',
    'file-search',
    everywhere(({ json }) => {
      for (const annotation of [
        json.annotation,
        json.part?.annotations?.[0],
        json.item?.content?.[0]?.annotations?.[0],
        json.response?.output[1]?.content[0].annotations[0],
      ]) {
        if (annotation !== undefined) annotation.index = 99
      }
    }),
  ],
  [
    'content_part.done without the annotation',
    '28',
    'file-search',
    changed(partDone, ({ part }) => {
      part.annotations = []
    }),
  ],
  [
    'the final response without the annotation',
    '28',
    'file-search',
    inFinal((response) => {
      response.output[1].content[0].annotations = []
    }),
  ],
  [
    'annotations under a misspelt name',
    '28',
    'file-search',
    everywhere((event) => {
      if (event.event === 'response.output_text.annotation.added') {
        event.event = 'response.output_text_annotation.added'
        event.json.type = event.event
      }
    }),
  ],
  [
    'the stream ends on reasoning',
    'V3-GEN-02',
    'reasoning',
    (events) => {
      the(events, completed).json.response.output.pop()
      return events.filter(({ json }) => json.output_index !== 1)
    },
  ],
  [
    'items without a type',
    'V3-GEN-02',
    'function-call',
    everywhere(({ json }) => {
      delete json.item?.type
      for (const item of json.response?.output ?? []) delete item.type
    }),
  ],
]

describe('one fault in a golden stream', () => {
  test.each(faults)('%s breaks %s', (fault, rows, base, edit) => {
    const body = fault === 'data that is no object' ? notJson(base) : edited(base, edit)
    expect(red(brokenIn(transcriptExchange(base, { body })))).toEqual(expected(rows))
  })

  test('a sequence_number that stands still, or starts again, breaks 07', () => {
    const still = edited(
      'message',
      everywhere(({ json }) => {
        json.sequence_number = 1
      }),
      { raw: true },
    )
    const again = edited(
      'message',
      changed(done, (json) => {
        json.sequence_number = 0
      }),
      { raw: true },
    )
    expect(red(brokenIn(transcriptExchange('message', { body: still })))).toEqual(['V3-SSE-07'])
    expect(red(brokenIn(transcriptExchange('message', { body: again })))).toEqual(['V3-SSE-07'])
  })

  test('reasoning without think breaks 24', () => {
    const { request } = { request: { stream: true, input: 'Hello.' } }
    expect(red(brokenIn(transcriptExchange('reasoning', { request })))).toEqual(['V3-SSE-24'])
    expect(red(brokenIn(transcriptExchange('minimal-reasoning', { request })))).toEqual([
      'V3-SSE-24',
    ])
  })

  test('reasoning repeated in the answer breaks V3-THINK-02', () => {
    const thought = 'Seven times six: seven times five is 35, and seven more.'
    const body = edited(
      'reasoning',
      everywhere(({ event, json }) => {
        if (event === delta && json.delta === 'It is ') json.delta = `${thought} It is `
        for (const holder of [
          json,
          json.part,
          json.item?.content?.[0],
          json.response?.output[1]?.content[0],
        ]) {
          if (holder?.text === 'It is 42.') holder.text = `${thought} It is 42.`
        }
      }),
    )
    expect(red(brokenIn(transcriptExchange('reasoning', { body })))).toEqual(['V3-THINK-02'])
  })
})

describe('bytes', () => {
  const cases: readonly (readonly [string, string, (body: string) => Partial<ExchangeParts>])[] = [
    ['Latin-1', '26', (body) => ({ body: latin1(body) })],
    ['a body that ends in its last block', '08', (body) => ({ body: body.trimEnd() })],
    [
      'a body that ends inside a character',
      '08',
      (body) => ({ body: encode(body).subarray(0, encode(body).indexOf(0xc3) + 1) }),
    ],
    ['a body that ends without the last empty line', '08', (body) => ({ body: body.slice(0, -1) })],
    ['half a block after the end', '08', (body) => ({ body: `${body}event: response.output` })],
    ['an empty body', '08', () => ({ body: '' })],
    [
      'a cut inside the stream',
      '08',
      (body) => ({ body: body.slice(0, 1500), ending: { kind: 'cut', atMs: 1, error: 'reset' } }),
    ],
    [
      'a cut after the terminal event',
      '08',
      (body) => ({ body, ending: { kind: 'cut', atMs: 1, error: 'reset' } }),
    ],
    [
      'we left',
      '',
      (body) => ({ body: body.slice(0, 1500), ending: { kind: 'aborted', atMs: 1 } }),
    ],
    [
      'we ran out of time',
      '',
      (body) => ({ body: body.slice(0, 1500), ending: { kind: 'timeout', atMs: 1 } }),
    ],
    ['an unclosed [DONE] at the end', '29', (body) => ({ body: `${body}data: [DONE]\n` })],
    ['two [DONE]', '29', (body) => ({ body: `${body}data: [DONE]\n\ndata: [DONE]\n\n` })],
    [
      'two event: lines',
      '02',
      (body) => ({ body: body.replace('event: response.output_text.done', '$&\n$&') }),
    ],
    [
      'an event without data',
      '02',
      (body) => ({ body: body.replace('event: response.output_text.done', 'event: ping\n\n$&') }),
    ],
    [
      'field names in capitals',
      '02',
      (body) => ({
        body: body.replace('event: response.output_text.done', 'Event: response.output_text.done'),
      }),
    ],
    [
      'half of the JSON of completed',
      '02',
      (body) => ({ body: body.replace(/\{"type":"response.completed"/, '$&,,') }),
    ],
    [
      'JSON that is cut, without a name',
      '02',
      (body) => ({ body: body.replace('event: response.completed\ndata: {', 'data: ') }),
    ],
    ['plain text as media type', '01', () => ({ type: 'text/plain' })],
    ['JSON in the place of the stream', '01', () => ({ type: 'application/json', body: '{}' })],
    ['201 for a stream', '01', () => ({ status: 201 })],
  ]

  test.each(cases)('%s: %s', (_, rows, change) => {
    const body = edited('message', () => undefined)
    expect(red(brokenIn(transcriptExchange('message', change(body))))).toEqual(expected(rows))
  })

  test('a repeat may be answered by a short replay, or in another form', () => {
    const labels = { repeatOf: 'x0' }
    expect(brokenIn(transcriptExchange('replay', { labels }))).toEqual({})
    expect(
      brokenIn(
        transcriptExchange('message', {
          labels,
          type: 'application/json',
          body: '{"repeat":true}',
        }),
      ),
    ).toEqual({})
    expect(red(brokenIn(transcriptExchange('replay')))).toEqual(['V3-SSE-17'])
  })

  test('what is no success, or was to be refused, is not judged', () => {
    expect(brokenIn(transcriptExchange('message', { status: 500, body: '' }))).toEqual({})
    expect(
      brokenIn(transcriptExchange('message', { labels: { role: 'negative' }, body: '' })),
    ).toEqual({})
    expect(
      brokenIn({ ...transcriptExchange('message'), response: null, ending: complete }),
    ).toEqual({})
  })
})

function red(broken: Record<string, string>): string[] {
  return Object.keys(broken).sort()
}

function expected(rows: string): string[] {
  return rows === ''
    ? []
    : rows.split(' ').map((row) => (row.startsWith('V3') ? row : `V3-SSE-${row}`))
}

function notJson(base: TranscriptName): string {
  return edited(base, () => undefined).replace(/data: .*Grüße",.*/, 'data: Grüße')
}

function latin1(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => {
    const code = character.charCodeAt(0)
    return code < 256 ? code : 63
  })
}
