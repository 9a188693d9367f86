/** A database as the stores use it; SQLite and PostgreSQL understand the statements that they send. */

export type Value = string | number | null
export type Row = Readonly<Record<string, unknown>>

/** `?` stands for each value in turn. */
export type Query = (sql: string, values?: readonly Value[]) => Promise<readonly Row[]>

/** Parts of statements in which databases differ. */
export interface SqlDialect {
  /** Type of a primary key that only grows. */
  readonly position: string
  /** The clock that all servers of a database share, in Unix milliseconds. */
  readonly now: string
  /** End of a SELECT whose rows must not be deleted before the transaction ends. */
  readonly keyShare: string
  /** First statement of a migration, so that one server at a time migrates. */
  readonly migrationLock: string | undefined
}

export interface Database {
  readonly dialect: SqlDialect
  /** True if no other server can have this database open: unfinished runs in it have ended. */
  readonly exclusive: boolean
  readonly query: Query
  /** Statements that take effect together or not at all, and are durable when it resolves. */
  transaction<T>(work: (query: Query) => Promise<T>): Promise<T>
  close(): Promise<void>
}

export function textOf(row: Row | undefined, column: string): string {
  return String(row?.[column])
}

/** Integers of PostgreSQL arrive as text. */
export function numberOf(row: Row | undefined, column: string): number {
  return Number(row?.[column])
}

/** Value of a column that holds JSON, which this server wrote. */
export function jsonOf<T>(row: Row | undefined, column: string): T {
  return JSON.parse(textOf(row, column)) as T
}

/** Text as it is searched: in lower case, without the character that ends a text for a database. */
export function searchable(text: string): string {
  return text.toLowerCase().replaceAll('\0', '\ufffd')
}

/** Pattern of LIKE for a part of a name, with a backslash as its ESCAPE character. */
export function patternOf(part: string): string {
  return `%${searchable(part).replaceAll(/[\\%_]/g, '\\$&')}%`
}

/** The page of some rows, of which one more was read than it may hold. */
export function pageOf<T>(rows: readonly Row[], limit: number, read: (row: Row) => T) {
  const pageRows = rows.slice(0, limit)
  return {
    rows: pageRows.map(read),
    next: rows.length > limit ? numberOf(pageRows.at(-1), 'position') : null,
  }
}
