/** Initial data of every caller: a knowledge base about an island. */
import { documentFixtures } from '../fixtures/documents.ts'
import { seededBaseId } from './answering/assistants.ts'
import { documentText } from './retrieval/documents/document-text.ts'
import type { SeededBase } from './store/memory-knowledge.ts'

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
    text: documentText(filename, contentType, bytes) ?? '',
    createdAt: written,
  }))
  return [{ base, documents }]
}
