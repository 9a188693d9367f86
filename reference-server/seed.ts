/** Initial data of every caller: knowledge bases about an island, and of the guests of its inn. */
import { type DocumentFixture, documentFixtures, guestbookFixtures } from '../fixtures/documents.ts'
import { seededBaseId } from './answering/assistants.ts'
import { documentText } from './retrieval/documents/document-text.ts'
import type { KnowledgeBase, SeededBase } from './store/types.ts'

/** The day the documents were written, in Unix milliseconds. */
const written = Date.UTC(2026, 0, 1)

export const guestbookBaseId = '5e7a0c94-21d8-4b6f-9a3d-c06f18e4b72d'

export function seededBases(): readonly SeededBase[] {
  const island = {
    id: seededBaseId,
    name: 'Varnholm',
    description: 'Documents about the island of Varnholm',
    createdAt: written,
    seeded: true,
  }
  const guestbook = {
    id: guestbookBaseId,
    name: 'Guestbook',
    description: 'Notes of guests of the harbour inn, in twelve languages',
    createdAt: written,
    seeded: true,
  }
  return [
    seededBase(island, documentFixtures(), 'doc_varnholm'),
    seededBase(guestbook, guestbookFixtures(), 'doc_guestbook'),
  ]
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
