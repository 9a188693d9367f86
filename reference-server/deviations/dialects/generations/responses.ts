/** Response objects with more or fewer members than ours, the same in both forms. */
import type { Patch } from '../../../services.ts'
import { all, editRawEvents, setInEvents } from '../../patches/events.ts'
import { type Json, setAt, toList, toObject } from '../../patches/json.ts'
import { onBlocks, onReply, onSuccessBody } from '../../patches/replies.ts'
import { compose } from '../../patches/services.ts'
import { alternatives, dialectTable } from '../../table.ts'
import type { Dialect } from '../../types.ts'

export const terminalEvents: readonly string[] = [
  'response.completed',
  'response.incomplete',
  'response.failed',
]
const snapshots: readonly string[] = ['response.created', 'response.in_progress', ...terminalEvents]
const generations = ['POST /api/v3/message/generate', 'POST /api/v3/message/one-shot'] as const

/** A function that keeps only these members of an object. */
export function pickMembers(...names: readonly string[]): (object: unknown) => Json {
  return (object) =>
    Object.fromEntries(Object.entries(toObject(object)).filter(([name]) => names.includes(name)))
}

/** Maps the response object in all responses and events. */
function reshapeResponses(change: (response: Json) => Json): Patch {
  return compose([
    editRawEvents(
      setInEvents(all(...snapshots), {
        response: (response: unknown) => change(toObject(response)),
      }),
    ),
    ...generations.map((route) =>
      onSuccessBody(route, (body) => (body['object'] === 'response' ? change(body) : body)),
    ),
  ])
}

const withoutStatus = ({ status: _, ...item }: Json): Json => item

export const responses: readonly Dialect[] = [
  ...dialectTable({
    'items-without-status: Output items have no status, in responses, events and histories.':
      compose([
        reshapeResponses((response) => ({
          ...response,
          output: toList(response['output']).map((item) => withoutStatus(toObject(item))),
        })),
        editRawEvents((all) =>
          all.map((event) => ('item' in event ? setAt(event, 'item.status', undefined) : event)),
        ),
        onSuccessBody('GET /api/v3/message', (body) =>
          setAt(body, 'result.*', (row: Json) => ({
            ...row,
            item: row['item'] === null ? null : withoutStatus(toObject(row['item'])),
            item_status: null,
          })),
        ),
      ]),
    'usage-in-detail: usage has additional members.': reshapeResponses((response) =>
      response['usage'] === null || response['usage'] === undefined
        ? response
        : {
            ...response,
            usage: { ...toObject(response['usage']), num_sources_used: 0, cost: 0.1 },
          },
    ),
    'stream-by-default: stream defaults to true in v3 generations.': (services) => ({
      ...services,
      incoming: (call) => {
        const received = services.incoming(call)
        return /^\/api\/v3\/message\/(generate|one-shot)$/.test(received.path)
          ? { ...received, body: { stream: true, ...toObject(received.body) } }
          : received
      },
    }),
    'done-marker: v3 streams end with data: [DONE], which neither the contract nor the document mentions.':
      compose(
        generations.map((route) =>
          onBlocks(route, async function* (blocks) {
            yield* blocks
            yield { data: '[DONE]' as const }
          }),
        ),
      ),
    'generations-created: Non-streaming v3 generations return 201.': compose(
      generations.map((route) =>
        onReply(route, (reply) =>
          'blocks' in reply || reply.status !== 200 ? reply : { ...reply, status: 201 },
        ),
      ),
    ),
  }),
  ...alternatives({
    'responses-slim: The response object omits optional members such as usage.': reshapeResponses(
      pickMembers('id', 'object', 'created_at', 'model', 'status', 'output', 'error'),
    ),
    'responses-with-further-members: The response object has additional members such as output_text.':
      reshapeResponses((response) => ({
        ...response,
        output_text: null,
        svc: { region: 'north' },
        conversation: null,
      })),
    'responses-without-status: The response object omits status.': reshapeResponses(
      ({ status: _, ...response }) => response,
    ),
  }),
]
