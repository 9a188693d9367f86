import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Judgement } from '../../contract/index.ts'
import { forSome } from '../../contract/test-support/for-all.ts'
import { knownEvents } from '../../contract/wire.ts'
import { brokenTranscripts, goldenTranscripts, readTranscript } from '../../fixtures/transcripts.ts'
import { createStreamJudge, judge, type StreamedOperation } from './index.ts'
import { type EditableEvent, edited, eventsOf } from './test-support/chunks.ts'
import {
  brokenIn,
  bytewise,
  complete,
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

describe('findings', () => {
  test.each(goldenTranscripts)('are the same for any split of %s', (name) => {
    const { bytes } = readTranscript(name)
    const whole = judge(transcriptExchange(name))
    forSome(40, fc.array(fc.nat(bytes.length), { maxLength: 9 }), (cuts) => {
      const body = segments(bytes, cuts)
      expect(judge(transcriptExchange(name, { body }))).toEqual(whole)
    })
  })

  test.each(goldenTranscripts)('are the same for %s while it arrives', (name) => {
    const { bytes, operation: of, request } = readTranscript(name)
    const live = createStreamJudge(of, request, { exchangeId: 'x1' })
    for (const chunk of bytewise(bytes)) live.push(chunk)
    expect(live.end(complete)).toEqual(withoutHeaders(judge(transcriptExchange(name))))
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

function withoutHeaders({ findings, observations }: Judgement): Judgement {
  const ofHeaders = new Set<string>(['V3-SSE-01', 'OAI-STREAM-02'])
  return {
    findings: findings.filter(({ requirement }) => !ofHeaders.has(requirement)),
    observations,
  }
}
