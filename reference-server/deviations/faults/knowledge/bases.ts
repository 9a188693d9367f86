/** Faults of the knowledge prefix (sections 2.7, 4.3 and 9). */
import type { RequirementId } from '../../../../contract/index.ts'
import type { Patch } from '../../../services.ts'
import { toList } from '../../patches/json.ts'
import { onSuccess, onSuccessBody, setField } from '../../patches/replies.ts'
import { onRequest, rejectRequests } from '../../patches/requests.ts'
import type { RoutePattern } from '../../patches/routes.ts'
import { compose, onStore } from '../../patches/services.ts'
import type { Fault } from '../../types.ts'

const plainPrefix = '/api/knowledge'
const v3Prefix = '/api/v3/knowledge'
const search = '/:base_id/search'
const documents = '/:base_id/documents'

export const knowledgeFaults: readonly Fault[] = [
  underBothPrefixes('list-refused', 'KB-01', 'The list of bases is answered with 404.', (prefix) =>
    rejectRequests(`GET ${prefix}`, () => true, 404),
  ),
  underBothPrefixes('list-empty', 'KB-01', 'The list of bases is empty.', (prefix) =>
    setField(`GET ${prefix}`, 'result', []),
  ),
  underBothPrefixes(
    'list-of-names',
    'KB-01',
    'The list of bases shows their names alone.',
    (prefix) => setField(`GET ${prefix}`, 'result.*', ({ name }: { name: string }) => ({ name })),
  ),
  underBothPrefixes('upload-refused', 'KB-02', 'A document cannot be uploaded.', (prefix) =>
    rejectRequests(`POST ${prefix}${documents}`, () => true, 405),
  ),
  {
    name: 'knowledge-upload-forgotten',
    summary: 'A document is accepted, and never found.',
    breaks: ['KB-02'],
    patch: onStore('knowledge', () => ({ addDocument: async () => true })),
  },
  {
    name: 'knowledge-upload-empty',
    summary: 'Of a document, its name alone is kept.',
    breaks: ['KB-02'],
    patch: onStore('knowledge', ({ addDocument }) => ({
      addDocument: (owner, base, document) =>
        addDocument(owner, base, { ...document, filename: 'document.txt', text: '' }),
    })),
  },
  underBothPrefixes(
    'search-refused',
    'KB-03',
    'A search in a base is answered with 404.',
    (prefix) => rejectRequests(`GET ${prefix}${search}`, () => true, 404),
  ),
  underBothPrefixes(
    'search-finds-nothing',
    'KB-03',
    'A search in a base finds nothing.',
    (prefix) => setField(`GET ${prefix}${search}`, 'result', []),
  ),
  underBothPrefixes(
    'search-names-files',
    'KB-03',
    'A search names files, not what they say.',
    (prefix) =>
      setField(`GET ${prefix}${search}`, 'result.*', ({ filename }: { filename: string }) => ({
        filename,
      })),
  ),
  underBothPrefixes(
    'search-finds-the-worst',
    'KB-03',
    'A search shows the last finding first.',
    (prefix) =>
      setField(`GET ${prefix}${search}`, 'result', (found: readonly unknown[]) => found.slice(-1)),
  ),
  underPlainPrefix('missing', 'is not there', (route) => rejectRequests(route, () => true, 404)),
  underPlainPrefix('status', 'answers with another status', (route) =>
    onSuccess(route, (reply) => ({ ...reply, status: 203 })),
  ),
  underPlainPrefix('longer', 'shows a member more', (route) =>
    onSuccessBody(route, (body) => ({ ...body, total: toList(body['result']).length })),
  ),
  underPlainPrefix('renamed', 'calls the list items', (route) =>
    onSuccessBody(route, ({ result, ...body }) => ({ ...body, items: result })),
  ),
  {
    name: 'knowledge-apart-upload-refused',
    summary: 'The prefix /api/knowledge takes no document.',
    breaks: ['KB-04'],
    patch: rejectRequests(`POST ${plainPrefix}${documents}`, () => true, 405),
  },
  {
    name: 'knowledge-apart-upload-empty',
    summary: 'Of a document under the prefix /api/knowledge, nothing is kept.',
    breaks: ['KB-04'],
    patch: onRequest(`POST ${plainPrefix}${documents}`, (call) => ({
      ...call,
      file: call.file && { ...call.file, filename: 'document.txt', bytes: Buffer.from('Nothing.') },
    })),
  },
  {
    name: 'knowledge-apart-fewer-findings',
    summary: 'The prefix /api/knowledge finds one thing less.',
    breaks: ['KB-04'],
    patch: setField(`GET ${plainPrefix}${search}`, 'result', (found: readonly unknown[]) =>
      found.slice(0, -1),
    ),
  },
  {
    name: 'knowledge-apart-scores',
    summary: 'The prefix /api/knowledge scores its findings in percent.',
    breaks: ['KB-04'],
    patch: setField(
      `GET ${plainPrefix}${search}`,
      'result.*.score',
      (score: number) => 100 * score,
    ),
  },
]

/** Under both prefixes alike. */
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

/** Under the plain prefix alone. */
function underPlainPrefix(name: string, what: string, at: (route: RoutePattern) => Patch): Fault {
  return {
    name: `knowledge-apart-${name}`,
    summary: `The prefix /api/knowledge ${what}.`,
    breaks: ['KB-04'],
    patch: compose([at(`GET ${plainPrefix}`), at(`GET ${plainPrefix}${search}`)]),
  }
}
