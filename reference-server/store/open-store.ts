/** Opens the configured store of a server. */
import { documentFixtures } from '../../fixtures/files.ts'
import { seededBaseId } from '../answering/assistant-context.ts'
import { documentText } from '../retrieval/retrieval.ts'
import { openSqlite } from './sql/sqlite.ts'
import { type Store, sqlStore } from './sql/store.ts'
import type { SeededBase, StoreOptions } from './types.ts'
import { StoreOpenError } from './types.ts'

/**
 * Opens `memory`, `sqlite:FILE` (created if it does not exist) or `postgres://…`, and brings its tables to
 * the version of this server.
 *
 * @throws StoreOpenError for any other text, and for a store that cannot be used
 */
export async function openStore(text: string, options: StoreOptions = {}): Promise<Store> {
  try {
    return await open(text, options)
  } catch (error) {
    if (error instanceof StoreOpenError) throw error
    throw new StoreOpenError(`${storeName(text)}: ${reasonOf(error)}`, { cause: error })
  }
}

async function open(text: string, options: StoreOptions): Promise<Store> {
  const bases = seededBases()
  const file = text === 'memory' ? ':memory:' : /^sqlite:(.+)$/.exec(text)?.[1]
  if (file !== undefined) return sqlStore(openSqlite(file), bases, options)
  if (/^postgres(ql)?:\/\//.test(text)) {
    const { openPostgres } = await import('./sql/postgres.ts')
    return sqlStore(openPostgres(text), bases, options)
  }
  throw new StoreOpenError(
    `${JSON.stringify(storeName(text))}: expected memory, sqlite:FILE or postgres://USER@HOST/DATABASE`,
  )
}

/** The text of a store without its password, which may be in the query of its URL. */
export function storeName(text: string): string {
  const url = /^postgres(ql)?:/.test(text) ? URL.parse(text) : null
  if (url === null) return text.replace(/:\/\/[^@]*@/, '://')
  url.password = ''
  url.searchParams.delete('password')
  return url.href
}

/** The cause of an error that reports only that the database does not answer. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  // A host with several IP addresses, none of which answers.
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join(', ')
  return error.cause === undefined ? error.message : reasonOf(error.cause)
}

/** The day the documents were written, in Unix milliseconds. */
const written = Date.UTC(2026, 0, 1)

export function seededBases(): readonly SeededBase[] {
  const base = {
    id: seededBaseId,
    name: 'Varnholm',
    description: 'Documents about the island of Varnholm',
    createdAt: written,
    seeded: true,
  }
  const documents = documentFixtures().map(({ filename, contentType, bytes }, index) => ({
    id: `doc_varnholm_${index + 1}`,
    filename,
    contentType,
    size: bytes.length,
    text: documentText(bytes) ?? '',
    createdAt: written,
  }))
  return [{ base, documents }]
}
