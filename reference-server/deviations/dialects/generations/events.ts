/** Other legal sequences of events: the document names five, and says that further ones occur. */
import type { ResponseEvent } from '../../../events/sequence.ts'
import {
  all,
  type Edit,
  editEvents,
  editRawEvents,
  replaceEvents,
  setInEvents,
} from '../../patches/events.ts'
import { rewriteBlocks } from '../../patches/framing.ts'
import { setAt } from '../../patches/json.ts'
import type { Dialect } from '../../types.ts'
import { alternatives } from '../alternatives.ts'
import { pickMembers, terminalEvents } from './responses.ts'

const delta = 'response.output_text.delta'
const openingEvents = all('response.created', 'response.in_progress')

export const events: readonly Dialect[] = [
  {
    name: 'events-of-five-names',
    summary: 'The stream has the five events of the document, and no other but for other ends.',
    patch: editEvents((all) =>
      all.filter(({ type }) => documented.has(type) || terminalEvents.includes(type)),
    ),
  },
  {
    name: 'events-of-a-vendor',
    summary: 'Events with a vendor prefix stand between the others; some have no number.',
    patch: editRawEvents(replaceEvents(all(delta, 'response.output_item.added'), withVendorEvent)),
  },
  {
    name: 'events-keepalive',
    summary: 'A keepalive event follows the first, without a number.',
    patch: editRawEvents(
      replaceEvents(all('response.created'), (event) => [
        event,
        { type: 'keepalive' } as unknown as ResponseEvent,
      ]),
    ),
  },
  {
    name: 'events-with-further-members',
    summary: 'Every event has members that no contract knows.',
    patch: editRawEvents((all) =>
      all.map((event) => ({ ...event, obfuscation: 'xK2', svc: { a: 1 } })),
    ),
  },
  {
    name: 'events-queued',
    summary: 'The response is created in a queue and says so before it is in progress.',
    patch: editEvents(
      setInEvents(all('response.created'), 'response.status', 'queued'),
      replaceEvents(all('response.created'), (event) => [
        event,
        { ...event, type: 'response.queued' },
      ]),
    ),
  },
  {
    name: 'snapshots-slim',
    summary: 'The first events show four members of the response.',
    patch: editRawEvents(
      setInEvents(openingEvents, 'response', pickMembers('id', 'object', 'status', 'output')),
    ),
  },
  {
    name: 'events-without-type',
    summary: 'The data of events has no type. The contract wants it; the document does not.',
    patch: rewriteBlocks(({ event, data }) => {
      return `event: ${event}\ndata: ${JSON.stringify(setAt(data, 'type', undefined))}\n\n`
    }),
  },
  {
    name: 'deltas-empty',
    summary: 'An empty delta stands before each delta.',
    patch: editEvents(replaceEvents(all(delta), (event) => [{ ...event, delta: '' }, event])),
  },
  ...alternatives([
    {
      name: 'deltas-of-one-character',
      summary: 'Each delta holds one character.',
      patch: editEvents(replaceEvents(all(delta), splitInCharacters)),
    },
    {
      name: 'deltas-joined',
      summary: 'The whole text comes in one delta.',
      patch: editEvents(joinDeltas()),
    },
  ]),
  {
    name: 'deltas-without-item-id',
    summary: 'Deltas name their item by its index alone.',
    patch: editRawEvents(
      setInEvents(all(delta, 'response.reasoning_text.delta'), 'item_id', undefined),
    ),
  },
  {
    name: 'texts-without-logprobs',
    summary: 'Events of the text have no logprobs.',
    patch: editRawEvents(
      setInEvents(all(delta, 'response.output_text.done'), 'logprobs', undefined),
    ),
  },
  ...alternatives([
    {
      name: 'numbers-in-steps',
      summary: 'sequence_number starts at 1 and rises by three.',
      patch: editRawEvents((all) =>
        all.map((event, at) => ({ ...event, sequence_number: 1 + 3 * at })),
      ),
    },
    {
      name: 'numbers-left-out',
      summary: 'Events have no sequence_number. The contract wants it; the document does not.',
      patch: editRawEvents((all) => all.map((event) => setAt(event, 'sequence_number', undefined))),
    },
  ]),
]

const documented: ReadonlySet<string> = new Set([
  'response.created',
  'response.output_item.added',
  delta,
  'response.reasoning_text.delta',
  'response.completed',
])

function withVendorEvent(event: ResponseEvent): readonly ResponseEvent[] {
  const vendor = { type: 'svc:progress', tokens: { so_far: 3 }, response: null }
  return [{ ...vendor } as unknown as ResponseEvent, event]
}

function splitInCharacters(event: ResponseEvent): readonly ResponseEvent[] {
  return [...String(event['delta'])].map((character) => ({ ...event, delta: character }))
}

function joinDeltas(): Edit {
  return (all) => {
    const texts = Map.groupBy(
      all.filter(({ type }) => type === delta),
      (event) => event['output_index'],
    )
    const whole = new Map(
      [...texts.values()].map((same) => [
        same.at(-1),
        same.map((event) => String(event['delta'])).join(''),
      ]),
    )
    return all.flatMap((event) => {
      if (event.type !== delta) return [event]
      const text = whole.get(event)
      return text === undefined ? [] : [{ ...event, delta: text }]
    })
  }
}
