import { describe, expect, test } from 'vitest'
import { goldenTranscripts, type TranscriptName } from '../../fixtures/transcripts.ts'
import { type EditableEvent, edited, eventsOf } from './test-support/edit.ts'
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

describe('one mutated event turns at most one row red', () => {
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

function brokenBy(name: TranscriptName, edit: (events: EditableEvent[]) => EditableEvent[]) {
  return brokenIn(transcriptExchange(name, { body: edited(name, edit) }))
}

function never(): never {
  throw new Error('no such event')
}
