/** Response objects with more or fewer members than ours, the same in both forms. */
import type { Patch } from '../../../services.ts'
import { all, editRawEvents, setInEvents } from '../../patches/events.ts'
import { type Json, toObject } from '../../patches/json.ts'
import { onBlocks, onReply, onSuccessBody } from '../../patches/replies.ts'
import { compose } from '../../patches/services.ts'
import type { Dialect } from '../../types.ts'
import { alternatives } from '../alternatives.ts'

export const terminalEvents: readonly string[] = [
  'response.completed',
  'response.incomplete',
  'response.failed',
]
const snapshots: readonly string[] = ['response.created', 'response.in_progress', ...terminalEvents]
const generations = ['POST /api/v3/message/generate', 'POST /api/v3/message/one-shot'] as const

/** A function that keeps these members of an object and takes the others away. */
export function pickMembers(...names: readonly string[]): (object: unknown) => Json {
  return (object) =>
    Object.fromEntries(Object.entries(toObject(object)).filter(([name]) => names.includes(name)))
}

/** Another response object wherever one is shown. */
function reshapeResponses(change: (response: Json) => Json): Patch {
  return compose([
    editRawEvents(
      setInEvents(all(...snapshots), 'response', (response: unknown) => change(toObject(response))),
    ),
    ...generations.map((route) =>
      onSuccessBody(route, (body) => (body['object'] === 'response' ? change(body) : body)),
    ),
  ])
}

export const responses: readonly Dialect[] = [
  ...alternatives([
    {
      name: 'responses-slim',
      summary: 'A response has its id, its status and its output, and no usage.',
      patch: reshapeResponses(
        pickMembers('id', 'object', 'created_at', 'model', 'status', 'output', 'error'),
      ),
    },
    {
      name: 'responses-with-further-members',
      summary: 'A response has an output_text and members that no contract knows.',
      patch: reshapeResponses((response) => ({
        ...response,
        output_text: null,
        svc: { region: 'north' },
        conversation: null,
      })),
    },
    {
      name: 'responses-without-status',
      summary: 'A response does not say its status; its event does.',
      patch: reshapeResponses(({ status: _, ...response }) => response),
    },
  ]),
  {
    name: 'usage-in-detail',
    summary: 'The usage counts more than the contract names.',
    patch: reshapeResponses((response) =>
      response['usage'] === null || response['usage'] === undefined
        ? response
        : {
            ...response,
            usage: { ...toObject(response['usage']), num_sources_used: 0, cost: 0.1 },
          },
    ),
  },
  {
    name: 'stream-by-default',
    summary: 'A generation without a stream member is answered with a stream.',
    patch: (services) => ({
      ...services,
      incoming: (call) => {
        const seen = services.incoming(call)
        return /^\/api\/v3\/message\/(generate|one-shot)$/.test(seen.path)
          ? { ...seen, body: { stream: true, ...toObject(seen.body) } }
          : seen
      },
    }),
  },
  {
    name: 'done-marker',
    summary:
      'data: [DONE] closes the v3 stream. The contract has no such line; the document neither.',
    patch: compose(
      generations.map((route) =>
        onBlocks(route, async function* (blocks) {
          yield* blocks
          yield { data: '[DONE]' as const }
        }),
      ),
    ),
  },
  {
    name: 'generations-created',
    summary: 'A generation in one piece is answered with 201.',
    patch: compose(
      generations.map((route) =>
        onReply(route, (reply) =>
          'blocks' in reply || reply.status !== 200 ? reply : { ...reply, status: 201 },
        ),
      ),
    ),
  },
]
