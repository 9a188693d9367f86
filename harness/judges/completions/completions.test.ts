import { describe, expect, test } from 'vitest'
import { judge } from '../index.ts'
import { set } from '../test-support/bodies.ts'
import {
  edited,
  everywhere,
  expectBroken,
  type Faults,
  inChoices,
  inserted,
  nth,
  testFaults,
} from '../test-support/chunks.ts'
import {
  type ExchangeParts,
  exchangeOf,
  heldIds,
  transcriptExchange,
} from '../test-support/exchanges.ts'

const usage = { prompt_tokens: 5, completion_tokens: 3, total_tokens: 8 }

const faults: Faults = {
  'chat 01: a block that is a number': inserted(2, '7'),
  'chat 01: a block that is not JSON': inserted(2, 'pong'),
  'chat 01: choices that is an object': nth(1, set('choices', {})),
  'chat 01: no chunk with choices': everywhere(set('json.choices', undefined)),
  'chat 03: content that is a number': nth(1, set('choices[0].delta.content', 7)),
  'chat 03: content in parts': inChoices((choice) => {
    if (choice.delta.content) choice.delta.content = [{ type: 'text', text: choice.delta.content }]
  }),
  'chat 03: a delta that is a list': nth(1, set('choices[0].delta', [])),
  'chat 05: created moves on': nth(4, (json) => Object.assign(json, { created: json.created + 1 })),
  'chat 05: another model': nth(4, set('model', 'other')),
  'chat 06: the role of the user': nth(0, set('choices[0].delta.role', 'user')),
  'chat 06: another role later': nth(1, set('choices[0].delta.role', 'tool')),
  'chat 07: two finish_reasons': nth(3, set('choices[0].finish_reason', 'stop')),
  'chat 07: a finish_reason that is true': nth(4, set('choices[0].finish_reason', true)),
  'chat 07: one without a text': nth(4, set('choices[0].finish_reason', { toString: 1 })),
  'chat 08: usage that was not requested': nth(4, set('usage', usage)),
  'chat-usage 08: two usage chunks': (events) => {
    const copy = events[3]
    return copy && events.toSpliced(3, 0, copy)
  },
  'chat-usage 08: usage with choices': (events) => {
    Object.assign(events[2]?.json, { usage })
    return events.toSpliced(3, 1)
  },
  'chat-usage 08: usage before the last choice': (events) => {
    const [last] = events.splice(2, 1)
    return last && events.toSpliced(3, 0, last)
  },
  'chat 04: text beside the delta': inChoices((choice) => {
    choice.text = choice.delta.content
    delete choice.delta.content
  }),
  'chat 04: text in a message': inChoices((choice) => {
    choice.message = { content: choice.delta.content }
    delete choice.delta.content
  }),
  'chat 04: text in delta.text': inChoices((choice) => {
    choice.delta = { role: choice.delta.role, text: choice.delta.content }
  }),
  'chat 09: [DONE] before the end': inserted(3, '[DONE]'),
  // Legal oddities.
  'chat: choices that are null': inserted(1, { choices: null }),
  'chat: event: lines': everywhere(set('event', 'message')),
  'chat: unknown members': inChoices((choice) => {
    choice.delta.reasoning_content = 'hm'
    choice.logprobs = null
  }),
  'chat: the last text with the finish_reason': (events) => {
    Object.assign(events[3]?.json.choices[0], { finish_reason: 'stop' })
    return events.toSpliced(4, 1)
  },
  'chat: choices that are counted from 1': inChoices(set('index', 1)),
  'chat: an empty answer cut by max_tokens': inChoices((choice) => {
    delete choice.delta.content
    if (choice.finish_reason !== null) choice.finish_reason = 'length'
  }),
  'chat-error: [DONE] after an error': inserted(2, '[DONE]'),
  'chat-error: anything after an error': inserted(2, 'bye'),
}

describe('an edited golden stream', () => testFaults(faults))

const reset = { kind: 'cut', atMs: 1, error: 'reset' } as const
test.each<[string, string, (body: string) => Partial<ExchangeParts>]>([
  ['an empty body', '01', () => ({ body: '' })],
  ['JSON in the place of a stream', '01', () => ({ type: 'application/json', body: '{}' })],
  ['another media type', '02', () => ({ type: 'text/plain' })],
  ['no last empty line', '09', (body) => ({ body: body.slice(0, -1) })],
  ['a cut after [DONE]', '09', () => ({ ending: reset })],
  ['a cut before any text', '12', () => ({ body: '', ending: reset })],
  [
    'an abort by the client',
    '',
    (body) => ({ body: body.slice(0, 400), ending: { kind: 'aborted', atMs: 1 } }),
  ],
])('a stream with %s breaks %j', (_, rows, change) =>
  expectBroken('chat', change(edited('chat', () => undefined)), rows),
)

test('fields of a chunk and the ending of the stream are observed', () => {
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

test('an unrequested stream breaks OAI-CHAT-01', () => {
  const exchange = exchangeOf({
    operation: 'openai.chat',
    request: { messages: [] },
    type: 'text/event-stream',
    body: 'data: {}\n\n',
  })
  expect(judge(exchange).findings.map(({ requirement }) => requirement)).toEqual(['OAI-CHAT-01'])
})

describe('stop sequences', () => {
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

  test.each<[string, unknown, readonly string[]]>([
    ['OAI-STOP-05', 'END', ['one END two']],
    ['OAI-STOP-05', ['x', 'END'], ['one END', ' two']],
    ['OAI-STOP-04', 'END', ['one E', 'ND two']],
    ['', 'END', ['one two']],
    ['', [''], ['one two']],
    ['', 'one', []],
    ['04', undefined, []],
  ])('break %j with the stop %j and an answer of %j', (rows, stop, texts) => {
    expectBroken('chat', { request: request(stop), body: answerOf(...texts) }, rows)
  })

  test('allow an occasional answer without text', () => {
    const { findings } = judge(transcriptExchange('chat', { body: answerOf() }))
    expect(findings.filter(({ mayBeChance }) => mayBeChance)).toMatchObject([
      { requirement: 'OAI-STREAM-04' },
    ])
  })

  test('at the end of the text show that stop works', () => {
    const heldBy = (...texts: readonly string[]) =>
      heldIds(
        judge(transcriptExchange('chat', { request: request('END'), body: answerOf(...texts) })),
      )
    expect(heldBy('one END')).toContain('OAI-STOP-05')
    expect(heldBy('one E', 'ND')).toContain('OAI-STOP-04')
  })
})
