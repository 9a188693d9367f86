import { describe, expect, test } from 'vitest'
import { judge } from '../judge.ts'
import { set } from '../test-support/bodies.ts'
import {
  changed,
  edited,
  everywhere,
  expectBroken,
  type Faults,
  names,
  testFaults,
  the,
} from '../test-support/chunks.ts'
import {
  brokenIn,
  complete,
  type ExchangeParts,
  encode,
  heldIds,
  transcriptExchange,
} from '../test-support/exchanges.ts'

const { delta, textDone } = names

const faults: Faults = {
  'message 02': {
    'an event without an event: line': (events) => {
      the(events, delta).event = null
      return undefined
    },
  },
  'message 03': {
    'another type than the event': changed(delta, set('type', 'response.text.delta')),
    'another name than the type': everywhere(set('event', 'message')),
  },
  'message 04': {
    'no type in one event': changed(textDone, set('type', undefined)),
    'no type at all': everywhere(set('json.type', undefined)),
  },
  'message 06': {
    'no sequence_number': everywhere(set('json.sequence_number', undefined)),
    'a sequence_number that is a string': changed(delta, set('sequence_number', '4')),
  },
}

describe('framing and numbers', () => testFaults(faults))

describe('sequence_number', () => {
  test('that stands still, or starts again, breaks 07', () => {
    const still = everywhere(set('json.sequence_number', 1))
    const again = changed('response.output_item.done', set('sequence_number', 0))
    expectBroken('message', { body: edited('message', still, { raw: true }) }, '07')
    expectBroken('message', { body: edited('message', again, { raw: true }) }, '07')
  })
})

test('data without any type keeps 03: a type that is present equals the name', () => {
  const withoutType = everywhere(set('json.type', undefined))
  const exchange = transcriptExchange('message', { body: edited('message', withoutType) })
  expect(heldIds(judge(exchange))).toContain('V3-SSE-03')
})

type Change = (body: string) => Partial<ExchangeParts>

const cut = { kind: 'cut', atMs: 1, error: 'reset' } as const

const bodies: readonly (readonly [string, string, Change])[] = [
  ['Latin-1', '26', (body) => ({ body: latin1(body) })],
  ['a body that ends in its last block', '08', (body) => ({ body: body.trimEnd() })],
  ['a body that ends inside a character', '08', (body) => ({ body: insideCharacter(body) })],
  ['a body without the last empty line', '08', (body) => ({ body: body.slice(0, -1) })],
  ['half a block after the end', '08', (body) => ({ body: `${body}event: response.output` })],
  ['an empty body', '08', () => ({ body: '' })],
  ['a cut inside the stream', '08', (body) => ({ body: body.slice(0, 1500), ending: cut })],
  ['a cut after the terminal event', '08', (body) => ({ body, ending: cut })],
  ['we left', '', (body) => ({ body: body.slice(0, 1500), ending: { kind: 'aborted', atMs: 1 } })],
  [
    'we ran out of time',
    '',
    (body) => ({ body: body.slice(0, 1500), ending: { kind: 'timeout', atMs: 1 } }),
  ],
  ['an unclosed [DONE] at the end', '29', (body) => ({ body: `${body}data: [DONE]\n` })],
  ['two [DONE]', '29', (body) => ({ body: `${body}data: [DONE]\n\ndata: [DONE]\n\n` })],
  ['a comment at the end', '', (body) => ({ body: `${body}: bye` })],
  ['a byte order mark', '', (body) => ({ body: `\ufeff${body}` })],
  ['two event: lines', '02', inserted('event: response.output_text.done\n')],
  ['an event without data', '02', inserted('event: ping\n\n')],
  ['data that is no object', '02', inserted('event: ping\ndata: 7\n\n')],
  ['data that is no JSON', '02', inserted('event: ping\ndata: pong\n\n')],
  ['an event: field in capitals', '02', replaced('event: response.output_text.done', 'Event: x')],
  ['JSON of completed that is broken', '02', replaced('{"type":"response.completed"', '{{')],
  ['JSON of a delta that is broken', '02', replaced('{"type":"response.output_text.delta"', '{{')],
  ['broken JSON without a name', '02', replaced('event: response.completed\ndata: {', 'data: ')],
  ['a lone id: and retry:', '', inserted('retry: 5\n\nid: 4\n\n')],
  ['plain text as media type', '01', () => ({ type: 'text/plain' })],
  ['JSON in the place of the stream', '01', () => ({ type: 'application/json', body: '{}' })],
  ['201 for a stream', '01', () => ({ status: 201 })],
]

describe('bytes', () => {
  test.each(bodies)('%s: %s', (_, rows, change) => {
    expectBroken('message', change(edited('message', () => undefined)), rows)
  })
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

function latin1(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => {
    const code = character.charCodeAt(0)
    return code < 256 ? code : 63
  })
}
