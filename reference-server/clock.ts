/** Time as a replaceable part: the pace of streams and every timestamp come from here. */
import { setTimeout as timeout } from 'node:timers/promises'

export interface Clock {
  /** Milliseconds since the Unix epoch; never runs backwards. */
  now(): number
  /** @throws AbortError when the signal fires first */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

export const realClock: Clock = {
  now: () => performance.timeOrigin + performance.now(),
  sleep: async (ms, signal) => {
    await timeout(ms, undefined, signal === undefined ? {} : { signal })
  },
}

/** Absolute times do not drift: a late event does not make the next one late. */
export async function sleepUntil(clock: Clock, time: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted()
  const remaining = time - clock.now()
  if (remaining > 0) await clock.sleep(remaining, signal)
}

export function unixSeconds(ms: number): number {
  return Math.floor(ms / 1000)
}

export function isoTime(ms: number): string {
  return new Date(ms).toISOString()
}
