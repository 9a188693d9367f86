/** Response objects and events other than ours: the document names five events and few fields. */
import { isObject } from '../../../../contract/json.ts'
import { documentedEvents } from '../../../../contract/wire.ts'
import type { ResponseEvent } from '../../../events/sequence.ts'
import type { Patch } from '../../../services.ts'
import {
  all,
  type Edit,
  editEvents,
  editRawEvents,
  replaceEvents,
  setInEvents,
  terminalEvents,
} from '../../patches/events.ts'
import { rewriteBlocks } from '../../patches/framing.ts'
import { type Fields, type Json, pickMembers, setAll, setAt, toObject } from '../../patches/json.ts'
import { onBlocks, onSuccess, onSuccessBody, setFields, thenDone } from '../../patches/replies.ts'
import { onRequestBody } from '../../patches/requests.ts'
import { compose } from '../../patches/services.ts'
import { alternatives, type Dialect, dialectTable } from '../../table.ts'

const snapshots: readonly string[] = ['response.created', 'response.in_progress', ...terminalEvents]
const generations = ['v3.generate', 'v3.oneShot'] as const

/** Sets fields of the response object in all responses and events. */
function setInResponses(fields: Fields): Patch {
  return editResponses((response) => setAll(response, fields))
}

function editResponses(change: (response: Json) => Json): Patch {
  return compose([
    editRawEvents(
      setInEvents(all(...snapshots), {
        response: (response: unknown) => change(toObject(response)),
      }),
    ),
    onSuccessBody(generations, (body) => (body['object'] === 'response' ? change(body) : body)),
  ])
}

export const responses: readonly Dialect[] = [
  ...dialectTable({
    'items-without-status: Output items have no status, in responses, events and histories.':
      compose([
        setInResponses({ 'output.*.status': undefined }),
        editRawEvents((events) =>
          events.map((event) => ('item' in event ? setAt(event, 'item.status', undefined) : event)),
        ),
        setFields('v3.history', {
          'result.*.item.status': undefined,
          'result.*.item_status': null,
        }),
      ]),
    'calls-of-mcp: A tool that is called is an item of the type mcp_call.': compose([
      setInResponses({ 'output.*': toMcp }),
      editRawEvents((events) =>
        events.map(({ type, ...event }) => ({
          ...('item' in event ? setAt(event, 'item', toMcp) : event),
          type: type.replace('.function_call_', '.mcp_call_'),
        })),
      ),
      setFields('v3.history', {
        'result.*': ({ item_type, ...row }: Json) => {
          const item = toMcp(row['item'])
          return { item_type: isObject(item) ? item['type'] : item_type, ...row, item }
        },
      }),
    ]),
    'usage-in-detail: usage has additional members.': setInResponses({
      usage: (usage: Json | null | undefined) =>
        usage && { ...usage, num_sources_used: 0, cost: 0.1 },
    }),
    'usage-without-details: usage has only the three counts.': setInResponses({
      usage: (usage: Json | null | undefined) =>
        usage && pickMembers('input_tokens', 'output_tokens', 'total_tokens')(usage),
    }),
    'stream-by-default: stream defaults to true in v3 generations.': onRequestBody(
      generations,
      (body) => ({ stream: true, ...body }),
    ),
    'done-marker: v3 streams end with data: [DONE], which neither the contract nor the document mentions.':
      onBlocks(generations, thenDone),
    'generations-created: Non-streaming v3 generations return 201.': onSuccess(
      generations,
      (reply) => (reply.status === 200 ? { ...reply, status: 201 } : reply),
    ),
  }),
  ...alternatives({
    'responses-slim: The response object omits optional members such as usage.': editResponses(
      pickMembers('id', 'object', 'created_at', 'model', 'status', 'output', 'error'),
    ),
    'responses-with-further-members: The response object has additional members such as output_text, whose types depend on the request.':
      editResponses((response) => ({
        ...response,
        ...{ output_text: null, svc: { region: 'north' }, conversation: null },
        limits: response['max_output_tokens'] == null ? [] : { tokens: 1 },
      })),
    'responses-without-status: The response object omits status.': setInResponses({
      status: undefined,
    }),
  }),
]

const delta = 'response.output_text.delta'
const openingEvents = all('response.created', 'response.in_progress')

export const events: readonly Dialect[] = [
  ...dialectTable({
    'events-of-five-names: v3 streams contain only the events named in the document and the other terminal events.':
      editEvents((all) =>
        all.filter(({ type }) => documentedEvents.has(type) || terminalEvents.includes(type)),
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

function withVendorEvent(event: ResponseEvent): readonly ResponseEvent[] {
  const vendor = { type: 'svc:progress', tokens: { so_far: 3 }, response: null }
  return [{ ...vendor } as unknown as ResponseEvent, event]
}

function splitInCharacters(event: ResponseEvent): readonly ResponseEvent[] {
  const text = textOf(event)
  if (text === undefined) return [event]
  return [...text].map((character) => ({ ...event, delta: character }))
}

/** Undefined for a delta without text, which comes from a fault and stays unchanged. */
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

function toMcp(item: unknown): unknown {
  const isCall = isObject(item) && item['type'] === 'function_call'
  return isCall ? { ...item, type: 'mcp_call', server_label: 'tools' } : item
}
