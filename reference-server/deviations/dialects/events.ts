/** Other legal sequences of events: the document names five, and says that further ones occur. */
import type { ResponseEvent } from '../../events/sequence.ts'
import { put } from '../json-edit.ts'
import { become, type Edit, every, rawStream, set, stream, written } from '../streams.ts'
import type { Dialect } from '../types.ts'
import { alternatives } from './alternatives.ts'
import { byMembers, ends } from './responses.ts'

const delta = 'response.output_text.delta'
const opening = every('response.created', 'response.in_progress')

export const events: readonly Dialect[] = [
  {
    name: 'events-of-five-names',
    summary: 'The stream has the five events of the document, and no other but for other ends.',
    refit: stream((all) => all.filter(({ type }) => documented.has(type) || ends.includes(type))),
  },
  {
    name: 'events-of-a-vendor',
    summary: 'Events with a vendor prefix stand between the others; some have no number.',
    refit: rawStream(become(every(delta, 'response.output_item.added'), withVendorEvent)),
  },
  {
    name: 'events-keepalive',
    summary: 'A keepalive event follows the first, without a number.',
    refit: rawStream(
      become(every('response.created'), (event) => [
        event,
        { type: 'keepalive' } as unknown as ResponseEvent,
      ]),
    ),
  },
  {
    name: 'events-with-further-members',
    summary: 'Every event has members that no contract knows.',
    refit: rawStream((all) =>
      all.map((event) => ({ ...event, obfuscation: 'xK2', svc: { a: 1 } })),
    ),
  },
  {
    name: 'events-queued',
    summary: 'The response is created in a queue and says so before it is in progress.',
    refit: stream(
      set(every('response.created'), 'response.status', 'queued'),
      become(every('response.created'), (event) => [event, { ...event, type: 'response.queued' }]),
    ),
  },
  {
    name: 'snapshots-slim',
    summary: 'The first events show four members of the response.',
    refit: rawStream(set(opening, 'response', byMembers('id', 'object', 'status', 'output'))),
  },
  {
    name: 'events-without-type',
    summary: 'The data of events has no type. The contract wants it; the document does not.',
    refit: written(({ event, data }) => {
      return `event: ${event}\ndata: ${JSON.stringify(put(data, 'type', undefined))}\n\n`
    }),
  },
  {
    name: 'deltas-empty',
    summary: 'An empty delta stands before each delta.',
    refit: stream(become(every(delta), (event) => [{ ...event, delta: '' }, event])),
  },
  ...alternatives([
    {
      name: 'deltas-of-one-character',
      summary: 'Each delta holds one character.',
      refit: stream(become(every(delta), inCharacters)),
    },
    {
      name: 'deltas-joined',
      summary: 'The whole text comes in one delta.',
      refit: stream(joinedDeltas()),
    },
  ]),
  {
    name: 'deltas-without-item-id',
    summary: 'Deltas name their item by its index alone.',
    refit: rawStream(set(every(delta, 'response.reasoning_text.delta'), 'item_id', undefined)),
  },
  {
    name: 'texts-without-logprobs',
    summary: 'Events of the text have no logprobs.',
    refit: rawStream(set(every(delta, 'response.output_text.done'), 'logprobs', undefined)),
  },
  ...alternatives([
    {
      name: 'numbers-in-steps',
      summary: 'sequence_number starts at 1 and rises by three.',
      refit: rawStream((all) =>
        all.map((event, at) => ({ ...event, sequence_number: 1 + 3 * at })),
      ),
    },
    {
      name: 'numbers-left-out',
      summary: 'Events have no sequence_number. The contract wants it; the document does not.',
      refit: rawStream((all) => all.map((event) => put(event, 'sequence_number', undefined))),
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

function inCharacters(event: ResponseEvent): readonly ResponseEvent[] {
  return [...String(event['delta'])].map((character) => ({ ...event, delta: character }))
}

function joinedDeltas(): Edit {
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
