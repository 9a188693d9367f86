/** PostgreSQL, which several servers may share. */
import { DatabaseError, Pool, type PoolClient, types } from 'pg'
import { StoreFailure } from '../types.ts'
import type { Database, Query, SqlDialect, Value } from './database.ts'

const dialect: SqlDialect = {
  position: 'BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY',
  now: '(EXTRACT(EPOCH FROM clock_timestamp()) * 1000)::DOUBLE PRECISION',
  keyShare: 'FOR KEY SHARE',
  creationLock: 'SELECT pg_advisory_xact_lock(4157021)',
}

/** Positions and counts, which are text by default, are far below the limit of exact numbers. */
const getTypeParser = ((oid: number, format?: 'text') =>
  oid === types.builtins.INT8
    ? Number
    : types.getTypeParser(oid, format)) as typeof types.getTypeParser

const maxConnections = 10
const connectTimeoutMs = 3000
const queryTimeoutMs = 10_000
const maxAttempts = 4

/** Connects with the first statement. @param url `postgres://USER:PASSWORD@HOST:PORT/DATABASE` */
export function openPostgres(url: string): Database {
  const pool = new Pool({
    connectionString: url,
    max: maxConnections,
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: queryTimeoutMs,
    statement_timeout: queryTimeoutMs,
    idle_in_transaction_session_timeout: queryTimeoutMs,
    keepAlive: true,
    application_name: 'chatgen serve',
    types: { getTypeParser },
  })
  // The statement on a lost connection fails by itself; an event without a listener would end the process.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))

  async function once<T>(work: (query: Query) => Promise<T>): Promise<T> {
    const client = await pool.connect().catch((error: unknown) => {
      throw storeError(error)
    })
    const query: Query = (sql, values) => send(client, sql, values)
    let broken = false
    try {
      await query('BEGIN')
      const result = await work(query)
      await query('COMMIT')
      return result
    } catch (error) {
      await query('ROLLBACK').catch(() => {
        broken = true
      })
      throw error
    } finally {
      client.release(broken)
    }
  }

  async function transaction<T>(work: (query: Query) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await once(work)
      } catch (error) {
        if (attempt >= maxAttempts || !isConflict(error)) throw error
      }
    }
  }

  return {
    dialect,
    exclusive: false,
    durable: true,
    query: (sql, values) => send(pool, sql, values),
    transaction,
    close: () => pool.end(),
  }
}

async function send<Columns>(
  target: Pool | PoolClient,
  sql: string,
  values: readonly Value[] = [],
): Promise<readonly Columns[]> {
  try {
    const { rows } = await target.query(numbered(sql), values.map(accepted))
    return rows
  } catch (error) {
    throw storeError(error)
  }
}

const texts = new Map<string, string>()

/** `$1`, `$2`, … for the question marks. */
function numbered(sql: string): string {
  const cached = texts.get(sql)
  if (cached !== undefined) return cached
  let count = 0
  const text = sql.replaceAll('?', () => {
    count += 1
    return `$${count}`
  })
  texts.set(sql, text)
  return text
}

/** PostgreSQL refuses the character U+0000 in a text. */
function accepted(value: Value): Value {
  return typeof value === 'string' ? value.replaceAll('\0', '\ufffd') : value
}

/** SQLSTATE codes (https://www.postgresql.org/docs/current/errcodes-appendix.html). */
function storeError(error: unknown): unknown {
  if (!(error instanceof DatabaseError)) return new StoreFailure('store_unavailable', error)
  const { code = '' } = error
  if (code === '53100') return new StoreFailure('store_full', error)
  // Connections, resources, operator intervention, system errors, and statement timeouts.
  const isPassing = /^(08|53|57|58)/.test(code) || code === '25P03'
  return isPassing ? new StoreFailure('store_unavailable', error) : error
}

/** A deadlock or a serialization failure: the transaction may be tried again. */
function isConflict(error: unknown): boolean {
  return error instanceof DatabaseError && /^40/.test(error.code ?? '')
}
