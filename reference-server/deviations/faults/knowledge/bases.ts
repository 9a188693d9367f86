import type { Patch } from '../../../services.ts'
import { toList } from '../../patches/json.ts'
import { onSuccess, onSuccessBody, setFields } from '../../patches/replies.ts'
import { onRequest, rejectRequests } from '../../patches/requests.ts'
import type { RoutePattern } from '../../patches/routes.ts'
import { compose, onStore } from '../../patches/services.ts'
import { faultTable } from '../../table.ts'

const plainPrefix = '/api/knowledge'
const v3Prefix = '/api/v3/knowledge'
const search = '/:base_id/search'
const documents = '/:base_id/documents'

export const knowledgeFaults = faultTable({
  'KB-02': {
    'knowledge-upload-forgotten: A document upload is accepted but never found by a search.':
      onStore('knowledge', () => ({ addDocument: async () => true })),
    'knowledge-upload-empty: The text and the file name of uploaded documents are not stored.':
      onStore('knowledge', ({ addDocument }) => ({
        addDocument: (owner, base, document) =>
          addDocument(owner, base, { ...document, filename: 'document.txt', text: '' }),
      })),
    'knowledge-upload-refused: Document uploads are rejected with 405.': underBothPrefixes(
      (prefix) => rejectRequests(`POST ${prefix}${documents}`, () => true, 405),
    ),
  },
  'KB-04': {
    'knowledge-apart-upload-refused: /api/knowledge rejects document uploads with 405.':
      rejectRequests(`POST ${plainPrefix}${documents}`, () => true, 405),
    'knowledge-apart-upload-empty: The text and the file name of documents uploaded to /api/knowledge are not stored.':
      onRequest(`POST ${plainPrefix}${documents}`, (call) => ({
        ...call,
        file: call.file && {
          ...call.file,
          filename: 'document.txt',
          bytes: Buffer.from('Nothing.'),
        },
      })),
    'knowledge-apart-fewer-findings: /api/knowledge returns one search result less.': setFields(
      `GET ${plainPrefix}${search}`,
      { result: (found: readonly unknown[]) => found.slice(0, -1) },
    ),
    'knowledge-apart-scores: /api/knowledge returns search scores in percent.': setFields(
      `GET ${plainPrefix}${search}`,
      { 'result.*.score': (score: number) => 100 * score },
    ),
    'knowledge-apart-missing: /api/knowledge returns 404.': underPlainPrefix((route) =>
      rejectRequests(route, () => true, 404),
    ),
    'knowledge-apart-status: /api/knowledge returns 203 instead of 200.': underPlainPrefix(
      (route) => onSuccess(route, (reply) => ({ ...reply, status: 203 })),
    ),
    'knowledge-apart-longer: /api/knowledge returns an additional member total.': underPlainPrefix(
      (route) =>
        onSuccessBody(route, (body) => ({ ...body, total: toList(body['result']).length })),
    ),
    'knowledge-apart-renamed: /api/knowledge returns items instead of result.': underPlainPrefix(
      (route) => onSuccessBody(route, ({ result, ...body }) => ({ ...body, items: result })),
    ),
  },
  'KB-01': {
    'knowledge-list-refused: The list of knowledge bases returns 404.': underBothPrefixes(
      (prefix) => rejectRequests(`GET ${prefix}`, () => true, 404),
    ),
    'knowledge-list-empty: The list of knowledge bases is empty.': underBothPrefixes((prefix) =>
      setFields(`GET ${prefix}`, { result: [] }),
    ),
    'knowledge-list-of-names: The list of knowledge bases returns only names.': underBothPrefixes(
      (prefix) =>
        setFields(`GET ${prefix}`, { 'result.*': ({ name }: { name: string }) => ({ name }) }),
    ),
  },
  'KB-03': {
    'knowledge-search-refused: A search in a knowledge base returns 404.': underBothPrefixes(
      (prefix) => rejectRequests(`GET ${prefix}${search}`, () => true, 404),
    ),
    'knowledge-search-finds-nothing: A search in a knowledge base returns no results.':
      underBothPrefixes((prefix) => setFields(`GET ${prefix}${search}`, { result: [] })),
    'knowledge-search-names-files: Search results contain only file names, not content.':
      underBothPrefixes((prefix) =>
        setFields(`GET ${prefix}${search}`, {
          'result.*': ({ filename }: { filename: string }) => ({
            filename,
          }),
        }),
      ),
    'knowledge-search-finds-the-worst: A search returns only its last result.': underBothPrefixes(
      (prefix) =>
        setFields(`GET ${prefix}${search}`, {
          result: (found: readonly unknown[]) => found.slice(-1),
        }),
    ),
  },
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
