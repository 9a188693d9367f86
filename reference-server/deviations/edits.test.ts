/** The edits that faults and dialects are made of. */
import { describe, expect, it } from 'vitest'
import type { Run } from '../events/run.ts'
import { composeParts, type Refit } from '../parts.ts'
import { put } from './json-edit.ts'
import {
  become,
  every,
  moved,
  rawStream,
  set,
  stream,
  swapped,
  the,
  where,
  without,
} from './streams.ts'

describe('put', () => {
  const value = { a: { b: [{ c: 1 }, { c: 2, d: 0 }] }, e: null }

  it('changes what stands at a path, and leaves the original alone', () => {
    expect(put(value, 'a.b.*.c', (old: number) => old + 1)).toEqual({
      a: { b: [{ c: 2 }, { c: 3, d: 0 }] },
      e: null,
    })
    expect(put(value, 'a.b.1.d', undefined).a.b[1]).toEqual({ c: 2, d: undefined })
    expect(put(value, 'e', { f: 1 }).e).toEqual({ f: 1 })
    expect(value.a.b).toEqual([{ c: 1 }, { c: 2, d: 0 }])
  })

  it('adds a last name, and no other', () => {
    expect(put(value, 'a.new', 1).a).toMatchObject({ new: 1 })
    expect(put(value, 'nowhere.new', 1)).toEqual(value)
    expect(put(value, 'e.f.g', 1)).toEqual(value)
  })
})

describe('stream', () => {
  const types = (refit: Refit) => eventsOf(refit).map(({ type }) => type)
  const numbers = (refit: Refit) => eventsOf(refit).map((event) => event.sequence_number)
  const delta = 'response.output_text.delta'

  it('numbers what is left anew, unless it is raw', () => {
    const plain = numbers((parts) => parts)
    expect(numbers(stream(without(delta)))).toEqual(plain.slice(0, -deltaCount))
    expect(numbers(rawStream(without(delta)))).not.toEqual(plain.slice(0, -deltaCount))
  })

  it('edits the chosen events alone', () => {
    const texts = (refit: Refit) =>
      eventsOf(refit).flatMap((event) => (event.type === delta ? [event['delta']] : []))
    expect(texts(stream(become(the(delta, -1), () => [])))).toEqual(['one', ' two'])
    expect(texts(stream(set(every(delta), 'delta', (old: string) => old.trim())))).toEqual([
      'one',
      'two',
      'three',
    ])
    expect(texts(stream(swapped(delta)))).toEqual([' two', 'one', ' three'])
    expect(texts(stream(where(() => false, without(delta))))).toHaveLength(deltaCount)
  })

  it('moves events before and behind others', () => {
    const [created, ...rest] = types((parts) => parts)
    const late = stream(moved(every('response.created'), 'behind', 'response.in_progress'))
    expect(types(late).slice(0, 2)).toEqual([rest[0], created])
    expect(types(stream(moved(the(delta, 1), 'before', 'response.nowhere')))).toEqual([
      created,
      ...rest,
    ])
  })
})

const deltaCount = 3

function eventsOf(refit: Refit) {
  return [...composeParts({ keys: ['key'], seed: 1, refit }).events(run)]
}

const run: Run = {
  id: 'resp_1',
  startedAt: 0,
  completedAt: 0,
  due: [],
  settings: {
    model: 'm',
    think: false,
    tools: [],
    maxTokens: null,
    temperature: 1,
    topP: 1,
    presencePenalty: 0,
    instructions: null,
    stored: true,
    previousRunId: null,
  },
  steps: [
    {
      type: 'message',
      itemId: 'msg_1',
      callId: 'call_1',
      fragments: ['one', ' two', ' three'],
      complete: true,
      citations: [],
    },
  ],
  finish: 'stop',
  failure: null,
  tokens: { input: 1, output: 3, reasoning: 0 },
}
