/** Deviations of the v3 event stream, as edits of its events, of its blocks, and of their bytes. */
import type { ResponseRun } from '../events/run.ts'
import type { ResponseEvent } from '../events/sequence.ts'
import type { SseBlock } from '../events/sse.ts'
import type { Call } from '../http/call.ts'
import type { Patch } from '../services.ts'
import { setAt } from './json-edit.ts'

type Events = readonly ResponseEvent[]
/** Another sequence out of the events of a run. */
export type Edit = (events: Events, run: ResponseRun) => Events

/** Numbers the events anew, so that a missing or a moved one is the only deviation. */
export function editEvents(...edits: readonly Edit[]): Patch {
  return editRawEvents(...edits, (events) =>
    events.map((event, sequence_number) => ({ ...event, sequence_number })),
  )
}

/** Leaves the numbers as they are. */
export function editRawEvents(...edits: readonly Edit[]): Patch {
  return (services) => ({
    ...services,
    events: (run) => edits.reduce<Events>((all, edit) => edit(all, run), [...services.events(run)]),
  })
}

/** The events as if the run were another; history and JSON form do not know. */
export function editRun(change: (run: ResponseRun) => ResponseRun): Patch {
  return (services) => ({ ...services, events: (run) => services.events(change(run)) })
}

/** An edit of the runs that a condition holds for. */
export function when(condition: (run: ResponseRun) => boolean, edit: Edit): Edit {
  return (events, run) => (condition(run) ? edit(events, run) : events)
}

export const isCompleted = (run: ResponseRun): boolean => run.finish === 'stop'
export const isThinking = (run: ResponseRun): boolean =>
  run.steps.some(({ type }) => type === 'reasoning')

/** What an edit is about: events of a type, all or the nth of them; -1 is the last. */
export interface EventSelector {
  readonly types: readonly string[]
  readonly nth?: number
}

export function nth(type: string, nth: number): EventSelector {
  return { types: [type], nth }
}

export function all(...types: readonly string[]): EventSelector {
  return { types }
}

/** Each chosen event becomes several, one, or none. */
export function replaceEvents(
  chosen: EventSelector,
  make: (event: ResponseEvent, all: Events) => Events,
): Edit {
  return (events) => {
    const found = events.filter(({ type }) => chosen.types.includes(type))
    const meant = new Set(chosen.nth === undefined ? found : [found.at(chosen.nth)])
    return events.flatMap((event) => (meant.has(event) ? make(event, events) : [event]))
  }
}

export function dropEvents(...types: readonly string[]): Edit {
  return replaceEvents(all(...types), () => [])
}

/** A member of the chosen events is another, or gone where it becomes undefined. */
export function setInEvents(chosen: EventSelector, path: string, to: unknown): Edit {
  return replaceEvents(chosen, (event) => [setAt(event, path, to)])
}

/** Each event of a type changes places with the next one of the type: the first with the second, … */
export function swapPairs(type: string): Edit {
  return (events) => {
    const places = events.flatMap((event, at) => (event.type === type ? [at] : []))
    const result = [...events]
    for (let pair = 0; pair + 1 < places.length; pair += 2) {
      const [a = 0, b = 0] = places.slice(pair)
      const [first, second] = [events[a], events[b]]
      if (first !== undefined && second !== undefined) result.splice(a, 1, second)
      if (first !== undefined && second !== undefined) result.splice(b, 1, first)
    }
    return result
  }
}

/** The chosen events go where the first event of another type stands, before or behind it. */
export function moveEvents(chosen: EventSelector, side: 'before' | 'behind', type: string): Edit {
  return (events) => {
    const found = events.filter((event) => chosen.types.includes(event.type))
    const movers = chosen.nth === undefined ? found : found.slice(chosen.nth).slice(0, 1)
    const rest = events.filter((event) => !movers.includes(event))
    const at = rest.findIndex((event) => event.type === type)
    return at < 0 ? events : rest.toSpliced(side === 'before' ? at : at + 1, 0, ...movers)
  }
}

/** Blocks of the v3 stream written otherwise; undefined leaves one as it is. */
export function rewriteBlocks(
  write: (block: NamedBlock, original: Buffer) => Uint8Array | string | undefined,
): Patch {
  return (services) => ({
    ...services,
    encode: (block) => {
      const original = Buffer.from(services.encode(block))
      if (!isNamed(block)) return original
      const other = write(block, original)
      return typeof other === 'string' ? Buffer.from(other) : (other ?? original)
    },
  })
}

export interface NamedBlock {
  readonly event: string
  readonly data: object | '[DONE]'
}

/** The blocks of the v3 stream on their way, of live answers and replays. */
export function onV3Blocks(
  change: (blocks: AsyncIterable<SseBlock>, call: Call) => AsyncIterable<SseBlock>,
  headers: Readonly<Record<string, string>> = {},
): Patch {
  return (services) => ({
    ...services,
    outgoing: (call, reply) => {
      const original = services.outgoing(call, reply)
      if (!('blocks' in original) || !call.path.startsWith('/api/v3/')) return original
      return {
        ...original,
        headers: { ...original.headers, ...headers },
        blocks: change(original.blocks, call),
      }
    },
  })
}

type Rechunk = (chunks: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>

/** The bytes of the v3 stream in other pieces. */
export function rechunkV3(change: Rechunk): Patch {
  return rechunkWhere(change, ({ path }) => path.startsWith('/api/v3/'))
}

/** The bytes of all streams in other pieces. */
export function rechunkAll(change: Rechunk): Patch {
  return rechunkWhere(change, () => true)
}

function rechunkWhere(change: Rechunk, meant: (call: Call) => boolean): Patch {
  return (services) => {
    const streamed = new WeakSet<Call>()
    return {
      ...services,
      outgoing: (call, reply) => {
        const original = services.outgoing(call, reply)
        if ('blocks' in original && meant(call)) streamed.add(call)
        return original
      },
      bytes: (call, chunks) => {
        const original = services.bytes(call, chunks)
        return streamed.has(call) ? change(original) : original
      },
    }
  }
}

function isNamed(block: SseBlock): block is NamedBlock {
  return block.event !== undefined
}
