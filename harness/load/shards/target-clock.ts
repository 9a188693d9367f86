import type { LoadReport } from '../../../reports/load/model/report.ts'
import { RunClock, sleep } from '../clock.ts'
import type { ChannelPool } from '../http/channel.ts'
import { routeOf } from '../http/dial.ts'
import { negotiateChannelPool } from '../http/worker-connections.ts'
import { sendSetupRequest } from '../setup/chat-client.ts'
import type { LoadTarget } from '../target.ts'

/**
 * Offset of the target's clock, which all shards of a run share. Sends at most 36 requests outside the load;
 * any answer to them will do. Null if it cannot be measured.
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
  const signal = AbortSignal.timeout(timeoutMs)
  const sentMs = now()
  const { headers } = await sendSetupRequest({ channels, target }, spec, { place: 'clock', signal })
  const receivedMs = now()
  const date = headers.find(([name]) => name.toLowerCase() === 'date')?.[1] ?? ''
  const dateMs = Date.parse(date)
  return Number.isNaN(dateMs) ? null : { sentMs, receivedMs, dateMs }
}

/** An answer with a Date header, by the local clock. Milliseconds since the epoch. */
export interface DatedAnswer {
  readonly sentMs: number
  readonly receivedMs: number
  /** Date of the header: whole seconds, rounded down (RFC 9110, section 6.6.1). */
  readonly dateMs: number
}

export type ClockOffset = NonNullable<LoadReport['clock']>

interface OffsetProbe {
  /** Sends one request; null if its answer has no Date header. */
  readonly ask: () => Promise<DatedAnswer | null>
  readonly now: () => number
  readonly sleep: (ms: number) => Promise<void>
}

const rounds = 4
const requestsPerRound = 9
/** Precision at which further requests add nothing: header and network are not more exact. */
const enoughMs = 2

/**
 * Offset of the target's clock by the Date headers of its answers: each round spreads requests over the
 * time in which the next second of the target may begin, so that the interval becomes a tenth of what it
 * was, down to the round-trip time. Null if the target sends no Date header, or if several clocks
 * answer.
 */
export async function measureOffset({ ask, now, sleep }: OffsetProbe): Promise<ClockOffset | null> {
  const answers: DatedAnswer[] = []
  let [low, high] = [0, 1000]
  for (let round = 0; round < rounds; round++) {
    const width = high - low
    // The second begins for the earliest possible clock first.
    const second = 1000 * Math.ceil((now() + high) / 1000)
    const first = answers.length === 0 ? now() : second - high
    for (let request = 1; request <= requestsPerRound; request++) {
      const at = first + (width * request) / (requestsPerRound + 1)
      await sleep(Math.max(0, at - now()))
      const answer = await ask()
      if (answer === null) return null
      answers.push(answer)
    }
    // Consistent with every answer: its Date header was set between sending and receiving.
    low = Math.max(...answers.map(({ dateMs, receivedMs }) => dateMs - receivedMs))
    high = Math.min(...answers.map(({ dateMs, sentMs }) => dateMs + 1000 - sentMs))
    if (low > high) return null
    if (high - low <= 2 * enoughMs) break
  }
  return { offsetMs: (low + high) / 2, uncertaintyMs: (high - low) / 2, requests: answers.length }
}
