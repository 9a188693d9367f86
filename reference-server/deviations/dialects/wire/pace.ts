/** Servers that take their time, or send signs of life meanwhile. */
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { seededDraw } from '../../../runtime/random.ts'
import type { Patch } from '../../../services.ts'
import { rechunkAll } from '../../patches/framing.ts'
import { onEveryReply } from '../../patches/replies.ts'
import type { Dialect } from '../../types.ts'

export const paces: readonly Dialect[] = [
  {
    name: 'slow',
    summary: 'Every answer comes after 100 ms, give or take a half.',
    patch: delayAnswers(100),
  },
  {
    name: 'speaks-in-bursts',
    summary: 'Tokens come ten at a time.',
    patch: (services) => ({
      ...services,
      timing: (count, pace) =>
        services.timing(count, { ...pace, ttftMs: 5, gapMs: 4 }).map((_due, at, all) => {
          return all[at - (at % 10)] ?? 0
        }),
    }),
  },
  {
    name: 'heartbeats-while-it-works',
    summary: 'A stream begins 150 ms late, with a comment every 20 ms until then.',
    patch: rechunkAll(async function* (chunks) {
      for (let beat = 0; beat < 8; beat += 1) {
        yield Buffer.from(beat % 2 === 0 ? ':\n' : ': still here\n\n')
        await sleep(20)
      }
      yield* chunks
    }),
  },
  {
    name: 'connections-used-once',
    summary: 'Every answer closes its connection.',
    patch: onEveryReply((reply) => ({
      ...reply,
      headers: { ...reply.headers, connection: 'close' },
    })),
  },
]

/** Every piece of an answer comes so much later than it was made, as over a long line. */
export function delayAnswers(ms: number): Patch {
  const draw = seededDraw(1, 'latency')
  return (services) => ({
    ...services,
    bytes: (call, chunks) => delayChunks(services.bytes(call, chunks), ms * (0.5 + draw())),
  })
}

/** Pieces on the way at a time; an answer of the model has fewer. */
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
