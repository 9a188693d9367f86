/** Faults of knowledge bases and of retrieval before an answer (sections 4.3, 4.4 and 9). */

import { assistants } from '../../answering/assistant-context.ts'
import type { Patch } from '../../services.ts'
import { toObject } from '../patches/json.ts'
import { setFields } from '../patches/replies.ts'
import { rejectRequests } from '../patches/requests.ts'
import { type RoutePattern, v3Generate } from '../patches/routes.ts'
import { compose, onStore } from '../patches/services.ts'
import { faultTable } from '../table.ts'

const plainPrefix = '/api/knowledge'

const v3Prefix = '/api/v3/knowledge'

const search = '/:base_id/search'

const documents = '/:base_id/documents'

const assistantWithoutBase = assistants.find(({ baseId }) => baseId === null)?.id

const assistantWithBase = assistants.find(({ baseId }) => baseId !== null)?.id

const rejectSearchType = (type: string) =>
  rejectRequests(v3Generate, ({ rag }) => toObject(rag)['search_type'] === type)

const rejectAssistant = (id: string | undefined) =>
  rejectRequests(v3Generate, ({ assistant_id }) => assistant_id === id, 404)
export const knowledgeFaults = faultTable({
  'KB-02 knowledge-upload-forgotten: A document upload is accepted but never found by a search.':
    onStore('knowledge', () => ({ addDocument: async () => true })),
  'KB-02 knowledge-upload-refused: Document uploads are rejected with 405.': underBothPrefixes(
    (prefix) => rejectRequests(`POST ${prefix}${documents}`, () => true, 405),
  ),
  'KB-04 knowledge-apart-one-result: /api/v3/knowledge returns only the first result of a search.':
    setFields(`GET ${v3Prefix}${search}`, {
      result: (results: readonly unknown[]) => results.slice(0, 1),
    }),
  'KB-04 knowledge-apart-scores: /api/knowledge returns search scores in percent.': setFields(
    `GET ${plainPrefix}${search}`,
    { 'result.*.score': (score: number) => 100 * score },
  ),
  'KB-04 knowledge-apart-missing: /api/knowledge returns 404.': underPlainPrefix((route) =>
    rejectRequests(route, () => true, 404),
  ),
  'KB-01 knowledge-list-empty: The list of knowledge bases is empty.': underBothPrefixes((prefix) =>
    setFields(`GET ${prefix}`, { result: [] }),
  ),
  'KB-01 knowledge-list-of-names: The list of knowledge bases returns only names.':
    underBothPrefixes((prefix) =>
      setFields(`GET ${prefix}`, { 'result.*': ({ name }: { name: string }) => ({ name }) }),
    ),
  'KB-03 knowledge-search-finds-nothing: A search in a knowledge base returns no results.':
    underBothPrefixes((prefix) => setFields(`GET ${prefix}${search}`, { result: [] })),
  'KB-03 knowledge-search-names-files: Search results contain only file names, not content.':
    underBothPrefixes((prefix) =>
      setFields(`GET ${prefix}${search}`, {
        'result.*': ({ filename }: { filename: string }) => ({
          filename,
        }),
      }),
    ),
  'RAG-04 rag-hybrid-refused: A generation with search_type hybrid is rejected.':
    rejectSearchType('hybrid'),
  'RAG-07 rag-on-without-base-refused: A generation with rag: true and an assistant without a knowledge base is rejected.':
    rejectRequests(
      v3Generate,
      ({ rag, assistant_id: id }) => rag === true && id === assistantWithoutBase,
    ),
  'RAG-08 rag-dense-refused: A generation with search_type dense is rejected.':
    rejectSearchType('dense'),
  'RAG-08 rag-sparse-refused: A generation with search_type sparse is rejected.':
    rejectSearchType('sparse'),
  'V3-ASST-01 rag-assistant-with-a-base-unknown: A generation with an assistant with a knowledge base is rejected with 404.':
    rejectAssistant(assistantWithBase),
  'V3-ASST-01 rag-assistant-without-a-base-unknown: A generation with an assistant without a knowledge base is rejected with 404.':
    rejectAssistant(assistantWithoutBase),
})
/** The same fault under both prefixes. */
function underBothPrefixes(
  under: (prefix: '/api/knowledge' | '/api/v3/knowledge') => Patch,
): Patch {
  return compose([under(plainPrefix), under(v3Prefix)])
}

/** A fault under the plain prefix only. */
function underPlainPrefix(at: (route: RoutePattern) => Patch): Patch {
  return compose([at(`GET ${plainPrefix}`), at(`GET ${plainPrefix}${search}`)])
}
