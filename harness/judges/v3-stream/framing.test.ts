import { describe, expect, test } from 'vitest'
import { judge } from '../judge.ts'
import { changed, edited, the } from '../test-support/edit.ts'
import { heldRows, transcriptExchange } from '../test-support/exchanges.ts'
import { everywhere, expectBroken, type Fault, names, testFaults } from '../test-support/faults.ts'

const { delta, textDone } = names

const faults: readonly Fault[] = [
  [
    'an event without an event: line',
    '02',
    'message',
    (events) => {
      the(events, delta).event = null
      return undefined
    },
  ],
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
]

describe('framing and numbers', () => testFaults(faults))

describe('sequence_number', () => {
  test('that stands still, or starts again, breaks 07', () => {
    const still = everywhere(({ json }) => {
      json.sequence_number = 1
    })
    const again = changed('response.output_item.done', (json) => {
      json.sequence_number = 0
    })
    expectBroken('message', { body: edited('message', still, { raw: true }) }, '07')
    expectBroken('message', { body: edited('message', again, { raw: true }) }, '07')
  })
})

test('data without any type keeps 03: a type that is present equals the name', () => {
  const withoutType = everywhere(({ json }) => {
    delete json.type
  })
  const exchange = transcriptExchange('message', { body: edited('message', withoutType) })
  expect(heldRows(judge(exchange))).toContain('V3-SSE-03')
})
