/**
 * The reference server with a log of its timestamps: when each request was received and each event was
 * written. Run as a process; its options come in a line on standard input, the log is written when that
 * ends.
 */
import { writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import {
  isFragment,
  type ResponseEvent,
  type SseBlock,
} from '../../reference-server/events/sequence.ts'
import type { Call } from '../../reference-server/http/call.ts'
import { parsePace, type Services, startReferenceServer } from '../../reference-server/index.ts'
import { mapValues } from '../../reference-server/runtime/timed-values.ts'

export interface LoggingServerOptions {
  readonly pace: string
  readonly seed: number
  readonly key: string
  /** File that the log is written to, one line per answer. */
  readonly log: string
}

/** One streamed answer; times are nanoseconds of the monotonic clock. */
export interface LoggedStream {
  /** Request id of the client. */
  readonly id: string
  readonly received: number
  readonly head: number
  readonly sent: readonly number[]
  /** Kind of each event: `c`ontent, `t`erminal or `o`ther. */
  readonly kinds: string
  readonly ended: number
}

type Open = { -readonly [Name in keyof LoggedStream]: LoggedStream[Name] } & { sent: number[] }

const now = () => Number(process.hrtime.bigint())

function logging(streams: Open[]): (parts: Services) => Services {
  const open = new WeakMap<Call, Open>()
  return (parts) => ({
    ...parts,
    outgoing: (call, reply) => {
      const usual = parts.outgoing(call, reply)
      if (!('blocks' in usual)) return usual
      const received = Number(call.receivedNs)
      const stream: Open = { id: call.id, received, head: now(), sent: [], kinds: '', ended: 0 }
      streams.push(stream)
      open.set(call, stream)
      const blocks = mapValues(usual.blocks, (block) => {
        stream.kinds += kindOf(block)
        return block
      })
      return { ...usual, blocks }
    },
    bytes: (call, chunks) => {
      const stream = open.get(call)
      const usual = parts.bytes(call, chunks)
      return stream === undefined ? usual : logged(usual, stream)
    },
  })
}

/** The server ends the body one turn of its event loop after the last event. */
async function* logged(
  chunks: AsyncIterable<Uint8Array>,
  stream: Open,
): AsyncGenerator<Uint8Array, void> {
  yield* mapValues(chunks, (chunk) => {
    stream.sent.push(now())
    return chunk
  })
  stream.ended = now()
}

function kindOf({ event, data }: SseBlock): 'c' | 't' | 'o' {
  if (data === '[DONE]' || event === 'response.completed') return 't'
  if (event !== undefined) return isFragment(data as ResponseEvent) ? 'c' : 'o'
  const { choices } = data as { choices?: { delta?: { content?: string } }[] }
  return choices?.[0]?.delta?.content ? 'c' : 'o'
}

const lines = createInterface(process.stdin)
lines.once('line', async (line) => {
  const { pace, seed, key, log }: LoggingServerOptions = JSON.parse(line)
  const streams: Open[] = []
  const server = await startReferenceServer({
    pace: parsePace(pace),
    seed,
    keys: [key],
    patch: logging(streams),
  })
  process.stdout.write(`Listening on ${server.url}\n`)
  const end = () => {
    writeFileSync(log, streams.map((stream) => `${JSON.stringify(stream)}\n`).join(''))
    process.exit()
  }
  lines.once('close', end)
  process.once('SIGTERM', end)
})
