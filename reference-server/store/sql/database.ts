/** The database interface of the store, whose statements both SQLite and PostgreSQL support. */
import type { Page } from '../types.ts'

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
