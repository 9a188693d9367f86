/** Answers to a repeat with the same key, and chains of v2 messages: both are open. */
import type { SseBlock } from '../../../events/sequence.ts'
import type { Reply } from '../../../http/call.ts'
import { ApiError, errorReply } from '../../../http/errors.ts'
import type { Patch, Services } from '../../../services.ts'
import { waitingIdempotency } from '../../../store/sql/ledger.ts'
import type { Message } from '../../../store/types.ts'
import { terminalEvents } from '../../patches/events.ts'
import { toObject } from '../../patches/json.ts'
import { onReply, onSuccess, onSuccessBody } from '../../patches/replies.ts'
import { type FaultyOperation, rejectRequests } from '../../patches/requests.ts'
import {
  editReservations,
  mapping,
  noteMessages,
  onStore,
  remembering,
} from '../../patches/services.ts'
import { alternatives, type Dialect, dialectTable } from '../../table.ts'

export const repeats: readonly Dialect[] = [
  ...dialectTable({
    'repeat-waits: A repeat of a running request waits until that request completes.': onStore(
      'idempotency',
      (original, { clock }) => waitingIdempotency(original, clock),
    ),
    'repeat-429-meanwhile: A repeat of a running request is rejected with 429 and Retry-After: 0.':
      editReservations((reservation) => {
        if (reservation.state !== 'running') return reservation
        throw new ApiError(429, 'This step is still running', null, null, { 'retry-after': '0' })
      }),
  }),
  ...alternatives({
    'repeat-in-short: A repeat of a stream returns only response.created and response.completed.':
      onReplay((reply) =>
        'blocks' in reply ? { ...reply, blocks: firstAndLast(reply.blocks) } : reply,
      ),
    'repeat-in-json: A repeat of a stream returns the final response as JSON.': replayAsJson,
    'repeat-409: A repeat is rejected with 409.': rejectReplays(409),
    'repeat-422: A repeat is rejected with 422.': rejectReplays(422),
    'repeat-noted: A repeat returns 200 with the status duplicate.': onReplay(() => ({
      status: 200,
      body: { status: 'duplicate' },
    })),
    'repeat-204: A repeat returns 204.': onReplay(() => ({ status: 204 })),
  }),
]

function onReplay(change: (reply: Reply) => Reply): Patch {
  return onReply('v3.generate', (reply) =>
    reply.headers?.['idempotency-replayed'] === 'true' ? change(reply) : reply,
  )
}

function rejectReplays(status: number): Patch {
  return onReplay(() => errorReply(new ApiError(status, 'This step was made already')))
}

async function* firstAndLast(blocks: AsyncIterable<SseBlock>): AsyncGenerator<SseBlock> {
  for await (const block of blocks) {
    if (block.event === 'response.created' || terminalEvents.includes(block.event ?? ''))
      yield block
  }
}

function replayAsJson(services: Services): Services {
  const bare = new WeakSet<object>()
  const replayed = onReplay((reply) =>
    'blocks' in reply
      ? {
          ...reply,
          headers: { ...reply.headers, 'content-type': 'application/json' },
          blocks: lastResponse(reply.blocks, bare),
        }
      : reply,
  )(services)
  return {
    ...replayed,
    encode: (block) =>
      typeof block.data === 'object' && bare.has(block.data)
        ? Buffer.from(JSON.stringify(block.data))
        : replayed.encode(block),
  }
}

async function* lastResponse(
  blocks: AsyncIterable<SseBlock>,
  bare: WeakSet<object>,
): AsyncGenerator<SseBlock> {
  for await (const { event = '', data } of blocks) {
    if (!terminalEvents.includes(event)) continue
    const response = toObject(toObject(data)['response'])
    bare.add(response)
    yield { data: response }
  }
}

/** Maximum number of messages of a chain that the model receives. */
const windowSize = 6

export const v2Chains: readonly Dialect[] = [
  ...dialectTable({
    'v2-messages-have-one-successor: A message that has its reply accepts no second reply and no further message.':
      answeredOnce(['v2.message', 'v2.generate']),
    'v2-messages-are-answered-once: A second reply to the same message is refused.': {
      // Together, nobody could say the same words twice.
      excludes: ['v2-same-message-is-stored-once'],
      patch: answeredOnce(['v2.generate']),
    },
    'v2-answers-list-the-tools: The result of a v2 generation lists all tools, including the excluded ones.':
      onSuccessBody('v2.generate', (body) => ({
        ...body,
        tools: ['get_time', 'get_weather', 'get_date'].map((name) => ({ name, enabled: false })),
      })),
    'v2-same-message-is-stored-once: A message with the same body as an earlier one returns the earlier one.':
      mapping<unknown>((stored) =>
        onSuccess('v2.message', (reply, { body }) => {
          const key = JSON.stringify(body)
          if (stored.has(key)) return { ...reply, status: 200, body: stored.get(key) }
          if (reply.body !== undefined) stored.set(key, reply.body)
          return reply
        }),
      ),
  }),
  ...alternatives({
    'v2-context-of-six-messages: The model receives only the last six messages of a chain.':
      onStore('messages', ({ chain }) => ({
        chain: async (chat, id) => (await chain(chat, id)).slice(-windowSize),
      })),
    'v2-context-of-the-whole-chat: A message without parent_id continues everything that was said in its chat.':
      mapping<Message>((stored) => [
        noteMessages((message) => stored.set(message.id, message)),
        onStore('messages', ({ chain }) => ({
          chain: async (chat, id) => {
            const messages = await chain(chat, id)
            const ids = new Set(messages.map((one) => one.id))
            const others = [...stored.values()].filter((one) => one.chatId === chat)
            return [...others.filter((one) => !ids.has(one.id)), ...messages]
          },
        })),
      ]),
  }),
]

/** Rejects requests whose parent is a message that has its reply. */
function answeredOnce(operations: readonly FaultyOperation[]): Patch {
  return remembering((answered) => [
    noteMessages(({ role, parentId }) => role === 'assistant' && answered.add(String(parentId))),
    rejectRequests(
      operations,
      (body) => answered.has(String(body['parent_id'])),
      409,
      'This message already has a reply',
    ),
  ])
}
