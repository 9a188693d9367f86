/** Tables and their migrations. */
import { StoreOpenError } from '../types.ts'
import type { Database, SqlDialect } from './database.ts'

const chat = 'chat_id TEXT NOT NULL REFERENCES chats (id) ON DELETE CASCADE'

/** Each migration upgrades from the version equal to its index to the next one. */
const migrations: readonly ((dialect: SqlDialect) => readonly string[])[] = [
  ({ position }) => [
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
  ],
]

/**
 * Brings a database to the version of this server, in one transaction.
 *
 * @throws StoreOpenError for a database that a newer server has written
 */
export async function migrate(database: Database): Promise<void> {
  const { dialect } = database
  await database.transaction(async (query) => {
    if (dialect.migrationLock !== undefined) await query(dialect.migrationLock)
    await query('CREATE TABLE IF NOT EXISTS schema_version (version INTEGER NOT NULL)')
    const [row] = await query('SELECT version FROM schema_version')
    const version = Number(row?.['version'] ?? 0)
    if (version > migrations.length) {
      throw new StoreOpenError(
        `the store has schema version ${version}, this server knows versions up to ${migrations.length}: use the server that wrote it, or a newer one`,
      )
    }
    if (version === migrations.length) return
    for (const statements of migrations.slice(version)) {
      for (const statement of statements(dialect)) await query(statement)
    }
    await query(
      row === undefined
        ? 'INSERT INTO schema_version (version) VALUES (?)'
        : 'UPDATE schema_version SET version = ?',
      [migrations.length],
    )
  })
}
