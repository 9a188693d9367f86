import { describe, expect, test } from 'vitest'
import {
  answerText,
  compareForms,
  compareOutputWithHistory,
  deltasOf,
  finalResponse,
} from './answers.ts'
import { deliveryOf } from './delivery.ts'
import { finalText } from './final-response.ts'
import { answerExchange, set } from './test-support/bodies.ts'
import { edited, inChoices, without } from './test-support/chunks.ts'
import { encode, exchangeOf, transcriptExchange } from './test-support/exchanges.ts'

test.each([
  ['a chat completion', answerExchange('chat'), 'Hello!'],
  ['a v2 generation', answerExchange('v2Generation'), 'Hello!'],
  ['a v3 response', answerExchange('response'), 'Hello!'],
  ['a compatible stream', transcriptExchange('chat'), 'Grüße aus 東京 🗼!'],
  [
    'a stream that counts from 1',
    transcriptExchange('chat', { body: edited('chat', inChoices(set('index', 1))) }),
    'Grüße aus 東京 🗼!',
  ],
  ['a v3 stream', transcriptExchange('message'), 'Grüße aus 東京 🗼!'],
  ['a v3 stream without deltas', transcriptExchange('replay'), 'Grüße aus 東京 🗼!'],
  ['a stored message', answerExchange('message'), undefined],
  ['a refusal', transcriptExchange('message', { status: 400 }), undefined],
  ['an empty body', answerExchange('response', { body: '' }), undefined],
])('answerText of %s', (_, exchange, text) => {
  expect(answerText(exchange)).toBe(text)
})

describe('finalResponse', () => {
  test('is that of the terminal event or the JSON body', () => {
    expect(finalResponse(transcriptExchange('message'))).toMatchObject({ status: 'completed' })
    expect(finalResponse(transcriptExchange('incomplete'))).toMatchObject({ status: 'incomplete' })
    expect(finalResponse(transcriptExchange('failed'))).toMatchObject({ status: 'failed' })
    expect(finalResponse(answerExchange('response'))).toMatchObject({ id: 'resp_1' })
    const body = edited('message', without('response.completed'))
    expect(finalResponse(transcriptExchange('message', { body }))).toBeUndefined()
  })

  test('finalText joins only the texts of its messages', () => {
    expect(finalText(finalResponse(transcriptExchange('two-items')))).toBe(
      'first second, and third',
    )
    expect(finalText(finalResponse(transcriptExchange('refusal')))).toBe('')
    expect(finalText({ output: 'text' })).toBe('')
  })
})

test('deltasOf returns all fragments with their times', () => {
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

  test('finds no difference between equal types', () => {
    const other = { ...form, id: 'b', usage: null, output: [], error: { code: 'x' } }
    expect(compareForms(form, other)).toEqual({ differentTypes: [], differentMembers: [] })
  })

  test('names fields with different types and fields of one form only', () => {
    const changes = { id: 7, usage: { total_tokens: '3', x: 1 }, output: {}, store: true }
    const { error: _, ...other } = { ...form, ...changes }
    expect(compareForms(form, other)).toEqual({
      differentTypes: [
        'id is string in the JSON form and number in the stream form',
        'usage.total_tokens is number in the JSON form and string in the stream form',
        'output is array in the JSON form and object in the stream form',
      ],
      differentMembers: [
        'usage.x is only in the stream form',
        'error is only in the JSON form',
        'store is only in the stream form',
      ],
    })
  })

  test('requires two objects', () => {
    expect(compareForms(form, undefined).differentTypes).toHaveLength(1)
  })
})

const item = { id: 'm', type: 'message', status: 'completed', content: [{ text: 'x' }] }
const rows = [{ item: null }, { item: { id: 'i', role: 'user' } }, { item }]

test('compareOutputWithHistory finds all items among other rows', () => {
  expect(compareOutputWithHistory([item], rows)).toEqual([])
  expect(compareOutputWithHistory([], [])).toEqual([])
  expect(compareOutputWithHistory([{ ...item, logprobs: [], name: null }], rows)).toEqual([])
})

describe('deliveryOf', () => {
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
  /** Deltas in lumps of the given sizes, `gap` milliseconds between lumps. */
  const lumps = (from: number, gap: number, sizes: readonly number[], apart = 0) =>
    sizes.flatMap((size, at) => Array.from({ length: size }, (_, n) => from + at * gap + n * apart))
  const steps = (from: number, gap: number) => Array.from({ length: 10 }, (_, n) => from + n * gap)

  test.each([
    ['an even stream', steps(50, 50), 'spread'],
    ['a late but even stream', steps(900, 40), 'spread'],
    ['a stream that comes in one go at its end', steps(900, 0), 'bunched'],
    ['a stream that comes almost in one go', steps(900, 1), 'bunched'],
    ['a fast stream', steps(5, 1), 'undecided'],
    ['a fast stream that takes its steps', steps(5, 4), 'spread'],
    ['a fast stream in one go', steps(20, 0), 'quick'],
    ['a stream in one go after less than half a second', steps(480, 0), 'quick'],
    ['a few deltas', [10, 500, 900], 'spread'],
    ['two deltas', [10, 500], 'undecided'],
    ['lumps of a corked socket', lumps(230, 220, [10, 10, 5]), 'lumps'],
    ['lumps that a hop passes on block by block', lumps(230, 220, [10, 10, 5], 0.2), 'lumps'],
    ['a buffer that is full twice', [...lumps(531, 0, [17]), ...lumps(689, 0, [8])], 'lumps'],
    ['several tokens a step', lumps(30, 40, [10, 10, 5]), 'spread'],
    ['eight tokens a step, 20 ms each', lumps(200, 160, [8, 8, 8, 8, 1]), 'spread'],
    ['a fast model over a delayed acknowledgement', lumps(5, 40, [40, 40, 40, 40]), 'spread'],
    ['a thousand tokens per second', lumps(300, 1, Array(900).fill(1)), 'spread'],
    ['a pause after the first token', [10, ...lumps(1_200, 0, [24])], 'undecided'],
    ['one delta ahead of all others', [10, ...steps(900, 0)], 'undecided'],
    ['a burst after long thought', steps(900, 10), 'undecided'],
    [
      'most of the text in one read after a pause',
      [...lumps(354, 0, [3]), ...lumps(1042, 0, [18]), ...lumps(1079, 0, [3])],
      'undecided',
    ],
    ['a pause in an even stream', [...steps(50, 40), ...steps(1200, 40)], 'spread'],
    ['no deltas', [], 'undecided'],
  ])('is right for %s', (_, times, delivery) => {
    expect(deliveryOf(at(times)).kind).toBe(delivery)
  })

  test.each([
    [[...lumps(531, 0, [17]), ...lumps(689, 0, [8])], '25 deltas arrived in 2 reads, 158 ms apart'],
    [lumps(230, 220, [10, 10, 5]), '25 deltas arrived in 3 reads, mostly 220 ms apart'],
    [lumps(754, 0, [25]), '25 deltas arrived in one read, 754 ms after the request'],
    [steps(5, 0.2), '10 deltas arrived within 2 ms: too fast to tell'],
  ])('describes reads and gaps of %j: %s', (times, description) => {
    expect(deliveryOf(at(times)).description).toBe(description)
  })

  test('is undecided if this machine was itself late', () => {
    const late = (times: readonly number[], loopDelayMs: number) =>
      deliveryOf({ ...at(times), loopDelayMs })
    const buffered = lumps(230, 220, [10, 10, 5])
    expect(late(buffered, 20).kind).toBe('lumps')
    expect(late(buffered, 215)).toEqual({
      kind: 'undecided',
      description:
        '25 deltas arrived in 3 reads, mostly 220 ms apart, but this machine was itself 215 ms late',
    })
    expect(late(lumps(754, 0, [25]), 700).kind).toBe('undecided')
  })
})
