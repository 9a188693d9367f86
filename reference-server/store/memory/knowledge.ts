/** Knowledge bases in memory. Each caller has its own copy of the seeded ones and may add to them. */
import type { KnowledgeDocument } from '../../retrieval/types.ts'
import type { KnowledgeBase, KnowledgeStore, OldestFirst, Page, SeededBase } from '../types.ts'

interface Holding {
  readonly base: KnowledgeBase
  readonly documents: readonly KnowledgeDocument[]
}

export function memoryKnowledge(seeds: readonly SeededBase[]): KnowledgeStore {
  const owners = new Map<string, Map<string, Holding>>()
  const place = places()
  for (const { base, documents } of seeds) for (const one of [base, ...documents]) place(one)

  function own(owner: string): Map<string, Holding> {
    const existing = owners.get(owner) ?? new Map(seeds.map((seed) => [seed.base.id, seed]))
    owners.set(owner, existing)
    return existing
  }

  function page<Row extends object>(all: readonly Row[], { after, limit }: OldestFirst): Page<Row> {
    const rest = all.filter((row) => place(row) > after)
    const rows = rest.slice(0, limit)
    const last = rows.at(-1)
    return { rows, next: rest.length > limit && last !== undefined ? place(last) : null }
  }

  return {
    async bases(owner, query) {
      const bases = [...own(owner).values()].map(({ base }) => base)
      return page(bases, query)
    },
    async documentPage(owner, baseId, query) {
      return page(own(owner).get(baseId)?.documents ?? [], query)
    },
    async find(owner, id) {
      return own(owner).get(id)?.base
    },
    async create(owner, base) {
      place(base)
      own(owner).set(base.id, { base, documents: [] })
    },
    async delete(owner, id) {
      return own(owner).delete(id)
    },
    async documents(owner, baseId) {
      return own(owner).get(baseId)?.documents ?? []
    },
    async addDocument(owner, baseId, document) {
      place(document)
      return change(own(owner), baseId, (documents) => [...documents, document])
    },
    async deleteDocument(owner, baseId, id) {
      const bases = own(owner)
        .get(baseId)
        ?.documents.some((document) => document.id === id)
      if (bases !== true) return false
      return change(own(owner), baseId, (documents) => documents.filter((doc) => doc.id !== id))
    },
  }
}

/** Assigns each row a position when it is first read; positions only increase. */
function places(): (row: object) => number {
  const sizes = new WeakMap<object, number>()
  let last = 0
  return (row) => {
    const place = sizes.get(row) ?? last + 1
    last = Math.max(last, place)
    sizes.set(row, place)
    return place
  }
}

/** A changed base gets a new array of documents, so that caches detect the change. */
function change(
  holdings: Map<string, Holding>,
  baseId: string,
  changed: (documents: readonly KnowledgeDocument[]) => readonly KnowledgeDocument[],
): boolean {
  const holding = holdings.get(baseId)
  if (holding === undefined) return false
  holdings.set(baseId, { ...holding, documents: changed(holding.documents) })
  return true
}
