/** Slow servers, and servers that send heartbeats. */
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { seededDraw } from '../../../runtime/random.ts'
import type { Patch } from '../../../services.ts'
import { rechunkAll } from '../../patches/framing.ts'
import { onEveryReply } from '../../patches/replies.ts'
import { dialectTable } from '../../table.ts'

export const paces = dialectTable({
  'slow: Every response is delayed by 50 to 150 ms.': delayAnswers(100),
  'speaks-in-bursts: Tokens are sent in groups of ten.': (services) => ({
    ...services,
    timing: (count, pace) =>
      services.timing(count, { ...pace, ttftMs: 5, gapMs: 4 }).map((_due, at, all) => {
        return all[at - (at % 10)] ?? 0
      }),
  }),
  'heartbeats-while-it-works: A stream starts after 160 ms with a comment every 20 ms before its first event.':
    rechunkAll(async function* (chunks) {
      for (let beat = 0; beat < 8; beat += 1) {
        yield Buffer.from(beat % 2 === 0 ? ':\n' : ': still here\n\n')
        await sleep(20)
      }
      yield* chunks
    }),
  'connections-used-once: Every response has Connection: close.': onEveryReply((reply) => ({
    ...reply,
    headers: { ...reply.headers, connection: 'close' },
  })),
})

/** Delays every chunk of a response, as over a connection with high latency. */
export function delayAnswers(ms: number): Patch {
  const draw = seededDraw(1, 'latency')
  return (services) => ({
    ...services,
    bytes: (call, chunks) => delayChunks(services.bytes(call, chunks), ms * (0.5 + draw())),
  })
}

/** Maximum number of delayed chunks at a time; a response has fewer. */
const onTheWay = 10_000

async function* delayChunks(
  chunks: AsyncIterable<Uint8Array>,
  ms: number,
): AsyncGenerator<Uint8Array> {
  const afterwards = async (chunk: Uint8Array) => {
    await sleep(ms)
    return chunk
  }
  yield* Readable.from(chunks).map(afterwards, { concurrency: onTheWay })
}
