import { isObject } from '../../../contract/json.ts'
import { readTranscript, type TranscriptName } from '../../../fixtures/transcripts.ts'
import { SseScanner } from '../sse/scanner.ts'
import type { Body } from './bodies.ts'
import {
  brokenIn,
  type ExchangeParts,
  expectOnly,
  idsOf,
  testCases,
  transcriptExchange,
} from './exchanges.ts'

export function inserted(at: number, json: object | string): Edit {
  return (events) => events.toSpliced(at, 0, { event: null, json })
}

/** Edited transcripts, as in `testCases`. */
export type Faults = { readonly [fault in `${TranscriptName}${string}: ${string}`]: Edit }

export function testFaults(faults: Faults): void {
  testCases<Edit>(faults, (base, edit) => {
    const name = base as TranscriptName
    return brokenIn(transcriptExchange(name, { body: edited(name, edit) }))
  })
}

export function expectBroken(
  base: TranscriptName,
  more: Partial<ExchangeParts>,
  rows: string,
): void {
  const ids = rows.split(' ').filter((row) => row !== '')
  expectOnly(brokenIn(transcriptExchange(base, more)), idsOf(base, ids))
}

export const names = {
  added: 'response.output_item.added',
  done: 'response.output_item.done',
  partAdded: 'response.content_part.added',
  partDone: 'response.content_part.done',
  delta: 'response.output_text.delta',
  textDone: 'response.output_text.done',
  completed: 'response.completed',
} as const

/** An edit that changes some events in place. */
function editing(
  pick: (events: EditableEvent[]) => EditableEvent[],
  change: (event: EditableEvent) => void,
): Edit {
  return (events) => {
    pick(events).forEach(change)
    return events
  }
}

/** An edit of every event. */
export function everywhere(change: (event: EditableEvent) => void): Edit {
  return editing((events) => events, change)
}

/** An edit of the data of the nth event; compatible streams give their events no names. */
export function nth(at: number, change: (json: Body) => void): Edit {
  return editing(
    (events) => events.slice(at, at + 1),
    ({ json }) => change(json),
  )
}

/** An edit of the data of the nth event of a name. */
export function changed(name: string, change: (json: Body) => void, nth = 0): Edit {
  return editing(
    (events) => [the(events, name, nth)],
    ({ json }) => change(json),
  )
}

export function inFinal(change: (response: Body) => void): Edit {
  return changed(names.completed, ({ response }) => change(response))
}

/** An edit of every choice in every chunk. */
export function inChoices(change: (choice: Body) => void): Edit {
  return everywhere(({ json }) => json.choices?.forEach(change))
}

/** An edit of every event whose data has a field with this value. */
export function replaceEverywhere(member: string, from: unknown, to: unknown): Edit {
  return everywhere(({ json }) => {
    if (json[member] === from) json[member] = to
  })
}

/** An event of a transcript that a test may change as it likes. */
export interface EditableEvent {
  event: string | null
  json: Body
}

export type Edit = (events: EditableEvent[]) => EditableEvent[] | undefined

/** A transcript with its events changed and renumbered: a missing or moved event is then the only fault of the stream. */
export function edited(name: TranscriptName, edit: Edit): string {
  const events = eventsOf(name)
  const changed = edit(events) ?? events
  renumber(changed)
  return changed.map(textOf).join('')
}

export function eventsOf(name: TranscriptName): EditableEvent[] {
  return new SseScanner().feed(readTranscript(name).bytes, 0).flatMap(({ name: event, data }) => {
    if (data === null) return []
    return [{ event, json: data === '[DONE]' ? data : JSON.parse(data) }]
  })
}

/** The first event of a name, for an edit to change. */
export function the(events: EditableEvent[], name: string, nth = 0): EditableEvent {
  const found = events.filter(({ event }) => event === name)[nth]
  if (found === undefined) throw new Error(`no ${name} in this transcript`)
  return found
}

/** An event of the v3 stream whose data has its type and these fields. */
export function eventNamed(name: string, fields: object = {}): EditableEvent {
  return { event: name, json: { type: name, sequence_number: 0, ...fields } }
}

/** An edit that removes the nth event of a name. */
export function without(name: string, nth = 0): Edit {
  return (events) => {
    const removed = the(events, name, nth)
    return events.filter((event) => event !== removed)
  }
}

/** An edit that inserts an event after the nth of a name. */
export function after(name: string, added: (found: EditableEvent) => EditableEvent, nth = 0): Edit {
  return (events) => {
    const found = the(events, name, nth)
    return events.toSpliced(events.indexOf(found) + 1, 0, added(structuredClone(found)))
  }
}

/** An edit that swaps the first event of a name with the nth of another one. */
export function swapped(a: string, b: string, nthOfB = 0): Edit {
  return (events) => {
    const first = events.indexOf(the(events, a))
    const second = events.indexOf(the(events, b, nthOfB))
    return events.map((event, at) =>
      at === first ? the(events, b, nthOfB) : at === second ? the(events, a) : event,
    )
  }
}

function renumber(events: readonly EditableEvent[]): void {
  let number = 0
  for (const { json } of events) {
    if (isObject(json) && typeof json['sequence_number'] === 'number') {
      Object.assign(json, { sequence_number: number })
      number += 1
    }
  }
}

function textOf({ event, json }: EditableEvent): string {
  const data = typeof json === 'string' ? json : JSON.stringify(json)
  return `${event === null ? '' : `event: ${event}\n`}data: ${data}\n\n`
}
