import { describe, test } from 'vitest'
import { set } from '../test-support/bodies.ts'
import {
  changed,
  edited,
  everywhere,
  expectBroken,
  type Fault,
  inFinal,
  names,
  testFaults,
  the,
} from '../test-support/chunks.ts'

const outputs: readonly Fault[] = [
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
    inFinal(set('output[0].id', 'msg_other')),
  ],
  [
    'another name of the function in the final response',
    '19',
    'function-call',
    inFinal(set('output[0].name', 'get_date')),
  ],
  [
    'another call_id in the final response',
    '19',
    'function-call',
    inFinal(set('output[0].call_id', 'call_other')),
  ],
  [
    'an item that is added as completed',
    '20',
    'message',
    changed(names.added, set('item.status', 'completed')),
  ],
  [
    'an item that is done in_progress',
    '20',
    'message',
    changed(names.done, set('item.status', 'in_progress')),
  ],
  [
    'an item in_progress in a completed response',
    '20',
    'message',
    inFinal(set('output[0].status', 'in_progress')),
  ],
  [
    'an incomplete item in a completed response',
    '20',
    'message',
    inFinal(set('output[0].status', 'incomplete')),
  ],
]

describe('the items of the final response', () => testFaults(outputs))

const { completed, delta, done, partDone } = names

const values: readonly Fault[] = [
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
    inFinal(set('usage.input_tokens_details.cached_tokens', 10)),
  ],
  [
    'more reasoning than output tokens',
    '22',
    'reasoning',
    inFinal(set('usage.output_tokens_details.reasoning_tokens', 21)),
  ],
  ['a count that is a string', '22', 'message', inFinal(set('usage.total_tokens', '16'))],
  [
    'more output tokens than max_tokens',
    'V3-GEN-10',
    'incomplete',
    changed(
      'response.incomplete',
      set('response.usage', { input_tokens: 6, output_tokens: 3, total_tokens: 9 }),
    ),
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
  ['a delta that is a number', '25', 'message', changed(delta, set('delta', 7), 1)],
  ['a delta that is null', '25', 'message', changed(delta, set('delta', null))],
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
  ['no delta in a delta', '25', 'minimal', changed(delta, set('delta', undefined))],
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
    changed(partDone, set('part.annotations', [])),
  ],
  [
    'the final response without the annotation',
    '28',
    'file-search',
    inFinal(set('output[1].content[0].annotations', [])),
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
