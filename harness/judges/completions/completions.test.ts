import { describe, expect, test } from 'vitest'
import { judge } from '../index.ts'
import { set } from '../test-support/bodies.ts'
import {
  edited,
  everywhere,
  expectBroken,
  type Fault,
  inChoices,
  inserted,
  nth,
  testFaults,
  withoutNth,
} from '../test-support/chunks.ts'
import {
  type ExchangeParts,
  encode,
  exchangeOf,
  heldRows,
  transcriptExchange,
} from '../test-support/exchanges.ts'

const usage = { prompt_tokens: 5, completion_tokens: 3, total_tokens: 8 }

const faults: readonly Fault[] = [
  ['a block that is a number', '01', 'chat', inserted(2, '7')],
  ['a block that is no JSON', '01', 'chat', inserted(2, 'pong')],
  ['choices that is an object', '01', 'chat', nth(1, set('choices', {}))],
  ['no chunk with choices', '01', 'chat', everywhere(set('json.choices', undefined))],
  ['content that is a number', '03', 'chat', nth(1, set('choices[0].delta.content', 7))],
  [
    'content in parts',
    '03',
    'chat',
    inChoices((choice) => {
      if (choice.delta.content)
        choice.delta.content = [{ type: 'text', text: choice.delta.content }]
    }),
  ],
  ['a delta that is a string', '03', 'chat', nth(1, set('choices[0].delta', 'Grüße'))],
  [
    'the text under another name',
    '04',
    'chat',
    inChoices(({ delta }) => {
      delta.text = delta.content
      delete delta.content
    }),
  ],
  [
    'the text beside the delta',
    '04',
    'chat',
    inChoices((choice) => {
      choice.text = choice.delta.content
      delete choice.delta.content
    }),
  ],
  ['another id', '05', 'chat', nth(2, set('id', 'c-other'))],
  [
    'created moves on',
    '05',
    'chat',
    nth(4, (json) => Object.assign(json, { created: json.created + 1 })),
  ],
  ['another model', '05', 'chat', nth(4, set('model', 'other'))],
  [
    'the object of an unstreamed answer',
    '05',
    'chat',
    everywhere(({ json }) => {
      if (typeof json === 'object') json.object = 'chat.completion'
    }),
  ],
  ['no role', '06', 'chat', nth(0, set('choices[0].delta.role', undefined))],
  ['the role of the user', '06', 'chat', nth(0, set('choices[0].delta.role', 'user'))],
  ['another role later', '06', 'chat', nth(1, set('choices[0].delta.role', 'tool'))],
  ['no finish_reason', '07', 'chat', nth(4, set('choices[0].finish_reason', null))],
  ['two finish_reasons', '07', 'chat', nth(3, set('choices[0].finish_reason', 'stop'))],
  ['text after the finish_reason', '07', 'chat', nth(1, set('choices[0].finish_reason', 'stop'))],
  ['a finish_reason that is true', '07', 'chat', nth(4, set('choices[0].finish_reason', true))],
  ['usage that nobody asked for', '08', 'chat', nth(4, (json) => Object.assign(json, { usage }))],
  ['no usage chunk', '08', 'chat-usage', withoutNth(3)],
  [
    'two usage chunks',
    '08',
    'chat-usage',
    (events) => {
      const copy = events[3]
      return copy && events.toSpliced(3, 0, copy)
    },
  ],
  [
    'usage with choices',
    '08',
    'chat-usage',
    (events) => {
      Object.assign(events[2]?.json, { usage })
      return events.toSpliced(3, 1)
    },
  ],
  [
    'usage before the last choice',
    '08',
    'chat-usage',
    (events) => {
      const [last] = events.splice(2, 1)
      return last && events.toSpliced(3, 0, last)
    },
  ],
  ['no [DONE]', '09', 'chat', withoutNth(5)],
  ['two [DONE]', '09', 'chat', inserted(5, '[DONE]')],
  ['[DONE] before the end', '09', 'chat', inserted(3, '[DONE]')],
  ['nothing from the middle on', '09', 'chat', (events) => events.slice(0, 3)],
  [
    'more tokens than max_tokens',
    'OAI-MAXTOK-01',
    'chat-usage',
    nth(3, set('usage', { prompt_tokens: 5, completion_tokens: 4, total_tokens: 9 })),
  ],
  [
    'a total without the prompt',
    'OAI-CHAT-10',
    'chat-usage',
    nth(3, set('usage', { ...usage, total_tokens: 3 })),
  ],
]

describe('one fault in a golden stream', () => testFaults(faults))

describe('bytes', () => {
  const bodies: readonly (readonly [string, string, (body: string) => Partial<ExchangeParts>])[] = [
    ['Latin-1', '01', (body) => ({ body: Uint8Array.from(body, (c) => c.charCodeAt(0) & 255) })],
    ['an empty body', '01', () => ({ body: '' })],
    ['JSON in the place of a stream', '01', () => ({ type: 'application/json', body: '{}' })],
    ['another media type', '02', () => ({ type: 'text/plain' })],
    ['no last empty line', '09', (body) => ({ body: body.slice(0, -1) })],
    ['a cut after [DONE]', '09', () => ({ ending: { kind: 'cut', atMs: 1, error: 'reset' } })],
    [
      'a cut before any text',
      '12',
      () => ({ body: '', ending: { kind: 'cut', atMs: 1, error: 'reset' } }),
    ],
    [
      'a cut',
      '12',
      (body) => ({ body: body.slice(0, 400), ending: { kind: 'cut', atMs: 1, error: 'reset' } }),
    ],
    [
      'half a character',
      '09',
      (body) => ({ body: encode(body).subarray(0, encode(body).indexOf(0xc3) + 1) }),
    ],
    ['we left', '', (body) => ({ body: body.slice(0, 400), ending: { kind: 'aborted', atMs: 1 } })],
  ]
  test.each(bodies)('%s: %s', (_, rows, change) => {
    expectBroken('chat', change(edited('chat', () => undefined)), rows)
  })
})

test('what is in a chunk, and how the stream ends, is observed', () => {
  expect(judge(transcriptExchange('chat')).observations).toMatchInlineSnapshot(`
    [
      {
        "answer": "choices, choices[].delta, choices[].delta.content, choices[].delta.role, choices[].finish_reason, choices[].index, created, id, model, object; ends with [DONE]",
        "exchanges": [
          "x1",
        ],
        "question": "OPEN-07",
      },
    ]
  `)
})

test('an unstreamed answer to a request without stream is no stream', () => {
  const exchange = exchangeOf({
    operation: 'openai.chat',
    request: { messages: [] },
    type: 'text/event-stream',
    body: 'data: {}\n\n',
  })
  expect(judge(exchange).findings.map(({ row }) => row)).toEqual(['OAI-CHAT-01'])
})

describe('stop', () => {
  const request = (stop: unknown) => ({ stream: true, model: 'm', messages: [], stop })
  const answerOf = (...texts: readonly string[]) =>
    edited('chat', (events) => {
      const [first, sample] = events
      if (first === undefined || sample === undefined) return undefined
      const deltas = texts.map((content) => {
        const event = structuredClone(sample)
        event.json.choices[0].delta.content = content
        return event
      })
      return [first, ...deltas, ...events.slice(4)]
    })

  test('a sequence that one chunk holds whole, with text after it, breaks OAI-STOP-05', () => {
    expectBroken('chat', { request: request('END'), body: answerOf('one END two') }, 'OAI-STOP-05')
    expectBroken(
      'chat',
      { request: request(['x', 'END']), body: answerOf('one END', ' two') },
      'OAI-STOP-05',
    )
  })

  test('a sequence across chunks, with text after it, breaks OAI-STOP-04', () => {
    expectBroken(
      'chat',
      { request: request('END'), body: answerOf('one E', 'ND two') },
      'OAI-STOP-04',
    )
  })

  test('a sequence at the very end shows that stop works', () => {
    const whole = transcriptExchange('chat', { request: request('END'), body: answerOf('one END') })
    const parts = transcriptExchange('chat', {
      request: request('END'),
      body: answerOf('one E', 'ND'),
    })
    expect(heldRows(judge(whole))).toContain('OAI-STOP-05')
    expect(heldRows(judge(parts))).toContain('OAI-STOP-04')
  })

  test('an answer without the sequence, or without text, says nothing', () => {
    expectBroken('chat', { request: request('END'), body: answerOf('one two') }, '')
    expectBroken('chat', { request: request(['']), body: answerOf('one two') }, '')
    expectBroken('chat', { request: request('one'), body: answerOf() }, '')
    expectBroken('chat', { body: answerOf() }, '04')
  })
})
