import { describe } from 'vitest'
import { changed, type Fault, inFinal, names, testFaults } from '../test-support/chunks.ts'

const { added, done } = names

const faults: readonly Fault[] = [
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
]

describe('the items of the final response', () => testFaults(faults))
