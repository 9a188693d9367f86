/** A repeat that waits for the first request with its key, in place of being told that it runs. */
import type { Clock } from '../runtime/clock.ts'
import type { IdempotencyStore } from './types.ts'

const firstPollMs = 5
const maxPollMs = 200

/** A run that takes longer is reported as running. */
const maxWaitMs = 60_000

/** Polls, because the first request may run on another server. */
export function waitingIdempotency(
  store: IdempotencyStore,
  clock: Pick<Clock, 'now' | 'sleep'>,
): IdempotencyStore {
  return {
    ...store,
    async reserve(scope, fingerprint, now) {
      const until = clock.now() + maxWaitMs
      for (let pollMs = firstPollMs; ; pollMs = Math.min(pollMs * 1.5, maxPollMs)) {
        const reservation = await store.reserve(scope, fingerprint, now)
        if (reservation.state !== 'running' || clock.now() > until) return reservation
        await clock.sleep(pollMs)
      }
    },
  }
}
