import { describe, expect, test } from 'vitest'
import {
  goldenTranscripts,
  readTranscript,
  type TranscriptName,
} from '../../fixtures/transcripts.ts'
import { type EditableEvent, edited, eventsOf } from './test-support/chunks.ts'
import { brokenIn, transcriptExchange } from './test-support/exchanges.ts'

type Mutation = (events: EditableEvent[], at: number) => EditableEvent[]

/** Every event of every golden stream is mutated once; the numbers are put right again. */
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

describe('one mutated event turns at most one requirement red', () => {
  const cases = Object.keys(mutations).flatMap((mutation) =>
    goldenTranscripts.map((name) => [mutation, name] as const),
  )

  test.each(cases)('%s, %s', (mutation, name) => {
    const mutate = mutations[mutation] ?? never()
    for (const at of eventsOf(name).keys()) {
      const broken = brokenBy(name, (events) => mutate(events, at))
      expect(Object.keys(broken).length, JSON.stringify({ at, broken })).toBeLessThanOrEqual(1)
    }
  })

  test.each(goldenTranscripts)('ended early, %s', (name) => {
    for (const at of eventsOf(name).keys()) {
      const broken = Object.keys(brokenBy(name, (events) => events.slice(0, at)))
      const end = name.startsWith('chat') ? 'OAI-STREAM-09' : 'V3-SSE-08'
      // A compatible stream without a single chunk is no stream of chunks.
      expect([[], [end], ['OAI-STREAM-01']]).toContainEqual(broken)
    }
  })
})

/** No fault of the reference server cuts or corrupts at any byte. */
describe('one damaged byte turns the requirement of its damage red', () => {
  const cut = { kind: 'cut', atMs: 1000, error: 'other side closed' } as const

  test.each(goldenTranscripts)('%s, ended at any byte, or cut with its connection', (name) => {
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

  test.each(goldenTranscripts)('%s, with a byte that no character has', (name) => {
    const { bytes, operation } = readTranscript(name)
    const corrupt = operation === 'openai.chat' ? 'OAI-STREAM-01' : 'V3-SSE-26'
    for (const at of placesBetween(bytes)) {
      if (isLineEnd(bytes[at])) continue
      const body = bytes.with(at, 0xff)
      expect(Object.keys(brokenIn(transcriptExchange(name, { body }))), `${at}`).toEqual([corrupt])
    }
  })
})

/** Places behind the first block and before the terminal event. */
function placesBetween(bytes: Uint8Array): readonly number[] {
  const text = Buffer.from(bytes).toString('latin1')
  const first = /\r\n\r\n|\n\n|\r\r/.exec(text) ?? never()
  const last =
    /event: ?(?:error|response\.(?:completed|failed|incomplete))|data: ?(?:\[DONE|{"error")/.exec(
      text,
    )
  const start = first.index + first[0].length
  return Array.from({ length: (last ?? never()).index - start }, (_, at) => start + at)
}

function isLineEnd(byte: number | undefined): boolean {
  return byte === 10 || byte === 13
}

function brokenBy(name: TranscriptName, edit: (events: EditableEvent[]) => EditableEvent[]) {
  return brokenIn(transcriptExchange(name, { body: edited(name, edit) }))
}

function never(): never {
  throw new Error('no such event')
}
