import { expect, test } from 'vitest'
import type { Ending } from '../../contract/index.ts'
import { eventsOf, exchangeOf } from '../test-support/exchanges.ts'
import { endingText, streamTimeline } from './timeline.ts'

const plain = { color: false, width: 80, offending: null }

test('events stand at their times, shortened to the width, with the end of the stream', () => {
  const events = eventsOf(
    ['response.created', { response: { id: 'resp_1' } }],
    ['response.output_text.delta', { delta: '\u001b[2J', long: 'a'.repeat(80) }],
  )
  const lines = streamTimeline(exchangeOf({ events }), { ...plain, offending: 1 })
  expect(lines.join('\n')).toMatchInlineSnapshot(`
    "     +10.0 ms  event: response.created  {"response":{"id":"resp_1"}}
    >    +11.0 ms  event: response.output_text.delta  {"delta":"\\u001b[2J","long":"…
         +12.3 ms  end of the body"
  `)
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80)
})

test('a long stream is folded around the offending event', () => {
  const deltas = Array.from(
    { length: 40 },
    (_, at) => ['response.output_text.delta', { delta: `w${at}` }] as const,
  )
  const events = eventsOf(
    ['response.created', {}],
    ...deltas,
    ['response.output_text.done', {}],
    ['response.completed', {}],
  )
  expect(
    streamTimeline(exchangeOf({ events }), { ...plain, offending: 20 }).join('\n'),
  ).toMatchInlineSnapshot(`
    "     +10.0 ms  event: response.created  {}
         +11.0 ms  event: response.output_text.delta  {"delta":"w0"}
         +12.0 ms  event: response.output_text.delta  {"delta":"w1"}
                   … 14 more events: response.output_text.delta ×14
         +27.0 ms  event: response.output_text.delta  {"delta":"w16"}
         +28.0 ms  event: response.output_text.delta  {"delta":"w17"}
         +29.0 ms  event: response.output_text.delta  {"delta":"w18"}
    >    +30.0 ms  event: response.output_text.delta  {"delta":"w19"}
         +31.0 ms  event: response.output_text.delta  {"delta":"w20"}
         +32.0 ms  event: response.output_text.delta  {"delta":"w21"}
         +33.0 ms  event: response.output_text.delta  {"delta":"w22"}
                   … 16 more events: response.output_text.delta ×16
         +50.0 ms  event: response.output_text.delta  {"delta":"w39"}
         +51.0 ms  event: response.output_text.done  {}
         +52.0 ms  event: response.completed  {}
         +12.3 ms  end of the body"
  `)
})

test('blocks without an event name, as on the compatible surface', () => {
  const events = [{ atMs: 1, name: null, data: '[DONE]' }]
  expect(streamTimeline(exchangeOf({ events }), plain)).toMatchInlineSnapshot(`
    [
      "      +1.0 ms  data: [DONE]",
      "     +12.3 ms  end of the body",
    ]
  `)
})

test('how a conversation ended', () => {
  const endings: readonly Ending[] = [
    { kind: 'complete', atMs: 1 },
    { kind: 'cut', atMs: 1, error: 'other side \u001bclosed' },
    { kind: 'aborted', atMs: 1 },
    { kind: 'timeout', atMs: 1 },
    { kind: 'unreachable', atMs: 1, code: 'ECONNREFUSED', error: 'connect refused' },
  ]
  expect(endings.map(endingText)).toMatchInlineSnapshot(`
    [
      "end of the body",
      "cut off by the target: other side \\x1bclosed",
      "aborted by the client on purpose",
      "timed out: no data within the time limit",
      "no response: connect refused (ECONNREFUSED)",
    ]
  `)
})
