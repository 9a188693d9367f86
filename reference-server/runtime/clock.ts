/** Replaceable clock, the source of the pace of streams and of all timestamps. */
import { maxTimerMs } from '../../contract/timer.ts'

export interface Clock {
  /** Milliseconds since the Unix epoch; never runs backwards. */
  now(): number
  /** @throws AbortError when the signal fires first */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

const { timeOrigin } = performance

export const realClock: Clock = {
  now: () => timeOrigin + performance.now(),
  // A timer counts whole milliseconds and would drop the rest.
  sleep: (ms, signal) => {
    // The sum of valid gaps may exceed the maximum of a timer.
    const held = Math.min(ms, maxTimerMs)
    return signal === undefined ? sharedSleep(held) : ownSleep(held, signal)
  },
}

/** Each open stream has one; that of node:timers/promises has more promises, and takes 2 KB more. */
function ownSleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', abort)
      resolve()
    }, Math.round(ms))
    signal.addEventListener('abort', abort)
  })
}

/** Sleeping callers by the millisecond in which they wake. */
const sleepers = new Map<number, (() => void)[]>()

/** Sleeps that end in the same millisecond share a timer, because with many streams many tokens are due in each. */
function sharedSleep(ms: number): Promise<void> {
  const now = performance.now()
  const end = Math.round(now + ms)
  return new Promise((resolve) => {
    const others = sleepers.get(end)
    if (others !== undefined) {
      others.push(resolve)
      return
    }
    const all = [resolve]
    sleepers.set(end, all)
    setTimeout(
      () => {
        sleepers.delete(end)
        for (const wake of all) wake()
      },
      Math.round(end - now),
    )
  })
}

/** Limit below which a wait costs less than a listener for the abort signal. */
const shortMs = 50

/** Absolute times do not drift: a late event does not make the next one late. */
export function sleepUntil(clock: Clock, time: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted === true) return Promise.reject(signal.reason)
  const remaining = time - clock.now()
  if (remaining <= 0) return Promise.resolve()
  return remaining > shortMs ? clock.sleep(remaining, signal) : clock.sleep(remaining)
}

export function unixSeconds(ms: number): number {
  return Math.floor(ms / 1000)
}

export function isoTime(ms: number): string {
  return new Date(ms).toISOString()
}
