import { describe } from 'vitest'
import { type BodyFault, type BodyOddity, set, testBodies } from '../test-support/bodies.ts'

const faults: readonly BodyFault[] = [
  ['a bare array', 'V3-HIST-01', 'history', (b) => b.result],
  ['no pagination', 'V3-HIST-01', 'history', set('pagination', undefined)],
  ['result as an object', 'V3-HIST-01', 'history', set('result', {})],
  ['items as text', 'V3-HIST-02', 'history', set('result[2].item', 'Hi')],
  ['a row without item', 'V3-HIST-02', 'history', set('result[2].item', undefined)],
  ['another item_type', 'V3-HIST-03', 'history', set('result[0].item_type', 'text')],
  ['no item_type', 'V3-HIST-03', 'history', set('result[0].item_type', undefined)],
  ['another item_status', 'V3-HIST-04', 'history', set('result[1].item_status', 'done')],
  ['no item_status', 'V3-HIST-04', 'history', set('result[1].item_status', undefined)],
  ['input content as text', 'V3-HIST-05', 'history', set('result[0].item.content', 'Hi')],
  ['another input role', 'V3-HIST-05', 'history', set('result[0].item.role', 'tool')],
  ['input without a type', 'V3-HIST-05', 'history', set('result[0].item.type', undefined)],
  [
    'parts without a type',
    'V3-HIST-05',
    'history',
    set('result[0].item.content[0].type', undefined),
  ],
  ['more rows than limit', 'V3-HIST-09', 'history', (b) => void b.result.push({ item: null })],
  ['no cursor', 'V3-HIST-11', 'history', set('pagination.cursor', undefined)],
  ['an empty cursor', 'V3-HIST-11', 'history', set('pagination.cursor', '')],
  ['a cursor that is a number', 'V3-HIST-12', 'history', set('pagination.cursor', 3)],
  ['an array', 'V3-GEN-01', 'response', (b) => [b]],
  ['no output', 'V3-GEN-02', 'response', set('output', undefined)],
  ['no items in a completed response', 'V3-GEN-02', 'response', set('output', [])],
  ['reasoning alone', 'V3-GEN-02', 'response', set('output[0]', { type: 'reasoning' })],
  ['an item without a type', 'V3-GEN-02', 'response', set('output[0].type', undefined)],
  ['a message as text', 'V3-GEN-02', 'response', set('output[0].content', 'Hello!')],
  ['a total off by one', 'V3-GEN-12', 'response', set('usage.total_tokens', 6)],
  [
    'more reasoning than output',
    'V3-GEN-12',
    'response',
    set('usage.output_tokens_details.reasoning_tokens', 3),
  ],
  [
    'more than max_tokens',
    'V3-GEN-10',
    'response',
    (b) => void Object.assign(b.usage, { output_tokens: 5, total_tokens: 8 }),
  ],
]

const legal: readonly BodyOddity[] = [
  ['an empty history', 'history', set('result', [])],
  ['a cursor', 'history', set('pagination.cursor', 'next')],
  ['items without type and status', 'history', set('result[1].item', { id: 'x' })],
  ['no usage', 'response', set('usage', undefined)],
  ['a failed response', 'response', (b) => void Object.assign(b, { status: 'failed', output: [] })],
  ['a call in the place of text', 'response', set('output[0]', { type: 'function_call' })],
]

describe('JSON answers of v3', () => testBodies(faults, legal))
