/** Initial data of every caller: a knowledge base about an island. */
import { type DocumentFixture, documentFixtures } from '../fixtures/documents.ts'
import { seededBaseId } from './answering/assistant-context.ts'
import { documentText } from './retrieval/document-text.ts'
import type { KnowledgeBase, SeededBase } from './store/types.ts'

/** The day the documents were written, in Unix milliseconds. */
const written = Date.UTC(2026, 0, 1)

export function seededBases(): readonly SeededBase[] {
  const island = {
    id: seededBaseId,
    name: 'Varnholm',
    description: 'Documents about the island of Varnholm',
    createdAt: written,
    seeded: true,
  }
  return [seededBase(island, documentFixtures(), 'doc_varnholm')]
}

function seededBase(
  base: KnowledgeBase,
  fixtures: readonly DocumentFixture[],
  prefix: string,
): SeededBase {
  const documents = fixtures.map(({ filename, contentType, bytes }, index) => ({
    id: `${prefix}_${index + 1}`,
    filename,
    contentType,
    size: bytes.length,
    text: documentText(filename, contentType, bytes) ?? '',
    createdAt: written,
  }))
  return { base, documents }
}
