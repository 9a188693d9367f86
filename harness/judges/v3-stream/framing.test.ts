import { describe, expect, test } from 'vitest'
import { judge } from '../judge.ts'
import { set } from '../test-support/bodies.ts'
import { edited, everywhere, expectBroken } from '../test-support/chunks.ts'
import {
  brokenIn,
  complete,
  type ExchangeParts,
  encode,
  heldIds,
  transcriptExchange,
} from '../test-support/exchanges.ts'

test('data without any type keeps 03: a type that is present equals the name', () => {
  const withoutType = everywhere(set('json.type', undefined))
  const exchange = transcriptExchange('message', { body: edited('message', withoutType) })
  expect(heldIds(judge(exchange))).toContain('V3-SSE-03')
})

type Change = (body: string) => Partial<ExchangeParts>

const cut = { kind: 'cut', atMs: 1, error: 'reset' } as const

const bodies: readonly (readonly [string, string, Change])[] = [
  ['a body that ends inside a character', '08', (body) => ({ body: insideCharacter(body) })],
  ['half a block after the end', '08', (body) => ({ body: `${body}event: response.output` })],
  ['an empty body', '08', () => ({ body: '' })],
  ['a cut inside the stream', '08', (body) => ({ body: body.slice(0, 1500), ending: cut })],
  ['we left', '', (body) => ({ body: body.slice(0, 1500), ending: { kind: 'aborted', atMs: 1 } })],
  [
    'we ran out of time',
    '',
    (body) => ({ body: body.slice(0, 1500), ending: { kind: 'timeout', atMs: 1 } }),
  ],
  ['an unclosed [DONE] at the end', '29', (body) => ({ body: `${body}data: [DONE]\n` })],
  ['a comment at the end', '', (body) => ({ body: `${body}: bye` })],
  ['two event: lines', '02', inserted('event: response.output_text.done\n')],
  ['data that is no object', '02', inserted('event: ping\ndata: 7\n\n')],
  ['data that is no JSON', '02', inserted('event: ping\ndata: pong\n\n')],
  ['an event: field in capitals', '02', replaced('event: response.output_text.done', 'Event: x')],
  ['JSON of completed that is broken', '02', replaced('{"type":"response.completed"', '{{')],
  ['JSON of a delta that is broken', '02', replaced('{"type":"response.output_text.delta"', '{{')],
  ['broken JSON without a name', '02', replaced('event: response.completed\ndata: {', 'data: ')],
  ['plain text as media type', '01', () => ({ type: 'text/plain' })],
  ['JSON in the place of the stream', '01', () => ({ type: 'application/json', body: '{}' })],
]

test.each(bodies)('bytes: %s: %s', (_, rows, change) => {
  expectBroken('message', change(edited('message', () => undefined)), rows)
})

test('a byte that is no UTF-8 in the name of the last event is one fault', () => {
  const bytes = encode(edited('message', () => undefined))
  const at = Buffer.from(bytes).lastIndexOf('event: response.completed')
  expectBroken('message', { body: bytes.with(at + 'event: re'.length, 0xff) }, '26')
})

describe('exchanges that show less', () => {
  test('a repeat may be answered by a short replay, or in another form', () => {
    const labels = { repeatOf: 'x0' }
    const note = { type: 'application/json', body: '{"repeat":true}' }
    expectBroken('replay', { labels }, '')
    expectBroken('message', { labels, ...note }, '')
    expectBroken('replay', {}, '17')
  })

  test('what is no success, or was to be refused, is not judged', () => {
    expectBroken('message', { status: 500, body: '' }, '')
    expectBroken('message', { labels: { role: 'negative' }, body: '' }, '')
    const unanswered = { ...transcriptExchange('message'), response: null, ending: complete }
    expect(brokenIn(unanswered)).toEqual({})
  })

  test('without a stream member in the request the form is open', () => {
    expectBroken('message', { request: { input: 'Hello.' } }, '')
    expectBroken('message', { request: { input: 'Hello.', stream: false } }, 'V3-GEN-01')
  })

  test('the media type of a one-shot has a requirement of its own', () => {
    const oneShot = { operation: 'v3.oneShot', type: 'text/plain' } as const
    expectBroken('message', oneShot, 'V3-ONE-02')
  })
})

function inserted(lines: string): Change {
  return replaced('event: response.output_text.done', `${lines}event: response.output_text.done`)
}

function replaced(text: string, by: string): Change {
  return (body) => ({ body: body.replace(text, by) })
}

function insideCharacter(body: string): Uint8Array {
  const bytes = encode(body)
  return bytes.subarray(0, bytes.indexOf(0xc3) + 1)
}
