import { describe } from 'vitest'
import { changed, type Fault, inFinal, testFaults } from '../test-support/chunks.ts'

const faults: readonly Fault[] = [
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
]

describe('the response in lifecycle events', () => testFaults(faults))
