import { isObject } from '../../../contract/json.ts'
import { readTranscript, type TranscriptName } from '../../../fixtures/transcripts.ts'
import { SseScanner } from '../index.ts'
import type { Body } from './bodies.ts'

/** An event of a transcript that a test may change as it likes. */
export interface EditableEvent {
  event: string | null
  json: Body
}

export type Edit = (events: EditableEvent[]) => EditableEvent[] | undefined

/**
 * A transcript with its events changed and, unless `raw`, numbered anew, so that a missing or a
 * moved event is the only fault of the stream.
 */
export function edited(name: TranscriptName, edit: Edit, { raw = false } = {}): string {
  const events = eventsOf(name)
  const changed = edit(events) ?? events
  if (!raw) renumber(changed)
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

/** An edit that takes the nth event of a name away. */
export function without(name: string, nth = 0): Edit {
  return (events) => {
    const removed = the(events, name, nth)
    return events.filter((event) => event !== removed)
  }
}

/** An edit that puts an event behind the nth of a name. */
export function after(name: string, added: (found: EditableEvent) => EditableEvent, nth = 0): Edit {
  return (events) => {
    const at = events.indexOf(the(events, name, nth))
    const found = the(events, name, nth)
    return events.toSpliced(at + 1, 0, added(structuredClone(found)))
  }
}

/** An edit that swaps two events. */
export function swapped(a: readonly [string, number], b: readonly [string, number]): Edit {
  return (events) => {
    const first = events.indexOf(the(events, ...a))
    const second = events.indexOf(the(events, ...b))
    return events.map((event, at) =>
      at === first ? the(events, ...b) : at === second ? the(events, ...a) : event,
    )
  }
}

/** An edit that changes the data of the nth event of a name in place. */
export function changed(name: string, change: (json: Body) => void, nth = 0): Edit {
  return (events) => {
    change(the(events, name, nth).json)
    return undefined
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
