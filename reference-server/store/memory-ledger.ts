/** Idempotency keys in memory: bounded in time and in number. */

import type { Run } from '../events/run.ts'
import type { Claim, IdempotencyLedger, LedgerScope } from './types.ts'

export interface LedgerLimits {
  /** Milliseconds for which a key is remembered. */
  readonly lifeMs: number
  /** The oldest keys go when there are more. */
  readonly keys: number
}

interface Entry {
  readonly fingerprint: string
  readonly claimedAt: number
  run?: Run
}

export function memoryLedger(limits: LedgerLimits): IdempotencyLedger {
  const entries = new Map<string, Entry>()
  return {
    // No await between look-up and entry: that is what makes the claim atomic.
    async claim(scope, fingerprint, now) {
      forgetOld(entries, limits, now)
      const id = entryId(scope)
      const known = entries.get(id)
      if (known !== undefined) return standing(known, fingerprint)
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

function standing(entry: Entry, fingerprint: string): Claim {
  if (entry.fingerprint !== fingerprint) return { state: 'mismatch' }
  return entry.run === undefined ? { state: 'running' } : { state: 'finished', run: entry.run }
}

/** A map keeps the order of entry, so the oldest stand in front. A running key is never forgotten. */
function forgetOld(entries: Map<string, Entry>, { lifeMs, keys }: LedgerLimits, now: number): void {
  for (const [id, entry] of entries) {
    const old = now - entry.claimedAt > lifeMs || entries.size > keys
    if (!old) return
    if (entry.run !== undefined) entries.delete(id)
  }
}

function entryId({ owner, endpoint, key }: LedgerScope): string {
  return JSON.stringify([owner, endpoint, key])
}
