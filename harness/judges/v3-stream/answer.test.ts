import { describe } from 'vitest'
import { set } from '../test-support/bodies.ts'
import {
  after,
  changed,
  type Fault,
  inFinal,
  names,
  swapped,
  testFaults,
  the,
  without,
} from '../test-support/chunks.ts'

const { completed, delta, done, partDone, textDone } = names

const faults: readonly Fault[] = [
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
    inFinal(set('output[0].content[0].text', 'other')),
  ],
  ['the final response lost its message', '17', 'message', inFinal(set('output', []))],
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
  ['only output_text.done is another', '18', 'message', changed(textDone, set('text', 'other'))],
  [
    'only content_part.done is another',
    '18',
    'message',
    changed(partDone, set('part.text', 'other')),
  ],
  [
    'only output_item.done is another',
    '18',
    'message',
    changed(done, set('item.content[0].text', 'other')),
  ],
  ['output_item.done has no content', '18', 'message', changed(done, set('item.content', []))],
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
    inFinal(set('output[0].content[0].refusal', 'other')),
  ],
  ['a reasoning delta is missing', '18', 'reasoning', without('response.reasoning_text.delta')],
  [
    'a summary delta is missing',
    '18',
    'reasoning',
    changed('response.reasoning_summary_text.delta', set('delta', 'other')),
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
    changed('response.function_call_arguments.done', set('arguments', '{}')),
  ],
  [
    'only the final arguments are others',
    '18',
    'function-call',
    inFinal(set('output[0].arguments', '{}')),
  ],
  [
    'arguments cut in the done item',
    '18',
    'function-call',
    changed(done, set('item.arguments', '{"zone":')),
  ],
]

describe('texts', () => testFaults(faults))
