import { describe } from 'vitest'
import { set } from '../test-support/bodies.ts'
import {
  after,
  changed,
  everywhere,
  type Fault,
  inFinal,
  names,
  swapped,
  testFaults,
  without,
} from '../test-support/chunks.ts'

const { completed, delta, textDone } = names

const endings: readonly Fault[] = [
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
  ['completed without a response', '09', 'message', changed(completed, set('response', undefined))],
  [
    'the response beside, not below, response',
    '09',
    'message',
    changed(completed, (json) => {
      Object.assign(json, json.response, { type: completed })
      delete json.response
    }),
  ],
  ['a final response without output', '09', 'message', inFinal(set('output', undefined))],
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
]

describe('beginning and end', () => testFaults(endings))

const snapshots: readonly Fault[] = [
  ['another response id at the end', '10', 'message', inFinal(set('id', 'resp_other'))],
  [
    'another response id in between',
    '10',
    'message',
    changed('response.in_progress', set('response.id', 'resp_other')),
  ],
  [
    'created_at moves on',
    '11',
    'message',
    inFinal((response) => {
      response.created_at += 1
    }),
  ],
  ['another model at the end', '11', 'message', inFinal(set('model', 'svc-other'))],
  ['in_progress in a completed event', '21', 'message', inFinal(set('status', 'in_progress'))],
  [
    'completed in a created event',
    '21',
    'message',
    changed('response.created', set('response.status', 'completed')),
  ],
  [
    'an error in a completed response',
    '21',
    'message',
    inFinal(set('error', { code: 'server_error', message: 'x' })),
  ],
  [
    'incomplete_details in a completed response',
    '21',
    'message',
    inFinal(set('incomplete_details', { reason: 'max_output_tokens' })),
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
]

describe('the response in lifecycle events', () => testFaults(snapshots))
