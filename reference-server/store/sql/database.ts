/** The database interface of the stores, whose statements both SQLite and PostgreSQL support. */

export type Value = string | number | null
export type Row = Readonly<Record<string, unknown>>

/** `?` stands for each value in turn. */
export type Query = (sql: string, values?: readonly Value[]) => Promise<readonly Row[]>

/** Parts of statements in which databases differ. */
export interface SqlDialect {
  /** Type of a monotonically increasing primary key. */
  readonly position: string
  /** Expression for the clock that all servers of a database share, in Unix milliseconds. */
  readonly now: string
  /** End of a SELECT whose rows must not be deleted before the transaction ends. */
  readonly keyShare: string
  /** First statement of a migration, so that only one server at a time migrates. */
  readonly migrationLock: string | undefined
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

export function textOf(row: Row | undefined, column: string): string {
  return String(row?.[column])
}

/** PostgreSQL returns integers as text. */
export function numberOf(row: Row | undefined, column: string): number {
  return Number(row?.[column])
}

/** Value of a column that holds JSON, which this server wrote. */
export function jsonOf<T>(row: Row | undefined, column: string): T {
  return JSON.parse(textOf(row, column)) as T
}

/** Text for searches: in lower case, without the null character, which databases do not accept. */
export function searchable(text: string): string {
  return text.toLowerCase().replaceAll('\0', '\ufffd')
}

/** LIKE pattern for a part of a name, with a backslash as the ESCAPE character. */
export function patternOf(part: string): string {
  return `%${searchable(part).replaceAll(/[\\%_]/g, '\\$&')}%`
}

/** A page from rows of which one more than its limit was read. */
export function pageOf<T>(rows: readonly Row[], limit: number, read: (row: Row) => T) {
  const pageRows = rows.slice(0, limit)
  return {
    rows: pageRows.map(read),
    next: rows.length > limit ? numberOf(pageRows.at(-1), 'position') : null,
  }
}
