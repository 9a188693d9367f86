import { describe } from 'vitest'
import { set } from '../test-support/bodies.ts'
import {
  changed,
  everywhere,
  type Fault,
  names,
  replaceEverywhere,
  testFaults,
} from '../test-support/chunks.ts'

const { added, delta, done, textDone } = names

const faults: readonly Fault[] = [
  ['output_index from 1', '14', 'message', replaceEverywhere('output_index', 0, 1)],
  ['a gap in output_index', '14', 'reasoning', replaceEverywhere('output_index', 1, 2)],
  ['two items at output_index 0', '14', 'reasoning', replaceEverywhere('output_index', 1, 0)],
  [
    'output_index changes before output_text.done',
    '14',
    'message',
    changed(textDone, set('output_index', 1)),
  ],
  ['item_id of another item', '14', 'message', changed(delta, set('item_id', 'msg_other'), 1)],
  ['item_id of the other item', '14', 'two-items', changed(delta, set('item_id', 'msg_a'))],
  [
    'the item gets another id when it is done',
    '14',
    'message',
    changed(done, set('item.id', 'msg_other')),
  ],
  ['two items with one id', '14', 'reasoning', changed(added, set('item.id', 'rs_1'), 1)],
  [
    'no output_index where it is 0',
    '15',
    'message',
    replaceEverywhere('output_index', 0, undefined),
  ],
  [
    'no content_index where it is 0',
    '15',
    'message',
    replaceEverywhere('content_index', 0, undefined),
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
  ['an output_index that is a string', '15', 'message', changed(delta, set('output_index', '0'))],
  [
    'no annotation_index',
    '15',
    'file-search',
    changed('response.output_text.annotation.added', set('annotation_index', undefined)),
  ],
  ['no output_index in one delta', '15', 'minimal', changed(delta, set('output_index', undefined))],
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
  ['content_index from 1', '16', 'message', replaceEverywhere('content_index', 0, 1)],
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
  ['summary_index from 1', '16', 'reasoning', replaceEverywhere('summary_index', 0, 1)],
]

describe('indexes', () => testFaults(faults))
