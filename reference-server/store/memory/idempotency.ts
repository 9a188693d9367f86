/** Idempotency keys in memory, limited in age and number, and repeats that wait for the first request. */
import type { ResponseRun } from '../../events/run.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { IdempotencyScope, IdempotencyStore, Reservation } from '../types.ts'

export interface IdempotencyLimits {
  /** Milliseconds for which a key is remembered. */
  readonly lifeMs: number
  /** Maximum number of keys; the oldest are deleted first. */
  readonly keys: number
}

interface Entry {
  readonly fingerprint: string
  readonly claimedAt: number
  run?: ResponseRun
}

export function memoryIdempotency(limits: IdempotencyLimits): IdempotencyStore {
  const entries = new Map<string, Entry>()
  return {
    // Without an await between lookup and insertion, the claim is atomic.
    async reserve(scope, fingerprint, now) {
      forgetOld(entries, limits, now)
      const id = entryId(scope)
      const existing = entries.get(id)
      if (existing !== undefined) return standing(existing, fingerprint)
      entries.set(id, { fingerprint, claimedAt: now })
      return { state: 'first' }
    },
    async finish(scope, run) {
      const entry = entries.get(entryId(scope))
      if (entry !== undefined) entry.run = run
    },
    async release(scope) {
      entries.delete(entryId(scope))
    },
  }
}

function standing(entry: Entry, fingerprint: string): Reservation {
  if (entry.fingerprint !== fingerprint) return { state: 'mismatch' }
  return entry.run === undefined ? { state: 'running' } : { state: 'finished', run: entry.run }
}

/** A map keeps insertion order, so the oldest keys come first. A running key is never deleted. */
function forgetOld(
  entries: Map<string, Entry>,
  { lifeMs, keys }: IdempotencyLimits,
  now: number,
): void {
  for (const [id, entry] of entries) {
    const old = now - entry.claimedAt > lifeMs || entries.size > keys
    if (!old) return
    if (entry.run !== undefined) entries.delete(id)
  }
}

function entryId({ owner, endpoint, key }: IdempotencyScope): string {
  return JSON.stringify([owner, endpoint, key])
}

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
