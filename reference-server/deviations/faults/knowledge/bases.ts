/** Faults of the knowledge prefix (sections 2.7, 4.3 and 9). */
import type { RequirementId } from '../../../../contract/index.ts'
import type { Patch } from '../../../services.ts'
import { toList } from '../../patches/json.ts'
import { onSuccess, onSuccessBody, setFields } from '../../patches/replies.ts'
import { onRequest, rejectRequests } from '../../patches/requests.ts'
import type { RoutePattern } from '../../patches/routes.ts'
import { compose, onStore } from '../../patches/services.ts'
import { faultTable } from '../../table.ts'
import type { Fault } from '../../types.ts'

const plainPrefix = '/api/knowledge'
const v3Prefix = '/api/v3/knowledge'
const search = '/:base_id/search'
const documents = '/:base_id/documents'

export const knowledgeFaults: readonly Fault[] = [
  ...faultTable({
    'KB-02': {
      'knowledge-upload-forgotten: A document upload is accepted but never found by a search.':
        onStore('knowledge', () => ({ addDocument: async () => true })),
      'knowledge-upload-empty: The text and the file name of uploaded documents are not stored.':
        onStore('knowledge', ({ addDocument }) => ({
          addDocument: (owner, base, document) =>
            addDocument(owner, base, { ...document, filename: 'document.txt', text: '' }),
        })),
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
    },
  }),
  underBothPrefixes('list-refused', 'KB-01', 'The list of knowledge bases returns 404.', (prefix) =>
    rejectRequests(`GET ${prefix}`, () => true, 404),
  ),
  underBothPrefixes('list-empty', 'KB-01', 'The list of knowledge bases is empty.', (prefix) =>
    setFields(`GET ${prefix}`, { result: [] }),
  ),
  underBothPrefixes(
    'list-of-names',
    'KB-01',
    'The list of knowledge bases returns only names.',
    (prefix) =>
      setFields(`GET ${prefix}`, { 'result.*': ({ name }: { name: string }) => ({ name }) }),
  ),
  underBothPrefixes(
    'upload-refused',
    'KB-02',
    'Document uploads are rejected with 405.',
    (prefix) => rejectRequests(`POST ${prefix}${documents}`, () => true, 405),
  ),
  underBothPrefixes(
    'search-refused',
    'KB-03',
    'A search in a knowledge base returns 404.',
    (prefix) => rejectRequests(`GET ${prefix}${search}`, () => true, 404),
  ),
  underBothPrefixes(
    'search-finds-nothing',
    'KB-03',
    'A search in a knowledge base returns no results.',
    (prefix) => setFields(`GET ${prefix}${search}`, { result: [] }),
  ),
  underBothPrefixes(
    'search-names-files',
    'KB-03',
    'Search results contain only file names, not content.',
    (prefix) =>
      setFields(`GET ${prefix}${search}`, {
        'result.*': ({ filename }: { filename: string }) => ({
          filename,
        }),
      }),
  ),
  underBothPrefixes(
    'search-finds-the-worst',
    'KB-03',
    'A search returns only its last result.',
    (prefix) =>
      setFields(`GET ${prefix}${search}`, {
        result: (found: readonly unknown[]) => found.slice(-1),
      }),
  ),
  underPlainPrefix('missing', 'returns 404', (route) => rejectRequests(route, () => true, 404)),
  underPlainPrefix('status', 'returns 203 instead of 200', (route) =>
    onSuccess(route, (reply) => ({ ...reply, status: 203 })),
  ),
  underPlainPrefix('longer', 'returns an additional member total', (route) =>
    onSuccessBody(route, (body) => ({ ...body, total: toList(body['result']).length })),
  ),
  underPlainPrefix('renamed', 'returns items instead of result', (route) =>
    onSuccessBody(route, ({ result, ...body }) => ({ ...body, items: result })),
  ),
]

/** The same fault under both prefixes. */
function underBothPrefixes(
  name: string,
  requirement: RequirementId,
  summary: string,
  under: (prefix: '/api/knowledge' | '/api/v3/knowledge') => Patch,
): Fault {
  return {
    name: `knowledge-${name}`,
    summary,
    breaks: [requirement],
    patch: compose([under(plainPrefix), under(v3Prefix)]),
  }
}

/** A fault under the plain prefix only. */
function underPlainPrefix(name: string, what: string, at: (route: RoutePattern) => Patch): Fault {
  return {
    name: `knowledge-apart-${name}`,
    summary: `/api/knowledge ${what}.`,
    breaks: ['KB-04'],
    patch: compose([at(`GET ${plainPrefix}`), at(`GET ${plainPrefix}${search}`)]),
  }
}
