import { describe, expect, test } from 'vitest'
import {
  answerText,
  compareForms,
  compareOutputWithHistory,
  deliveredWhileMade,
  deltasOf,
  finalResponse,
  finalText,
} from './index.ts'
import { answerExchange } from './test-support/bodies.ts'
import { edited, without } from './test-support/edit.ts'
import { encode, exchangeOf, transcriptExchange } from './test-support/exchanges.ts'

describe('answerText', () => {
  test.each([
    ['a chat completion', answerExchange('chat'), 'Hello!'],
    ['a v2 generation', answerExchange('v2Generation'), 'Hello!'],
    ['a v3 response', answerExchange('response'), 'Hello!'],
    ['a compatible stream', transcriptExchange('chat'), 'Grüße aus 東京 🗼!'],
    ['a v3 stream', transcriptExchange('message'), 'Grüße aus 東京 🗼!'],
    ['a v3 stream without deltas', transcriptExchange('replay'), 'Grüße aus 東京 🗼!'],
    ['a stored message', answerExchange('message'), undefined],
    ['a refusal', transcriptExchange('message', { status: 400 }), undefined],
    ['an empty body', answerExchange('response', { body: '' }), undefined],
  ])('of %s', (_, exchange, text) => {
    expect(answerText(exchange)).toBe(text)
  })
})

describe('finalResponse', () => {
  test('is that of the terminal event, or the JSON body', () => {
    expect(finalResponse(transcriptExchange('message'))).toMatchObject({ status: 'completed' })
    expect(finalResponse(transcriptExchange('incomplete'))).toMatchObject({ status: 'incomplete' })
    expect(finalResponse(transcriptExchange('failed'))).toMatchObject({ status: 'failed' })
    expect(finalResponse(answerExchange('response'))).toMatchObject({ id: 'resp_1' })
    const body = edited('message', without('response.completed'))
    expect(finalResponse(transcriptExchange('message', { body }))).toBeUndefined()
  })

  test('finalText joins the texts of its messages alone', () => {
    expect(finalText(finalResponse(transcriptExchange('two-items')))).toBe(
      'first second, and third',
    )
    expect(finalText(finalResponse(transcriptExchange('refusal')))).toBe('')
    expect(finalText({ output: 'text' })).toBe('')
  })
})

test('deltasOf gives the fragments, empty ones too, with their time', () => {
  expect(deltasOf(transcriptExchange('chat')).map(({ text }) => text)).toEqual([
    '',
    'Grüße',
    ' aus 東京 🗼!',
  ])
  expect(deltasOf(transcriptExchange('minimal'))).toEqual([
    { atMs: 10, text: 'Good ' },
    { atMs: 10, text: 'morning.' },
  ])
})

describe('compareForms', () => {
  const form = {
    id: 'a',
    status: 'completed',
    usage: { total_tokens: 3 },
    output: [{}],
    error: null,
  }

  test('finds no difference between equal shapes', () => {
    const other = { ...form, id: 'b', usage: null, output: [], error: { code: 'x' } }
    expect(compareForms(form, other)).toEqual({ differentTypes: [], differentMembers: [] })
  })

  test('names members of another type', () => {
    const other = { ...form, id: 7, usage: { total_tokens: '3' }, output: {} }
    expect(compareForms(form, other)).toMatchInlineSnapshot(`
      {
        "differentMembers": [],
        "differentTypes": [
          "id is string in the JSON form and number in the stream form",
          "usage.total_tokens is number in the JSON form and string in the stream form",
          "output is array in the JSON form and object in the stream form",
        ],
      }
    `)
  })

  test('names members that only one form has', () => {
    const { error: _, ...other } = { ...form, usage: { total_tokens: 3, x: 1 }, store: true }
    expect(compareForms(form, other)).toMatchInlineSnapshot(`
      {
        "differentMembers": [
          "usage.x is only in the stream form",
          "error is only in the JSON form",
          "store is only in the stream form",
        ],
        "differentTypes": [],
      }
    `)
  })

  test('needs two objects', () => {
    expect(compareForms(form, undefined).differentTypes).toHaveLength(1)
  })
})

describe('compareOutputWithHistory', () => {
  const item = { id: 'm', type: 'message', status: 'completed', content: [{ text: 'x' }] }
  const rows = [{ item: null }, { item: { id: 'i', role: 'user' } }, { item }]

  test('finds every item, whatever else is there', () => {
    expect(compareOutputWithHistory([item], rows)).toEqual([])
    expect(compareOutputWithHistory([], [])).toEqual([])
    expect(compareOutputWithHistory([{ ...item, logprobs: [], name: null }], rows)).toEqual([])
  })

  test('says what is missing or differs', () => {
    const changed = { ...item, content: [{ text: 'y' }] }
    expect(compareOutputWithHistory([changed], rows)).toEqual([
      'The row of output[0] differs from it in content.',
    ])
    expect(compareOutputWithHistory([{ ...item, role: 'assistant' }], rows)).toEqual([
      'The row of output[0] differs from it in role.',
    ])
    expect(compareOutputWithHistory([{ id: 'other', type: 'reasoning' }], rows)).toHaveLength(1)
    expect(compareOutputWithHistory(['text'], rows)).toHaveLength(1)
  })
})

describe('deliveredWhileMade', () => {
  const at = (times: readonly number[]) =>
    exchangeOf({
      operation: 'openai.chat',
      request: { stream: true },
      type: 'text/event-stream',
      body: times.map((atMs) => ({
        atMs,
        bytes: encode('data: {"choices":[{"delta":{"content":"x"}}]}\n\n'),
      })),
    })
  const steps = (from: number, gap: number) => Array.from({ length: 10 }, (_, n) => from + n * gap)

  test.each([
    ['an even stream', steps(50, 50), 'spread'],
    ['a late but even stream', steps(900, 40), 'spread'],
    ['a stream that comes in one go at its end', steps(900, 0), 'bunched'],
    ['a stream that comes almost in one go', steps(900, 1), 'bunched'],
    ['a fast stream', steps(5, 1), 'too-short-to-tell'],
    ['a fast stream that takes its steps', steps(5, 4), 'spread'],
    ['a fast stream in one go', steps(20, 0), 'too-short-to-tell'],
    ['a few deltas', [10, 500, 900], 'too-short-to-tell'],
    ['one delta ahead of all others', [10, ...steps(900, 0)], 'too-short-to-tell'],
    ['a burst after long thought', steps(900, 10), 'too-short-to-tell'],
    ['no deltas', [], 'too-short-to-tell'],
  ])('%s', (_, times, delivery) => {
    expect(deliveredWhileMade(at(times))).toBe(delivery)
  })
})
