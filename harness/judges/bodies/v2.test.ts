import { describe } from 'vitest'
import { type BodyFault, type BodyOddity, set, testBodies } from '../test-support/bodies.ts'

const faults: readonly BodyFault[] = [
  ['an id that is no UUID', 'V2-MSG-02', 'message', set('id', 'm-1')],
  [
    'the id of another chat',
    'V2-MSG-03',
    'message',
    set('chat_id', '5b0f4f0a-9d5e-4c8a-8d7e-1f2a3b4c5d6e'),
  ],
  ['no model_id', 'V2-MSG-04', 'message', set('model_id', undefined)],
  ['the role assistant', 'V2-MSG-05', 'message', set('role', 'assistant')],
  ['trimmed content', 'V2-MSG-06', 'message', set('content', 'H')],
  ['content as parts', 'V2-MSG-06', 'message', set('content', ['Hi'])],
  ['a time without a zone', 'V2-MSG-07', 'message', set('created_at', '2026-01-01T10:00:00')],
  [
    'a time of another zone',
    'V2-MSG-07',
    'message',
    set('created_at', '2026-01-01T10:00:00+02:00'),
  ],
  ['a time as a number', 'V2-MSG-07', 'message', set('created_at', 1760000000)],
  ['a time that is none', 'V2-MSG-07', 'message', set('created_at', '2026-13-41T10:00:00Z')],
  ['day 400 of a year', 'V2-MSG-07', 'message', set('created_at', '2026-400T10:00:00Z')],
  ['day 8 of a week', 'V2-MSG-07', 'message', set('created_at', '2026-W01-8T10:00:00Z')],
  ['an array', 'V2-MSG-01', 'message', (b) => [b]],
  ['a message in a member', 'V2-MSG-01', 'message', (b) => ({ data: b })],
  ['no message', 'V2-GEN-01', 'v2Generation', (b) => b.message],
  ['content that is no string', 'V2-GEN-01', 'v2Generation', set('message.content', null)],
  ['an array', 'V2-GEN-01', 'v2Generation', (b) => [b]],
]

const legal: readonly BodyOddity[] = [
  ['UTC by offset', 'message', set('created_at', '2026-01-01T10:00:00.123456+00:00')],
  ['UTC in the basic form', 'message', set('created_at', '20260101T100000Z')],
  ['a week date', 'message', set('created_at', '2026-W01-4T10:00:00Z')],
  ['a week date in the basic form', 'message', set('created_at', '2026W014T100000+00')],
  ['a day of the year', 'message', set('created_at', '2026-001T10:00:00Z')],
  ['a decimal minute', 'message', set('created_at', '2026-01-01T10:00,5Z')],
]

describe('JSON answers of v2', () => testBodies(faults, legal))
