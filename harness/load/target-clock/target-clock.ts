import type { Header } from '../../../contract/index.ts'
import { RunClock } from '../clock.ts'
import { sleep } from '../concurrency.ts'
import type { AnswerSink, Channel, ChannelPool } from '../http/channel.ts'
import { negotiateChannelPool } from '../http/negotiate.ts'
import { routeOf } from '../http/route.ts'
import { wireRequest } from '../http/wire-request.ts'
import type { LoadTarget } from '../target.ts'
import { type ClockOffset, type DatedAnswer, measureOffset } from './clock-offset.ts'

/**
 * Offset of the target's clock, which all shards of a run have in common. Sends at most 36 requests
 * outside the load, any answer to which tells the time. Null where it cannot be measured.
 */
export async function targetClock(
  target: LoadTarget,
  signal: AbortSignal,
): Promise<ClockOffset | null> {
  const { open } = await negotiateChannelPool(routeOf(target.baseUrl, target.network), signal)
  const channels = open(new RunClock(process.hrtime.bigint()), true, 1)
  try {
    return await measureOffset({
      ask: () => (signal.aborted ? Promise.resolve(null) : ask(channels, target)),
      now,
      sleep: (ms) => sleep(ms, signal),
    })
  } finally {
    await channels.close()
  }
}

/** Milliseconds since the epoch, with fractions. */
function now(): number {
  return performance.timeOrigin + performance.now()
}

const timeoutMs = 2000

async function ask(channels: ChannelPool, target: LoadTarget): Promise<DatedAnswer | null> {
  const spec = { surface: 'openai', method: 'GET', path: '/healthz' } as const
  const request = wireRequest(spec, target, `${target.tag}/clock`)
  const channel = await new Promise<Channel>((resolve) => channels.acquire(resolve))
  await channel.settled
  return new Promise((resolve) => {
    const sentMs = now()
    const limit = setTimeout(() => {
      channel.abandon()
      finish(null)
    }, timeoutMs)
    const finish = (answer: DatedAnswer | null) => {
      clearTimeout(limit)
      resolve(answer)
    }
    channel.send(request, new DateSink(channel, sentMs, finish))
  })
}

class DateSink implements AnswerSink {
  readonly #channel: Channel
  readonly #sentMs: number
  readonly #finish: (answer: DatedAnswer | null) => void
  #answer: DatedAnswer | null = null
  #size = 0

  constructor(channel: Channel, sentMs: number, finish: (answer: DatedAnswer | null) => void) {
    this.#channel = channel
    this.#sentMs = sentMs
    this.#finish = finish
  }

  sent(): void {}

  head(_status: number, headers: readonly Header[]): void {
    const receivedMs = now()
    const text = headers.find(([name]) => name.toLowerCase() === 'date')?.[1]
    const dateMs = Date.parse(text ?? '')
    if (!Number.isNaN(dateMs)) this.#answer = { sentMs: this.#sentMs, receivedMs, dateMs }
  }

  data(bytes: Uint8Array): void {
    this.#size += bytes.length
    if (this.#size <= maxBytes) return
    this.#channel.abandon()
    this.#finish(this.#answer)
  }

  end(): void {
    this.#finish(this.#answer)
  }

  failed(): void {
    this.#finish(null)
  }

  internalError(): void {
    this.#finish(null)
  }
}

const maxBytes = 64 * 1024
