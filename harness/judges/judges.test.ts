import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Judgement } from '../../contract/index.ts'
import { forSome } from '../../contract/test-support/for-all.ts'
import { knownEvents } from '../../contract/wire.ts'
import { brokenTranscripts, goldenTranscripts, readTranscript } from '../../fixtures/transcripts.ts'
import {
  answerText,
  compareForms,
  compareOutputWithHistory,
  deltasOf,
  finalResponse,
} from './answers.ts'
import { deliveryOf } from './delivery.ts'
import { finalText } from './final-response.ts'
import { judge, type StreamedOperation } from './index.ts'
import { answerExchange, set } from './test-support/bodies.ts'
import { type EditableEvent, edited, eventsOf, inChoices, without } from './test-support/chunks.ts'
import {
  brokenIn,
  encode,
  exchangeOf,
  heldIds,
  segments,
  transcriptExchange,
} from './test-support/exchanges.ts'

describe('golden transcripts', () => {
  test.each(goldenTranscripts)('break nothing: %s', (name) => {
    expect(brokenIn(transcriptExchange(name))).toEqual({})
  })

  test('hold exactly the requirements that they exercise', () => {
    const held = goldenTranscripts.map((name) => {
      const rows = heldIds(judge(transcriptExchange(name)))
      return `${name}: ${rows.map((row) => row.replace('V3-SSE-', '').replace('OAI-STREAM-', 'S')).join(' ')}`
    })
    expect(held).toMatchInlineSnapshot(`
      [
        "message: V3-GEN-02 01 02 03 04 05 06 07 08 09 10 11 12 13 14 15 16 17 18 19 20 21 22 24 25 26 27 29",
        "message-crlf: V3-GEN-02 01 02 03 04 05 06 07 08 09 10 11 12 13 14 15 16 17 18 19 20 21 22 24 25 26 27 29",
        "reasoning: V3-GEN-02 01 02 03 04 05 06 07 08 09 10 11 12 13 14 15 16 17 18 19 20 21 22 25 26 27 29 V3-THINK-02",
        "function-call: V3-GEN-02 01 02 03 04 05 06 07 08 09 10 11 13 14 15 18 19 20 21 22 23 24 26 27 29",
        "file-search: V3-GEN-02 01 02 03 04 05 06 07 08 09 10 11 12 13 14 15 16 17 18 19 20 21 22 24 25 26 27 28 29",
        "file-search-cr: V3-GEN-02 01 02 03 04 05 06 07 08 09 10 11 12 13 14 15 16 17 18 19 20 21 22 24 25 26 27 28 29",
        "refusal: V3-GEN-02 01 02 03 04 05 06 07 08 09 10 11 13 14 15 16 18 19 20 21 22 24 26 27 29",
        "incomplete: V3-GEN-10 01 02 03 04 05 06 07 08 10 11 12 13 14 15 16 17 18 19 20 21 22 24 25 26 27 29",
        "failed: 01 02 03 04 05 06 07 08 10 11 12 14 15 16 21 24 25 26 27 29",
        "two-items: V3-GEN-02 01 02 03 04 05 06 07 08 09 10 12 13 14 15 16 17 18 19 20 21 24 25 26 27 29",
        "odd: V3-GEN-02 01 02 03 04 05 06 07 08 09 10 12 13 14 15 16 17 18 19 21 24 25 26 27 29",
        "minimal: V3-GEN-02 01 02 03 04 05 06 07 08 09 10 12 14 15 16 17 24 25 26 27 29",
        "minimal-reasoning: V3-GEN-02 01 02 03 04 05 06 07 08 09 10 12 14 15 16 17 25 26 27 29 V3-THINK-02",
        "chat: S01 S02 S03 S04 S05 S06 S07 S09 S12",
        "chat-usage: OAI-CHAT-10 OAI-MAXTOK-01 OAI-MAXTOK-02 S01 S02 S03 S04 S05 S06 S07 S08 S09 S12",
        "chat-tools: S01 S02 S05 S06 S07 S09 S12",
        "chat-error: S01 S02 S03 S04 S06 S12",
      ]
    `)
  })
})

test.each([...brokenTranscripts])('%s breaks %j', (name, requirements) => {
  expect(Object.keys(brokenIn(transcriptExchange(name))).sort()).toEqual(requirements)
})

type Mutation = (events: EditableEvent[], at: number) => EditableEvent[]

/** Mutates every event of every golden stream once and renumbers the events. */
const mutations: Readonly<Record<string, Mutation>> = {
  dropped: (events, at) => events.toSpliced(at, 1),
  repeated: (events, at) => events.toSpliced(at, 0, structuredClone(events[at] ?? never())),
  'swapped with the next': (events, at) => {
    const pair = events.slice(at, at + 2).reverse()
    return events.toSpliced(at, pair.length, ...pair)
  },
  'renamed to something unknown': (events, at) => {
    const event = events[at] ?? never()
    if (event.event === null) return events
    return events.toSpliced(at, 1, { event: 'x:y', json: { ...event.json, type: 'x:y' } })
  },
  'without its type': (events, at) => {
    const { json } = events[at] ?? never()
    if (typeof json === 'object') delete json.type
    return events
  },
}

const cases = Object.keys(mutations).flatMap((mutation) =>
  goldenTranscripts.map((name) => [mutation, name] as const),
)

test.each(cases)('one edited event breaks at most one requirement: %s, %s', (mutation, name) => {
  const mutate = mutations[mutation] ?? never()
  for (const at of eventsOf(name).keys()) {
    const body = edited(name, (events) => mutate(events, at))
    const broken = brokenIn(transcriptExchange(name, { body }))
    expect(Object.keys(broken).length, JSON.stringify({ at, broken })).toBeLessThanOrEqual(1)
  }
})

/** No fault of the reference server cuts or corrupts a stream at an arbitrary byte. */
describe('one damaged byte breaks the requirement of its damage', () => {
  const cut = { kind: 'cut', atMs: 1000, error: 'other side closed' } as const

  test.each(goldenTranscripts)('%s cut at any byte, with or without its connection', (name) => {
    const { bytes, operation } = readTranscript(name)
    const [ended, lost] =
      operation === 'openai.chat' ? ['OAI-STREAM-09', 'OAI-STREAM-12'] : ['V3-SSE-08', 'V3-SSE-08']
    for (const length of placesBetween(bytes)) {
      const body = bytes.subarray(0, length)
      expect(Object.keys(brokenIn(transcriptExchange(name, { body }))), `${length}`).toEqual([
        ended,
      ])
      const withConnection = brokenIn(transcriptExchange(name, { body, ending: cut }))
      expect(Object.keys(withConnection), `${length}`).toEqual([lost])
    }
  })

  test.each(goldenTranscripts)('%s with an invalid byte', (name) => {
    const { bytes, operation } = readTranscript(name)
    const corrupt = operation === 'openai.chat' ? 'OAI-STREAM-01' : 'V3-SSE-26'
    for (const at of placesBetween(bytes)) {
      if (isLineEnd(bytes[at])) continue
      const body = bytes.with(at, 0xff)
      expect(Object.keys(brokenIn(transcriptExchange(name, { body }))), `${at}`).toEqual([corrupt])
    }
  })
})

/** Places after the first block and up to the terminal event: those at line ends, and every fifth between them. */
function placesBetween(bytes: Uint8Array): readonly number[] {
  const text = Buffer.from(bytes).toString('latin1')
  const first = /\r\n\r\n|\n\n|\r\r/.exec(text) ?? never()
  const last =
    /event: ?(?:error|response\.(?:completed|failed|incomplete))|data: ?(?:\[DONE|{"error")/.exec(
      text,
    )
  const start = first.index + first[0].length
  return Array.from({ length: (last ?? never()).index - start + 1 }, (_, at) => start + at).filter(
    (at) => at % 5 === 0 || [at - 1, at, at + 1].some((near) => isLineEnd(bytes[near])),
  )
}

function isLineEnd(byte: number | undefined): boolean {
  return byte === 10 || byte === 13
}

function never(): never {
  throw new Error('no such event')
}

const operation = fc.constantFrom<StreamedOperation>('v3.generate', 'v3.oneShot', 'openai.chat')

test.each(goldenTranscripts)('findings are the same for any split of %s', (name) => {
  const { bytes } = readTranscript(name)
  const whole = judge(transcriptExchange(name))
  const judged = (cuts: readonly number[]) =>
    judge(transcriptExchange(name, { body: segments(bytes, cuts) }))
  expect(judged([...bytes.keys()])).toEqual(whole)
  forSome(40, fc.array(fc.nat(bytes.length), { maxLength: 9 }), (cuts) => {
    expect(judged(cuts)).toEqual(whole)
  })
})

describe('any input', () => {
  const json = fc.jsonValue({ maxDepth: 3 })
  const member = fc.constantFrom(
    ...['type', 'response', 'item', 'part', 'delta', 'text', 'output_index', 'content_index'],
    ...['item_id', 'summary_index', 'annotation', 'arguments', 'sequence_number', 'choices'],
    ...['error', 'usage', 'output', 'content', 'id', 'status'],
  )
  const likely = fc.dictionary(member, fc.oneof(json, fc.dictionary(member, json), fc.nat(3)))
  const event = fc.record({
    name: fc.oneof(fc.constantFrom(...knownEvents), fc.string()),
    data: fc.oneof(likely, likely, json),
  })

  test('of bytes makes no judge throw', () => {
    forSome(1000, operation, fc.uint8Array({ maxLength: 300 }), (of, body) => {
      wellFormed(judge(exchangeOf({ ...streamOf(of), body })))
    })
  })

  test('of events makes no judge throw or contradict itself', () => {
    forSome(1000, operation, fc.array(event, { maxLength: 12 }), (of, events) => {
      const body = events
        .map(({ name, data }) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`)
        .join('')
      wellFormed(judge(exchangeOf({ ...streamOf(of), body })))
    })
  })

  test('of JSON makes no judge throw', () => {
    const route = fc.constantFrom(
      'openai.chat',
      'openai.models',
      'v2.message',
      'v2.generate',
      'v3.history',
      'v3.generate',
    )
    const body = fc.oneof(likely, fc.dictionary(member, likely), json)
    forSome(500, route, body, json, (of, answer, request) => {
      wellFormed(judge(exchangeOf({ operation: of, request, body: JSON.stringify(answer) })))
    })
  })
})

function streamOf(of: StreamedOperation) {
  return { operation: of, request: { stream: true }, type: 'text/event-stream' }
}

function wellFormed({ findings, observations }: Judgement): void {
  const requirements = findings.map(({ requirement }) => requirement)
  expect(new Set(requirements).size).toBe(requirements.length)
  expect(findings.every(({ why }) => why !== '' && !why.includes('undefined.'))).toBe(true)
  const questions = observations.map(({ question }) => question)
  expect(new Set(questions).size).toBe(questions.length)
}

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

test('a number beyond the range of a double is not called null', () => {
  const body = '{"id":"a","object":"chat.completion","created":1e999,"model":"m","choices":[]}'
  const found = JSON.stringify(judge(exchangeOf({ operation: 'openai.chat', body })))
  expect(found).toContain('created is Infinity: expected a number')
})
