/** Answers to a repeat with the same Idempotency-Key: open, as long as there is one step. */
import type { SseBlock } from '../../../events/sse.ts'
import type { Reply } from '../../../http/call.ts'
import { ApiError, errorReply } from '../../../http/errors.ts'
import type { Patch, Services } from '../../../services.ts'
import { waitingIdempotency } from '../../../store/waiting-idempotency.ts'
import { toObject } from '../../patches/json.ts'
import { onReply } from '../../patches/replies.ts'
import { v3Generate } from '../../patches/routes.ts'
import { onStore } from '../../patches/services.ts'
import { alternatives, dialectTable } from '../../table.ts'
import type { Dialect } from '../../types.ts'
import { terminalEvents } from './responses.ts'

export const repeats: readonly Dialect[] = [
  ...dialectTable({
    'repeat-waits: A repeat of a running request waits until that request completes.': onStore(
      'idempotency',
      (original, { clock }) => waitingIdempotency(original, clock),
    ),
  }),
  ...alternatives({
    'repeat-in-short: A repeat of a stream returns only response.created and response.completed.':
      onReplay((reply) =>
        'blocks' in reply ? { ...reply, blocks: firstAndLast(reply.blocks) } : reply,
      ),
    'repeat-in-json: A repeat of a stream returns the final response as JSON.': replayAsJson,
    'repeat-409: A repeat is rejected with 409.': onReplay(() =>
      errorReply(new ApiError(409, 'This step was made already')),
    ),
    'repeat-422: A repeat is rejected with 422.': onReplay(() =>
      errorReply(new ApiError(422, 'This step was made already')),
    ),
    'repeat-noted: A repeat returns 200 with the status duplicate.': onReplay(() => ({
      status: 200,
      body: { status: 'duplicate' },
    })),
    'repeat-204: A repeat returns 204.': onReplay(() => ({ status: 204 })),
  }),
]

function onReplay(change: (reply: Reply) => Reply): Patch {
  return onReply(v3Generate, (reply) =>
    reply.headers?.['idempotency-replayed'] === 'true' ? change(reply) : reply,
  )
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
