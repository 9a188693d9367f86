/** Knowledge bases in a database. Each caller has its own copy of the seeded ones from its first request on. */
import type { KnowledgeDocument } from '../../retrieval/types.ts'
import type { KnowledgeBase, KnowledgeStore, SeededBase } from '../types.ts'
import { type Database, jsonOf, numberOf, pageOf, type Query } from './database.ts'

interface CachedDocuments {
  /** Number of changes of the base, by any server, that the documents include. */
  readonly changes: number
  readonly documents: readonly KnowledgeDocument[]
}

export function sqlKnowledge(
  { query, transaction }: Database,
  seeds: readonly SeededBase[],
): KnowledgeStore {
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
      const first = await inside(
        'INSERT INTO owners (owner) VALUES (?) ON CONFLICT DO NOTHING RETURNING owner',
        [owner],
      )
      if (first.length === 0) return
      for (const { base, documents } of seeds) {
        await insertBase(inside, owner, base)
        for (const document of documents) await insertDocument(inside, owner, base.id, document)
      }
    })
  }

  return {
    async find(owner, id) {
      await own(owner)
      const [row] = await query('SELECT base FROM bases WHERE owner = ? AND id = ?', [owner, id])
      return row === undefined ? undefined : jsonOf(row, 'base')
    },
    async bases(owner, { before: after = 0, limit }) {
      await own(owner)
      const rows = await query(
        'SELECT position, base FROM bases WHERE owner = ? AND position > ? ORDER BY position LIMIT ?',
        [owner, after, limit + 1],
      )
      return pageOf(rows, limit, (row) => jsonOf<KnowledgeBase>(row, 'base'))
    },
    async create(owner, base) {
      await own(owner)
      await insertBase(query, owner, base)
    },
    async delete(owner, id) {
      await own(owner)
      cache.delete(cacheKey(owner, id))
      const removal = 'DELETE FROM bases WHERE owner = ? AND id = ? RETURNING id'
      const rows = await query(removal, [owner, id])
      return rows.length > 0
    },
    async documentPage(owner, baseId, { before: after = 0, limit }) {
      await own(owner)
      const rows = await query(
        `SELECT position, document FROM documents WHERE owner = ? AND base_id = ? AND position > ?
         ORDER BY position LIMIT ?`,
        [owner, baseId, after, limit + 1],
      )
      return pageOf(rows, limit, (row) => jsonOf<KnowledgeDocument>(row, 'document'))
    },
    async documents(owner, baseId) {
      await own(owner)
      const [base] = await query('SELECT changes FROM bases WHERE owner = ? AND id = ?', [
        ...[owner, baseId],
      ])
      if (base === undefined) return []
      const changes = numberOf(base, 'changes')
      const cached = cache.get(cacheKey(owner, baseId))
      if (cached?.changes === changes) return cached.documents
      const rows = await query(
        'SELECT document FROM documents WHERE owner = ? AND base_id = ? ORDER BY position',
        [owner, baseId],
      )
      const documents = rows.map((row) => jsonOf<KnowledgeDocument>(row, 'document'))
      cache.set(cacheKey(owner, baseId), { changes, documents })
      return documents
    },
    async addDocument(owner, baseId, document) {
      await own(owner)
      return transaction(async (inside) => {
        if (!(await countChange(inside, owner, baseId))) return false
        await insertDocument(inside, owner, baseId, document)
        return true
      })
    },
    async deleteDocument(owner, baseId, id) {
      await own(owner)
      return transaction(async (inside) => {
        if (!(await countChange(inside, owner, baseId))) return false
        const rows = await inside(
          'DELETE FROM documents WHERE owner = ? AND base_id = ? AND id = ? RETURNING id',
          [owner, baseId, id],
        )
        return rows.length > 0
      })
    },
  }
}

function cacheKey(owner: string, baseId: string): string {
  return JSON.stringify([owner, baseId])
}

/** False if the base does not exist. */
async function countChange(query: Query, owner: string, baseId: string): Promise<boolean> {
  const rows = await query(
    'UPDATE bases SET changes = changes + 1 WHERE owner = ? AND id = ? RETURNING id',
    [owner, baseId],
  )
  return rows.length > 0
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
