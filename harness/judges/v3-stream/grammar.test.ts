import { describe } from 'vitest'
import { set } from '../test-support/bodies.ts'
import {
  after,
  changed,
  type Fault,
  names,
  swapped,
  testFaults,
  without,
} from '../test-support/chunks.ts'

const { added, delta, done, partAdded, partDone, textDone } = names

const faults: readonly Fault[] = [
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
    changed('response.in_progress', set('response.output', undefined)),
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
  ['a null item', '13', 'message', changed(added, set('item', null))],
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
]

describe('the order of items and parts', () => testFaults(faults))
