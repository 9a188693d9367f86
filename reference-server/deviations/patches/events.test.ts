/** Edits of JSON values and of event sequences. */
import { describe, expect, it } from 'vitest'
import { composeServices } from '../../compose.ts'
import type { ResponseRun } from '../../events/run.ts'
import { realClock } from '../../runtime/clock.ts'
import { decodeOnTime } from '../../runtime/decoding.ts'
import type { Patch } from '../../services.ts'
import { plainSettings } from '../../test-support/run-settings.ts'
import {
  dropEvents,
  editEvents,
  editRawEvents,
  moveEvents,
  nth,
  setInEvents,
  swapPairs,
  when,
} from './events.ts'
import { setAt } from './json.ts'

describe('setAt', () => {
  const value = { a: { b: [{ c: 1 }, { c: 2, d: 0 }] }, e: null }

  it('sets values at a path in a copy', () => {
    expect(setAt(value, 'a.b.*.c', (old: number) => old + 1)).toEqual({
      a: { b: [{ c: 2 }, { c: 3, d: 0 }] },
      e: null,
    })
    expect(setAt(value, 'a.b.1.d', undefined).a.b[1]).toEqual({ c: 2, d: undefined })
    expect(setAt(value, 'e', { f: 1 }).e).toEqual({ f: 1 })
    expect(value.a.b).toEqual([{ c: 1 }, { c: 2, d: 0 }])
  })

  it('adds only the last member of a path', () => {
    expect(setAt(value, 'a.new', 1).a).toMatchObject({ new: 1 })
    expect(setAt(value, 'nowhere.new', 1)).toEqual(value)
    expect(setAt(value, 'e.f.g', 1)).toEqual(value)
  })
})

describe('editEvents', () => {
  const types = (patch: Patch) => eventsOf(patch).map(({ type }) => type)
  const numbers = (patch: Patch) => eventsOf(patch).map((event) => event.sequence_number)
  const delta = 'response.output_text.delta'

  it('renumbers the remaining events, which editRawEvents does not', () => {
    const plain = numbers((services) => services)
    expect(numbers(editEvents(dropEvents(delta)))).toEqual(plain.slice(0, -deltaCount))
    expect(numbers(editRawEvents(dropEvents(delta)))).not.toEqual(plain.slice(0, -deltaCount))
  })

  it('edits only the selected events', () => {
    const texts = (patch: Patch) =>
      eventsOf(patch).flatMap((event) => (event.type === delta ? [event['delta']] : []))
    expect(texts(editEvents(dropEvents(nth(delta, -1))))).toEqual(['one', ' two'])
    expect(texts(editEvents(setInEvents(delta, { delta: (old: string) => old.trim() })))).toEqual([
      'one',
      'two',
      'three',
    ])
    expect(texts(editEvents(swapPairs(delta)))).toEqual([' two', 'one', ' three'])
    expect(texts(editEvents(when(() => false, dropEvents(delta))))).toHaveLength(deltaCount)
  })

  it('moves events before and after others', () => {
    const [created, ...rest] = types((services) => services)
    const late = editEvents(moveEvents('response.created', 'after', 'response.in_progress'))
    expect(types(late).slice(0, 2)).toEqual([rest[0], created])
    expect(types(editEvents(moveEvents(nth(delta, 1), 'before', 'response.nowhere')))).toEqual([
      created,
      ...rest,
    ])
  })
})

const deltaCount = 3

function eventsOf(patch: Patch) {
  return [...composeServices({ keys: ['key'], seed: 1, patch }).events(run)]
}

const run: ResponseRun = {
  id: 'resp_1',
  startedAt: 0,
  completedAt: 0,
  decoding: decodeOnTime(realClock)({ promptTokens: 0, outputTokens: 0, startedAt: 0, due: [] }),
  settings: plainSettings,
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
