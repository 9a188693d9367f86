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
import { alternatives, dialectTable } from '../../table.ts'
import type { Dialect } from '../../types.ts'
import { pickMembers, terminalEvents } from './responses.ts'

const delta = 'response.output_text.delta'
const openingEvents = all('response.created', 'response.in_progress')

export const events: readonly Dialect[] = [
  ...dialectTable({
    'events-of-five-names: v3 streams contain only the events named in the document and the other terminal events.':
      editEvents((all) =>
        all.filter(({ type }) => documented.has(type) || terminalEvents.includes(type)),
      ),
    'events-of-a-vendor: Vendor events without sequence_number are sent between the others.':
      editRawEvents(replaceEvents(all(delta, 'response.output_item.added'), withVendorEvent)),
    'events-keepalive: A keepalive event without sequence_number is sent after response.created.':
      editRawEvents(
        replaceEvents('response.created', (event) => [
          event,
          { type: 'keepalive' } as unknown as ResponseEvent,
        ]),
      ),
    'events-with-further-members: Every event has additional members.': editRawEvents((all) =>
      all.map((event) => ({ ...event, obfuscation: 'xK2', svc: { a: 1 } })),
    ),
    'events-queued: The response is created with the status queued, and response.queued precedes response.in_progress.':
      editEvents(
        setInEvents('response.created', { 'response.status': 'queued' }),
        replaceEvents('response.created', (event) => [
          event,
          { ...event, type: 'response.queued' },
        ]),
      ),
    'snapshots-slim: The response object of the first events has only four members.': editRawEvents(
      setInEvents(openingEvents, { response: pickMembers('id', 'object', 'status', 'output') }),
    ),
    'snapshots-absent: The first events have no response object; the terminal event has it.':
      editRawEvents(setInEvents(openingEvents, { response: undefined })),
    'events-without-type: The data of events omits type. The contract requires it; the document does not.':
      rewriteBlocks(({ event, data }) => {
        return `event: ${event}\ndata: ${JSON.stringify(setAt(data, 'type', undefined))}\n\n`
      }),
    'deltas-empty: An empty delta precedes each delta.': editEvents(
      replaceEvents(delta, (event) => [{ ...event, delta: '' }, event]),
    ),
    'deltas-without-item-id: Deltas omit item_id.': editRawEvents(
      setInEvents(all(delta, 'response.reasoning_text.delta'), { item_id: undefined }),
    ),
    'texts-without-logprobs: Text events omit logprobs.': editRawEvents(
      setInEvents(all(delta, 'response.output_text.done'), { logprobs: undefined }),
    ),
  }),
  ...alternatives({
    'deltas-of-one-character: Each delta contains one character.': editEvents(
      replaceEvents(delta, splitInCharacters),
    ),
    'deltas-joined: The text of an item is sent in a single delta.': editEvents(joinDeltas()),
  }),
  ...alternatives({
    'numbers-in-steps: sequence_number starts at 1 and increases by 3.': editRawEvents((all) =>
      all.map((event, at) => ({ ...event, sequence_number: 1 + 3 * at })),
    ),
    'numbers-left-out: Events omit sequence_number. The contract requires it; the document does not.':
      editRawEvents((all) => all.map((event) => setAt(event, 'sequence_number', undefined))),
  }),
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
  const text = textOf(event)
  if (text === undefined) return [event]
  return [...text].map((character) => ({ ...event, delta: character }))
}

/** Undefined for a delta without a text, which is that of a fault and stays as it is. */
function textOf(event: ResponseEvent): string | undefined {
  return event.type === delta && typeof event['delta'] === 'string' ? event['delta'] : undefined
}

function joinDeltas(): Edit {
  return (all) => {
    const texts = Map.groupBy(
      all.filter((event) => textOf(event) !== undefined),
      (event) => event['output_index'],
    )
    const whole = new Map(
      [...texts.values()].map((same) => [same.at(-1), same.map(textOf).join('')]),
    )
    return all.flatMap((event) => {
      if (textOf(event) === undefined) return [event]
      const text = whole.get(event)
      return text === undefined ? [] : [{ ...event, delta: text }]
    })
  }
}
