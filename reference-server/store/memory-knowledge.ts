/** Knowledge bases in memory. Each caller has the seeded ones to itself, and may add to them. */
import type { KnowledgeDocument } from '../retrieval/types.ts'
import type { KnowledgeBase, KnowledgeStore } from './types.ts'

/** A base that every caller has from the start. */
export interface SeededBase {
  readonly base: KnowledgeBase
  readonly documents: readonly KnowledgeDocument[]
}

interface Holding {
  readonly base: KnowledgeBase
  readonly documents: readonly KnowledgeDocument[]
  readonly position: number
}

export function memoryKnowledge(seeds: readonly SeededBase[]): KnowledgeStore {
  const owners = new Map<string, Map<string, Holding>>()
  let position = seeds.length
  const own = (owner: string): Map<string, Holding> => {
    const known = owners.get(owner)
    if (known !== undefined) return known
    const fresh = new Map(
      seeds.map((seed, index) => [seed.base.id, { ...seed, position: index + 1 }]),
    )
    owners.set(owner, fresh)
    return fresh
  }
  return {
    async bases(owner, { after, limit }) {
      const rest = [...own(owner).values()].filter((holding) => holding.position > after)
      const page = rest.slice(0, limit)
      return {
        rows: page.map(({ base }) => base),
        next: rest.length > limit ? (page.at(-1)?.position ?? null) : null,
      }
    },
    async find(owner, id) {
      return own(owner).get(id)?.base
    },
    async create(owner, base) {
      position += 1
      own(owner).set(base.id, { base, documents: [], position })
    },
    async delete(owner, id) {
      return own(owner).delete(id)
    },
    async documents(owner, baseId) {
      return own(owner).get(baseId)?.documents ?? []
    },
    async addDocument(owner, baseId, document) {
      return change(own(owner), baseId, (documents) => [...documents, document])
    },
    async deleteDocument(owner, baseId, id) {
      const known = own(owner)
        .get(baseId)
        ?.documents.some((document) => document.id === id)
      if (known !== true) return false
      return change(own(owner), baseId, (documents) => documents.filter((doc) => doc.id !== id))
    },
  }
}

/** A changed base has another array of documents: whoever remembers the old one sees the change. */
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
