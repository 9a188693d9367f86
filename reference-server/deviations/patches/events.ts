/** Patches of the v3 event sequence, as edits of its events. */
import type { ResponseRun } from '../../events/run.ts'
import type { ResponseEvent } from '../../events/sequence.ts'
import type { Patch } from '../../services.ts'
import { type Fields, setAll } from './json.ts'

type Events = readonly ResponseEvent[]

/** Maps an event sequence to another one. */
export type Rewrite = (events: Events) => Events

/** The same, with the run of the events. */
export type Edit = (events: Events, run: ResponseRun) => Events

/** Renumbers the edited events, so that a gap in `sequence_number` is not a second deviation. */
export function editEvents(...edits: readonly Edit[]): Patch {
  return editRawEvents(...edits, (events) =>
    events.map((event, sequence_number) => ({ ...event, sequence_number })),
  )
}

/** Leaves `sequence_number` as set by the edits. */
export function editRawEvents(...edits: readonly Edit[]): Patch {
  return (services) => ({
    ...services,
    events: (run) =>
      edits.reduce<Events>((events, edit) => edit(events, run), [...services.events(run)]),
  })
}

/** Events of a different run than the one that is stored and returned as JSON. */
export function editRun(change: (run: ResponseRun) => ResponseRun): Patch {
  return (services) => ({ ...services, events: (run) => services.events(change(run)) })
}

export function when(condition: (run: ResponseRun) => boolean, edit: Edit): Edit {
  return (events, run) => (condition(run) ? edit(events, run) : events)
}

export const isThinking = (run: ResponseRun): boolean =>
  run.steps.some(({ type }) => type === 'reasoning')

interface Selection {
  readonly types: readonly string[]
  readonly nth?: number
}

/** Events of a type or of some types: all of them, or the nth; -1 is the last. */
export type EventSelector = string | Selection

export function nth(type: string, nth: number): Selection {
  return { types: [type], nth }
}

export function all(...types: readonly string[]): Selection {
  return { types }
}

function select(selector: EventSelector, events: Events): Events {
  const { types, nth } = typeof selector === 'string' ? all(selector) : selector
  const matches = events.filter(({ type }) => types.includes(type))
  return nth === undefined ? matches : matches.slice(nth).slice(0, 1)
}

/** Maps each selected event to any number of events. */
export function replaceEvents(
  selector: EventSelector,
  make: (event: ResponseEvent, events: Events) => Events,
): Rewrite {
  return (events) => {
    const selected = new Set(select(selector, events))
    return events.flatMap((event) => (selected.has(event) ? make(event, events) : [event]))
  }
}

export function dropEvents(...selectors: readonly EventSelector[]): Rewrite {
  return (events) => {
    const dropped = new Set(selectors.flatMap((selector) => select(selector, events)))
    return events.filter((event) => !dropped.has(event))
  }
}

/** Sets fields of the selected events; see `setAt`. */
export function setInEvents(selector: EventSelector, fields: Fields): Rewrite {
  return replaceEvents(selector, (event) => [setAll(event, fields)])
}

/** Swaps events of a type in pairs: the first with the second, the third with the fourth, … */
export function swapPairs(type: string): Rewrite {
  return (events) => {
    const places = events.flatMap((event, at) => (event.type === type ? [at] : []))
    return events.map((event, at) => {
      const place = places.indexOf(at)
      // The last bit distinguishes the places of a pair.
      const other = place < 0 ? undefined : places[place ^ 1]
      return (other !== undefined && events[other]) || event
    })
  }
}

/** Moves the selected events before or after the first event of another type. */
export function moveEvents(
  selector: EventSelector,
  side: 'before' | 'after',
  type: string,
): Rewrite {
  return (events) => {
    const movers = select(selector, events)
    const rest = events.filter((event) => !movers.includes(event))
    const at = rest.findIndex((event) => event.type === type)
    return at < 0 ? events : rest.toSpliced(side === 'before' ? at : at + 1, 0, ...movers)
  }
}

/** Names of the events that faults change. */

export const itemAdded = 'response.output_item.added'
export const itemDone = 'response.output_item.done'
export const partAdded = 'response.content_part.added'
export const partDone = 'response.content_part.done'
export const textDelta = 'response.output_text.delta'
export const textDone = 'response.output_text.done'
export const reasoningDelta = 'response.reasoning_text.delta'
export const created = 'response.created'
export const completed = 'response.completed'

/** Events that show the final response. */
export const terminalEvents: readonly string[] = [
  ...[completed, 'response.incomplete', 'response.failed'],
]
export const finalEvents = all(...terminalEvents)
