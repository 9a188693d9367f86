/**
 * Idempotency keys in a database: a key is claimed with a lease, which its server renews during the run, and is
 * finished with the run that it identifies from then on. A repeat may wait for the first request.
 */
import { randomUUID } from 'node:crypto'
import type { ResponseRun } from '../../events/run.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { FinishedTurn, IdempotencyScope, Reservation } from '../types.ts'
import { StoreFailure } from '../types.ts'
import { affects, type Database, jsonOf, type Query } from './database.ts'

/** Milliseconds for which a finished key is remembered. */
const lifeMs = 24 * 60 * 60 * 1000

/** Milliseconds between deletions of forgotten keys. */
const purgeMs = 60_000

interface Claim {
  readonly scope: IdempotencyScope
  readonly token: string
  isFinished: boolean
}

/** `finish` finishes a key within a transaction of its caller. */
export function sqlLedger({ query, dialect }: Database, leaseMs: number) {
  /** Keys of the running runs of this server. */
  const claims = new Map<string, Claim>()
  let purgedAt = 0

  const maintenance = setInterval(() => void maintain().catch(() => {}), leaseMs / 3)
  maintenance.unref()

  /** A claim that cannot be renewed because the database is unavailable ends with its lease. */
  async function maintain(): Promise<void> {
    for (const { scope, token } of claims.values()) {
      await query(
        `UPDATE ledger SET lease_until = ${dialect.now} + ? WHERE ${sameKey} AND claim = ?`,
        [leaseMs, ...keyValues(scope), token],
      )
    }
    if (Date.now() - purgedAt < purgeMs) return
    purgedAt = Date.now()
    await query('DELETE FROM ledger WHERE claimed_at < ? AND run IS NOT NULL', [purgedAt - lifeMs])
  }

  async function finish(
    inside: Query,
    { scope, run: { decoding: _, ...run } }: Omit<FinishedTurn, 'updatedAt'>,
  ): Promise<void> {
    const claim = claims.get(claimId(scope))
    const sql = `UPDATE ledger SET run = ? WHERE ${sameKey} AND claim = ? AND run IS NULL RETURNING claim`
    const values = [JSON.stringify(run), ...keyValues(scope), claim?.token ?? '']
    if (!(await affects(inside, sql, values)) || claim === undefined) {
      throw new StoreFailure('idempotency_key_in_use')
    }
    claim.isFinished = true
  }

  /** Atomic: exactly one of any number of concurrent claims is the first. `now` in Unix milliseconds. */
  async function reserve(
    scope: IdempotencyScope,
    fingerprint: string,
    now: number,
  ): Promise<Reservation> {
    const token = randomUUID()
    const claim = `INSERT INTO ledger (owner, endpoint, key, fingerprint, claim, claimed_at, lease_until)
       VALUES (?, ?, ?, ?, ?, ?, ${dialect.now} + ?)
       ON CONFLICT (owner, endpoint, key) DO UPDATE SET fingerprint = excluded.fingerprint,
         claim = excluded.claim, claimed_at = excluded.claimed_at,
         lease_until = excluded.lease_until, run = NULL
       WHERE (ledger.run IS NULL AND ledger.lease_until < ${dialect.now})
         OR (ledger.run IS NOT NULL AND ledger.claimed_at < ?)
       RETURNING claim`
    const values = [...keyValues(scope), fingerprint, token, now, leaseMs, now - lifeMs]
    if (await affects(query, claim, values)) {
      claims.set(claimId(scope), { scope, token, isFinished: false })
      return { state: 'first' }
    }
    const [entry] = await query<{ fingerprint: string; json: string | null }>(
      `SELECT fingerprint, run AS json FROM ledger WHERE ${sameKey}`,
      keyValues(scope),
    )
    // Released in the meantime.
    if (entry === undefined) return reserve(scope, fingerprint, now)
    const { json } = entry
    if (entry.fingerprint !== fingerprint) return { state: 'mismatch' }
    return json === null ? { state: 'running' } : { state: 'finished', run: finishedRun(json) }
  }

  return {
    finish,
    store: {
      reserve,
      async finish(scope: IdempotencyScope, run: ResponseRun): Promise<void> {
        const id = claimId(scope)
        const claim = claims.get(id)
        if (claim === undefined) return
        // Usually already finished together with its turn.
        if (!claim.isFinished) await finish(query, { scope, run })
        claims.delete(id)
      },
      /** Releases an unused key; the next claim is the first again. */
      async release(scope: IdempotencyScope): Promise<void> {
        const id = claimId(scope)
        const claim = claims.get(id)
        if (claim === undefined) return
        claims.delete(id)
        const sql = `DELETE FROM ledger WHERE ${sameKey} AND claim = ? AND run IS NULL`
        await query(sql, [...keyValues(scope), claim.token])
      },
    },
    close: () => clearInterval(maintenance),
  }
}

export type IdempotencyStore = ReturnType<typeof sqlLedger>['store']

/** Frees the keys of runs that ended with the server that ran them. */
export async function freeRunningKeys({ query }: Database): Promise<void> {
  await query('DELETE FROM ledger WHERE run IS NULL')
}

const sameKey = 'owner = ? AND endpoint = ? AND key = ?'

function keyValues({ owner, endpoint, key }: IdempotencyScope): [string, string, string] {
  return [owner, endpoint, key]
}

function claimId(scope: IdempotencyScope): string {
  return JSON.stringify(keyValues(scope))
}

/** A finished run, all of whose tokens are available. */
function finishedRun(json: string): ResponseRun {
  const run = jsonOf<Omit<ResponseRun, 'decoding'>>({ json })
  const decoding = { endsAt: run.completedAt, token: () => undefined, all: async () => {} }
  return { ...run, decoding }
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
