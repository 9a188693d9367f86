/** Knowledge bases in a database. Each caller has its own copy of the seeded ones from its first request on. */
import type { KnowledgeDocument } from '../../retrieval/retrieval.ts'
import type { KnowledgeBase, PageRequest, SeededBase } from '../types.ts'
import { affects, type Database, jsonOf, jsonRows, type Query, readPage } from './database.ts'

interface CachedDocuments {
  /** Number of changes of the base, by any server, that the documents include. */
  readonly changes: number
  readonly documents: readonly KnowledgeDocument[]
}

export function sqlKnowledge({ query, transaction }: Database, seeds: readonly SeededBase[]) {
  const seeded = new Map<string, Promise<void>>()
  const cache = new Map<string, CachedDocuments>()

  function own(owner: string): Promise<void> {
    const seeding = seeded.get(owner) ?? seed(owner)
    seeded.set(owner, seeding)
    seeding.catch(() => seeded.delete(owner))
    return seeding
  }

  function seed(owner: string): Promise<void> {
    return transaction(async (inside) => {
      const insertion =
        'INSERT INTO owners (owner) VALUES (?) ON CONFLICT DO NOTHING RETURNING owner'
      if (!(await affects(inside, insertion, [owner]))) return
      for (const { base, documents } of seeds) {
        await insertBase(inside, owner, base)
        for (const document of documents) await insertDocument(inside, owner, base.id, document)
      }
    })
  }

  /** False if the base does not exist, or the work has no effect. */
  async function change(owner: string, baseId: string, work: (query: Query) => Promise<boolean>) {
    await own(owner)
    const count = 'UPDATE bases SET changes = changes + 1 WHERE owner = ? AND id = ? RETURNING id'
    return transaction(
      async (inside) => (await affects(inside, count, [owner, baseId])) && work(inside),
    )
  }

  return {
    async find(owner: string, id: string): Promise<KnowledgeBase | undefined> {
      await own(owner)
      const sql = 'SELECT base AS json FROM bases WHERE owner = ? AND id = ?'
      return (await jsonRows<KnowledgeBase>(query, sql, [owner, id]))[0]
    },
    /** Oldest first. */
    async bases(owner: string, { before: after = 0, limit }: PageRequest) {
      await own(owner)
      const sql = `SELECT position, base AS json FROM bases WHERE owner = ? AND position > ?
        ORDER BY position`
      return readPage(query, sql, [owner, after], limit, jsonOf<KnowledgeBase>)
    },
    async create(owner: string, base: KnowledgeBase): Promise<void> {
      await own(owner)
      await insertBase(query, owner, base)
    },
    async delete(owner: string, id: string): Promise<boolean> {
      await own(owner)
      cache.delete(cacheKey(owner, id))
      const sql = 'DELETE FROM bases WHERE owner = ? AND id = ? RETURNING id'
      return affects(query, sql, [owner, id])
    },
    /** Oldest first. */
    async documentPage(owner: string, baseId: string, { before: after = 0, limit }: PageRequest) {
      await own(owner)
      const sql = `SELECT position, document AS json FROM documents
        WHERE owner = ? AND base_id = ? AND position > ? ORDER BY position`
      return readPage(query, sql, [owner, baseId, after], limit, jsonOf<KnowledgeDocument>)
    },
    /** Oldest first, the same array until its content changes; empty if the base does not exist. */
    async documents(owner: string, baseId: string): Promise<readonly KnowledgeDocument[]> {
      await own(owner)
      const count = 'SELECT changes FROM bases WHERE owner = ? AND id = ?'
      const [base] = await query<{ changes: number }>(count, [owner, baseId])
      if (base === undefined) return []
      const { changes } = base
      const cached = cache.get(cacheKey(owner, baseId))
      if (cached?.changes === changes) return cached.documents
      const sql = `SELECT document AS json FROM documents WHERE owner = ? AND base_id = ?
        ORDER BY position`
      const documents = await jsonRows<KnowledgeDocument>(query, sql, [owner, baseId])
      cache.set(cacheKey(owner, baseId), { changes, documents })
      return documents
    },
    /** False if the base does not exist. */
    addDocument: (owner: string, baseId: string, document: KnowledgeDocument): Promise<boolean> =>
      change(owner, baseId, async (inside) => {
        await insertDocument(inside, owner, baseId, document)
        return true
      }),
    deleteDocument: (owner: string, baseId: string, id: string): Promise<boolean> => {
      const sql = 'DELETE FROM documents WHERE owner = ? AND base_id = ? AND id = ? RETURNING id'
      return change(owner, baseId, (inside) => affects(inside, sql, [owner, baseId, id]))
    },
  }
}

function cacheKey(owner: string, baseId: string): string {
  return JSON.stringify([owner, baseId])
}

async function insertBase(query: Query, owner: string, base: KnowledgeBase): Promise<void> {
  const values = [base.id, owner, JSON.stringify(base)]
  await query('INSERT INTO bases (id, owner, base) VALUES (?, ?, ?)', values)
}

async function insertDocument(
  query: Query,
  owner: string,
  baseId: string,
  document: KnowledgeDocument,
): Promise<void> {
  const values = [document.id, owner, baseId, JSON.stringify(document)]
  await query('INSERT INTO documents (id, owner, base_id, document) VALUES (?, ?, ?, ?)', values)
}
