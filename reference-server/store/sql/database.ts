/** The database interface of the store, whose statements both SQLite and PostgreSQL support, with its tables. */
import { type Page, StoreOpenError } from '../types.ts'

export type Value = string | number | null
export type Row = Readonly<Record<string, unknown>>

/** `?` stands for each value in turn. */
export type Query = <Columns = Row>(
  sql: string,
  values?: readonly Value[],
) => Promise<readonly Columns[]>

/** Parts of statements in which databases differ. */
export interface SqlDialect {
  /** Type of a monotonically increasing primary key. */
  readonly position: string
  /** Expression for the clock that all servers of a database share, in Unix milliseconds. */
  readonly now: string
  /** End of a SELECT whose rows must not be deleted before the transaction ends. */
  readonly keyShare: string
  /** First statement of the transaction that creates the tables, so that only one server does. */
  readonly creationLock: string | undefined
}

export interface Database {
  readonly dialect: SqlDialect
  /** True if no other server can have this database open: unfinished runs in it have ended. */
  readonly exclusive: boolean
  /** True if data outlives the server, so that callers must have the same names in the next one. */
  readonly durable: boolean
  readonly query: Query
  /** Runs statements atomically; they are durable when it resolves. */
  transaction<T>(work: (query: Query) => Promise<T>): Promise<T>
  close(): Promise<void>
}

/** A row whose column `json` holds JSON that this server wrote. */
export interface JsonRow {
  readonly json: string
}

export function jsonOf<T>({ json }: JsonRow): T {
  return JSON.parse(json)
}

export async function jsonRows<T>(query: Query, sql: string, values: readonly Value[]) {
  return (await query<JsonRow>(sql, values)).map(jsonOf<T>)
}

/** True if a statement with RETURNING affected a row. */
export async function affects(query: Query, sql: string, values: readonly Value[]) {
  return (await query(sql, values)).length > 0
}

/** A page of the rows of a SELECT that is ordered by `position`. */
export async function readPage<Columns, T>(
  query: Query,
  sql: string,
  values: readonly Value[],
  limit: number,
  read: (row: Columns) => T,
): Promise<Page<T>> {
  type Placed = Columns & { readonly position: number }
  const rows = await query<Placed>(`${sql} LIMIT ?`, [...values, limit + 1])
  const pageRows = rows.slice(0, limit)
  const next = rows.length > limit ? (pageRows.at(-1)?.position ?? null) : null
  return { rows: pageRows.map(read), next }
}

/** Text for searches: in lower case, without the null character, which databases do not accept. */
export function searchable(text: string): string {
  return text.toLowerCase().replaceAll('\0', '\ufffd')
}

/** LIKE pattern for a part of a name, with a backslash as the ESCAPE character. */
export function patternOf(part: string): string {
  return `%${searchable(part).replaceAll(/[\\%_]/g, '\\$&')}%`
}

const chat = 'chat_id TEXT NOT NULL REFERENCES chats (id) ON DELETE CASCADE'

const schemaVersion = 1

function tablesOf({ position }: SqlDialect): readonly string[] {
  return [
    `CREATE TABLE chats (position ${position}, id TEXT NOT NULL UNIQUE, owner TEXT NOT NULL,
      name TEXT NOT NULL, name_search TEXT NOT NULL, version TEXT NOT NULL, favorite INTEGER NOT NULL,
      created_at DOUBLE PRECISION NOT NULL, updated_at DOUBLE PRECISION NOT NULL,
      run_count BIGINT NOT NULL DEFAULT 0, row_count BIGINT NOT NULL DEFAULT 0)`,
    'CREATE INDEX chats_of_owner ON chats (owner, version, position)',
    'CREATE INDEX favorites_of_owner ON chats (owner, version, favorite, position)',
    `CREATE TABLE runs (${chat}, number BIGINT NOT NULL, row_count BIGINT NOT NULL,
      last_row BIGINT NOT NULL, run TEXT NOT NULL, PRIMARY KEY (chat_id, number))`,
    'CREATE INDEX runs_by_row ON runs (chat_id, last_row)',
    `CREATE TABLE messages (${chat}, id TEXT NOT NULL, parent_id TEXT, message TEXT NOT NULL,
      PRIMARY KEY (chat_id, id))`,
    `CREATE TABLE attachments (position ${position}, id TEXT NOT NULL UNIQUE, owner TEXT NOT NULL,
      name_search TEXT NOT NULL, attachment TEXT NOT NULL)`,
    'CREATE INDEX attachments_of_owner ON attachments (owner, position)',
    `CREATE TABLE links (${chat}, attachment_id TEXT NOT NULL, PRIMARY KEY (chat_id, attachment_id))`,
    'CREATE TABLE owners (owner TEXT PRIMARY KEY)',
    `CREATE TABLE bases (position ${position}, id TEXT NOT NULL, owner TEXT NOT NULL, base TEXT NOT NULL,
      changes BIGINT NOT NULL DEFAULT 0, UNIQUE (owner, id))`,
    `CREATE TABLE documents (position ${position}, id TEXT NOT NULL, owner TEXT NOT NULL,
      base_id TEXT NOT NULL, document TEXT NOT NULL, UNIQUE (owner, base_id, id),
      FOREIGN KEY (owner, base_id) REFERENCES bases (owner, id) ON DELETE CASCADE)`,
    'CREATE INDEX documents_of_base ON documents (owner, base_id, position)',
    `CREATE TABLE ledger (owner TEXT NOT NULL, endpoint TEXT NOT NULL, key TEXT NOT NULL,
      fingerprint TEXT NOT NULL, claim TEXT NOT NULL, claimed_at DOUBLE PRECISION NOT NULL,
      lease_until DOUBLE PRECISION NOT NULL, run TEXT, PRIMARY KEY (owner, endpoint, key))`,
    'CREATE INDEX ledger_by_age ON ledger (claimed_at)',
  ]
}

/**
 * Creates the tables of a new database, in one transaction.
 *
 * @throws StoreOpenError for a database that a newer server has written
 */
export async function createTables(database: Database): Promise<void> {
  const { dialect } = database
  await database.transaction(async (query) => {
    if (dialect.creationLock !== undefined) await query(dialect.creationLock)
    await query('CREATE TABLE IF NOT EXISTS schema_version (version INTEGER NOT NULL)')
    const [row] = await query('SELECT version FROM schema_version')
    if (row === undefined) {
      for (const statement of tablesOf(dialect)) await query(statement)
      await query('INSERT INTO schema_version (version) VALUES (?)', [schemaVersion])
    } else if (Number(row['version']) > schemaVersion) {
      throw new StoreOpenError(
        `the store has schema version ${row['version']}, but this server supports versions up to ${schemaVersion}: use the server that wrote it, or a newer one`,
      )
    }
  })
}
