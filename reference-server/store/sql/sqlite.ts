/** SQLite in memory, or in a file with the write-ahead log, using the module of Node.js. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { messageOf } from '../../../contract/text.ts'
import { StoreFailure, StoreOpenError } from '../types.ts'
import type { Database, Query, SqlDialect, Value } from './database.ts'

const { DatabaseSync: Sqlite } = loadQuietly()

/** Node.js 22 warns that the module is experimental, which is of no use to those who start a server. */
function loadQuietly() {
  const { emitWarning } = process
  process.emitWarning = () => {}
  try {
    return process.getBuiltinModule('node:sqlite')
  } finally {
    process.emitWarning = emitWarning
  }
}

const dialect: SqlDialect = {
  position: 'INTEGER PRIMARY KEY AUTOINCREMENT',
  now: `(unixepoch('subsec') * 1000)`,
  keyShare: '',
  creationLock: undefined,
}

/** Maximum wait for the lock of a server that is shutting down, in milliseconds. */
const lockTimeoutMs = 2000

/**
 * Opens the file, or creates it; `:memory:` is a new database without one. The process keeps the file locked until it closes it or dies.
 *
 * @throws StoreOpenError for a file that another server uses, that cannot be opened or is not a database
 */
export function openSqlite(file: string): Database {
  const sqlite = lockedFile(file)
  const statements = new Map<string, StatementSync>()
  let latest: Promise<unknown> = Promise.resolve()
  let unfinished = 0

  function run<Columns>(sql: string, values: readonly Value[] = []): readonly Columns[] {
    try {
      const statement = statements.get(sql) ?? sqlite.prepare(sql)
      statements.set(sql, statement)
      return statement.all(...values) as Columns[]
    } catch (error) {
      throw storeError(error)
    }
  }

  /** A connection allows one transaction at a time; others wait for it. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    unfinished += 1
    const turn = latest.then(work).finally(() => {
      unfinished -= 1
    })
    latest = turn.catch(() => {})
    return turn
  }

  const query: Query = async (sql, values) => run(sql, values)
  return {
    dialect,
    exclusive: true,
    durable: file !== ':memory:',
    query: (sql, values) =>
      unfinished === 0 ? query(sql, values) : inTurn(() => query(sql, values)),
    transaction: (work) =>
      inTurn(async () => {
        run('BEGIN IMMEDIATE')
        try {
          const result = await work(query)
          run('COMMIT')
          return result
        } catch (error) {
          if (sqlite.isTransaction) run('ROLLBACK')
          throw error
        }
      }),
    close: () =>
      inTurn(async () => {
        sqlite.close()
      }),
  }
}

function lockedFile(file: string): DatabaseSync {
  let sqlite: DatabaseSync | undefined
  try {
    sqlite = new Sqlite(file, { timeout: lockTimeoutMs })
    // Some commits search all pages in memory, of which there are fewer than with the default of 4 KB.
    sqlite.exec('PRAGMA page_size = 8192')
    // In this order, the log is used without shared memory, and no other process can open it.
    sqlite.exec('PRAGMA locking_mode = EXCLUSIVE')
    sqlite.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON')
    sqlite.exec('BEGIN EXCLUSIVE; COMMIT')
    return sqlite
  } catch (error) {
    sqlite?.close()
    const problem = openingProblems.get(codeOf(error) ?? 0) ?? messageOf(error)
    throw new StoreOpenError(`${file}: ${problem}`, { cause: error })
  }
}

/** Result codes of SQLite (https://www.sqlite.org/rescode.html), without their extensions. */
const [busy, locked, readOnly, ioError, full, cannotOpen, noDatabase] = [5, 6, 8, 10, 13, 14, 26]

const openingProblems = new Map([
  [busy, 'another server has this file open'],
  [locked, 'another server has this file open'],
  [readOnly, 'the file cannot be written'],
  [full, 'the disk is full'],
  [cannotOpen, 'the file cannot be opened or created'],
  [noDatabase, 'this file is not a SQLite database'],
])

function storeError(error: unknown): unknown {
  const code = codeOf(error)
  if (code === full) return new StoreFailure('store_full', error)
  const isPassing = code === busy || code === locked || code === ioError
  return isPassing ? new StoreFailure('store_unavailable', error) : error
}

function codeOf(error: unknown): number | undefined {
  const code = error instanceof Error && 'errcode' in error ? error.errcode : undefined
  return typeof code === 'number' ? code & 0xff : undefined
}
