/** How a repeat with the same Idempotency-Key is answered: open, as long as the step is there once. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { SseBlock } from '../../events/sse.ts'
import type { Reply } from '../../http/call.ts'
import { ApiError, errorReply } from '../../http/errors.ts'
import type { Parts, Refit } from '../../parts.ts'
import { generation, objectOf, onLedger, onReply } from '../seams.ts'
import type { Dialect } from '../types.ts'
import { alternatives } from './alternatives.ts'
import { ends } from './responses.ts'

export const repeats: readonly Dialect[] = [
  ...alternatives([
    {
      name: 'repeat-in-short',
      summary: 'A repeated stream is answered with response.created and response.completed alone.',
      refit: onReplay((reply) =>
        'blocks' in reply ? { ...reply, blocks: firstAndLast(reply.blocks) } : reply,
      ),
    },
    {
      name: 'repeat-in-json',
      summary: 'A repeated stream is answered with the final response as JSON.',
      refit: repeatedInJson,
    },
    {
      name: 'repeat-409',
      summary: 'A repeat is refused with 409.',
      refit: onReplay(() => errorReply(new ApiError(409, 'This step was made already'))),
    },
    {
      name: 'repeat-422',
      summary: 'A repeat is refused with 422.',
      refit: onReplay(() => errorReply(new ApiError(422, 'This step was made already'))),
    },
    {
      name: 'repeat-noted',
      summary: 'A repeat is answered with a note that it is one.',
      refit: onReplay(() => ({ status: 200, body: { status: 'duplicate' } })),
    },
    {
      name: 'repeat-204',
      summary: 'A repeat is answered with 204.',
      refit: onReplay(() => ({ status: 204 })),
    },
  ]),
  {
    name: 'repeat-waits',
    summary: 'A repeat waits for the first request that is still answered.',
    refit: onLedger((usual) => ({
      claim: async (scope, fingerprint, now) => {
        let claim = await usual.claim(scope, fingerprint, now)
        while (claim.state === 'running') {
          await sleep(5)
          claim = await usual.claim(scope, fingerprint, now)
        }
        return claim
      },
    })),
  },
]

function onReplay(change: (reply: Reply) => Reply): Refit {
  return onReply(generation, (reply) =>
    reply.headers?.['idempotency-replayed'] === 'true' ? change(reply) : reply,
  )
}

async function* firstAndLast(blocks: AsyncIterable<SseBlock>): AsyncGenerator<SseBlock> {
  for await (const block of blocks) {
    if (block.event === 'response.created' || ends.includes(block.event ?? '')) yield block
  }
}

function repeatedInJson(parts: Parts): Parts {
  const bare = new WeakSet<object>()
  const replayed = onReplay((reply) =>
    'blocks' in reply
      ? {
          ...reply,
          headers: { ...reply.headers, 'content-type': 'application/json' },
          blocks: lastResponse(reply.blocks, bare),
        }
      : reply,
  )(parts)
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
    if (!ends.includes(event)) continue
    const response = objectOf(objectOf(data)['response'])
    bare.add(response)
    yield { data: response }
  }
}
