/**
 * Idempotency keys in a database: a key is claimed with a lease, which its server renews during the run, and is
 * finished with the run that it identifies from then on. A repeat may wait for the first request.
 */
import { randomUUID } from 'node:crypto'
import type { ResponseRun } from '../../events/run.ts'
import type { Clock } from '../../runtime/clock.ts'
import { StoreFailure } from '../errors.ts'
import type { FinishedTurn, IdempotencyScope, IdempotencyStore, Reservation } from '../types.ts'
import { type Database, jsonOf, type Query, type Row, textOf } from './database.ts'

/** Milliseconds for which a finished key is remembered. */
const lifeMs = 24 * 60 * 60 * 1000

/** Milliseconds between deletions of forgotten keys. */
const purgeMs = 60_000

export interface SqlLedger {
  readonly store: IdempotencyStore
  /** Finishes a key within a transaction of its caller. */
  readonly finish: (query: Query, turn: FinishedTurn) => Promise<void>
  close(): void
}

interface Claim {
  readonly scope: IdempotencyScope
  readonly token: string
  isFinished: boolean
}

export function sqlLedger({ query, dialect }: Database, leaseMs: number): SqlLedger {
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
    { scope, run: { decoding: _, ...run } }: FinishedTurn,
  ): Promise<void> {
    const claim = claims.get(claimId(scope))
    const finished = await inside(
      `UPDATE ledger SET run = ? WHERE ${sameKey} AND claim = ? AND run IS NULL RETURNING claim`,
      [JSON.stringify(run), ...keyValues(scope), claim?.token ?? ''],
    )
    if (claim === undefined || finished.length === 0) {
      throw new StoreFailure('idempotency_key_in_use')
    }
    claim.isFinished = true
  }

  async function reserve(
    scope: IdempotencyScope,
    fingerprint: string,
    now: number,
  ): Promise<Reservation> {
    const token = randomUUID()
    const claimed = await query(
      `INSERT INTO ledger (owner, endpoint, key, fingerprint, claim, claimed_at, lease_until)
       VALUES (?, ?, ?, ?, ?, ?, ${dialect.now} + ?)
       ON CONFLICT (owner, endpoint, key) DO UPDATE SET fingerprint = excluded.fingerprint,
         claim = excluded.claim, claimed_at = excluded.claimed_at,
         lease_until = excluded.lease_until, run = NULL
       WHERE (ledger.run IS NULL AND ledger.lease_until < ${dialect.now})
         OR (ledger.run IS NOT NULL AND ledger.claimed_at < ?)
       RETURNING claim`,
      [...keyValues(scope), fingerprint, token, now, leaseMs, now - lifeMs],
    )
    if (claimed.length > 0) {
      claims.set(claimId(scope), { scope, token, isFinished: false })
      return { state: 'first' }
    }
    const [entry] = await query(`SELECT fingerprint, run FROM ledger WHERE ${sameKey}`, [
      ...keyValues(scope),
    ])
    // Released in the meantime.
    if (entry === undefined) return reserve(scope, fingerprint, now)
    if (textOf(entry, 'fingerprint') !== fingerprint) return { state: 'mismatch' }
    return entry['run'] === null
      ? { state: 'running' }
      : { state: 'finished', run: finishedRun(entry) }
  }

  return {
    finish,
    store: {
      reserve,
      async finish(scope, run) {
        const id = claimId(scope)
        const claim = claims.get(id)
        if (claim === undefined) return
        // Usually already finished together with its turn.
        if (!claim.isFinished) await finish(query, { scope, run })
        claims.delete(id)
      },
      async release(scope) {
        const id = claimId(scope)
        const claim = claims.get(id)
        if (claim === undefined) return
        claims.delete(id)
        await query(`DELETE FROM ledger WHERE ${sameKey} AND claim = ? AND run IS NULL`, [
          ...[...keyValues(scope), claim.token],
        ])
      },
    },
    close: () => clearInterval(maintenance),
  }
}

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
function finishedRun(row: Row): ResponseRun {
  const run = jsonOf<Omit<ResponseRun, 'decoding'>>(row, 'run')
  return {
    ...run,
    decoding: { endsAt: run.completedAt, token: () => undefined, all: async () => {} },
  }
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
