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
  sleep: (ms, signal) =>
    signal === undefined
      ? // A timer counts whole milliseconds and would drop the rest.
        new Promise((resolve) => setTimeout(resolve, Math.round(ms)))
      : timeout(Math.round(ms), undefined, { signal }),
}

/** To listen for the end of so short a wait costs more than to wait for it. */
const shortMs = 50

/** Absolute times do not drift: a late event does not make the next one late. */
export async function sleepUntil(clock: Clock, time: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted()
  const remaining = time - clock.now()
  if (remaining > shortMs) await clock.sleep(remaining, signal)
  else if (remaining > 0) await clock.sleep(remaining)
}

export function unixSeconds(ms: number): number {
  return Math.floor(ms / 1000)
}

export function isoTime(ms: number): string {
  return new Date(ms).toISOString()
}
