/** Knowledge bases, their documents, and searches with the settings of section 4.4. */
import { ownBase } from '../answering/assistant-context.ts'
import { uploadedFile } from '../http/body.ts'
import { type Call, type Route, route, type UploadedFile } from '../http/call.ts'
import { ApiError } from '../http/errors.ts'
import {
  createBaseRequest,
  listQuery,
  searchBaseQuery,
  searchBaseRequest,
} from '../requests/native.ts'
import { type KnowledgeDocument, searchPlan } from '../retrieval/retrieval.ts'
import { isoTime } from '../runtime/clock.ts'
import type { Services } from '../services.ts'
import type { Store } from '../store/sql/store.ts'
import type { KnowledgeBase } from '../store/types.ts'
import { pageBody, uploadedContent } from './ownership.ts'
import { baseShape, documentShape, findingShape, pageOf } from './shapes.ts'

export function baseRoutes({ clock, ids, store }: Services, prefix: string): readonly Route[] {
  const { knowledge } = store
  const one = `${prefix}/:base_id`
  return [
    route('GET', prefix, {
      summary: 'List knowledge bases, oldest first',
      answer: pageOf(baseShape),
      query: listQuery,
      handle: ({ query, caller }) =>
        pageBody('knowledge bases', query, baseRecord, (page) => knowledge.bases(caller, page)),
    }),
    route('POST', prefix, {
      summary: 'Create a knowledge base',
      status: 201,
      answer: baseShape,
      body: createBaseRequest,
      handle: async ({ body: { name, description }, caller }) => {
        const base: KnowledgeBase = {
          ...{ id: ids.uuid(), name, description: description ?? '' },
          ...{ createdAt: clock.now(), seeded: false },
        }
        await knowledge.create(caller, base)
        return baseRecord(base)
      },
    }),
    route('GET', one, {
      summary: 'Get a knowledge base',
      answer: baseShape,
      handle: async (call) => baseRecord(await baseInPath(knowledge, call)),
    }),
    route('DELETE', one, {
      summary: 'Delete a knowledge base with its documents',
      handle: async (call) => {
        const base = await baseInPath(knowledge, call)
        if (base.seeded) {
          const message = 'This knowledge base is part of the catalog'
          throw new ApiError(403, message, 'knowledge_base_fixed', 'base_id')
        }
        await knowledge.delete(call.caller, base.id)
      },
    }),
  ]
}

function baseInPath(
  knowledge: Store['knowledge'],
  { caller, params }: Pick<Call, 'caller' | 'params'>,
): Promise<KnowledgeBase> {
  return ownBase(knowledge, caller, params['base_id'] ?? '', 'base_id')
}

function baseRecord({ id, name, description, createdAt }: KnowledgeBase): object {
  return { id, name, description, created_at: isoTime(createdAt) }
}

/** Bytes. All words of a document are indexed synchronously. */
const maxDocumentBytes = 2 * 1024 * 1024

export function documentRoutes({ clock, ids, store }: Services, prefix: string): readonly Route[] {
  const { knowledge } = store
  const all = `${prefix}/:base_id/documents`
  return [
    route('GET', all, {
      summary: 'List the documents of a knowledge base, oldest first',
      answer: pageOf(documentShape),
      query: listQuery,
      handle: async (call) => {
        const { id } = await baseInPath(knowledge, call)
        return pageBody(`documents ${id}`, call.query, documentRecord, (page) =>
          knowledge.documentPage(call.caller, id, page),
        )
      },
    }),
    route('POST', all, {
      summary: 'Upload a document of UTF-8 text; it is searchable immediately',
      status: 201,
      answer: documentShape,
      accepts: 'form',
      handle: async (call) => {
        const base = await baseInPath(knowledge, call)
        const content = documentContent(uploadedFile(call))
        const document = { id: ids.tagged('doc'), ...content, createdAt: clock.now() }
        await knowledge.addDocument(call.caller, base.id, document)
        return documentRecord(document)
      },
    }),
    route('DELETE', `${all}/:document_id`, {
      summary: 'Delete a document',
      handle: async (call) => {
        const base = await baseInPath(knowledge, call)
        const id = call.params['document_id'] ?? ''
        if (await knowledge.deleteDocument(call.caller, base.id, id)) return
        const message = `No document ${JSON.stringify(id)} in this base`
        throw new ApiError(404, message, 'document_not_found', 'document_id')
      },
    }),
  ]
}

function documentContent(file: UploadedFile) {
  if (file.bytes.length > maxDocumentBytes) {
    const message = `A document may have at most ${maxDocumentBytes} bytes`
    throw new ApiError(413, message, 'document_too_large', 'file')
  }
  const { text, ...content } = uploadedContent(file)
  if (text !== undefined) return { ...content, text }
  throw new ApiError(415, 'Documents are UTF-8 text', 'unsupported_document', 'file')
}

function documentRecord(document: KnowledgeDocument): object {
  const { id, filename, contentType, size, createdAt } = document
  const indexed = { status: 'ready', created_at: isoTime(createdAt) }
  return { id, filename, content_type: contentType, size, ...indexed }
}

/** An explicit search returns all hits, including the least similar. */
const defaults = { threshold: 0, limit: 10 }

export function searchRoutes({ retrieve, store }: Services, prefix: string): readonly Route[] {
  const path = `${prefix}/:base_id/search`

  async function search(
    call: Pick<Call, 'caller' | 'params'>,
    query: string,
    request: Parameters<typeof searchPlan>[0],
  ) {
    const { id } = await baseInPath(store.knowledge, call)
    const documents = await store.knowledge.documents(call.caller, id)
    const hits = retrieve([documents], query, searchPlan(request, defaults))
    const result = hits.map(({ fileId, ...found }) => ({ file_id: fileId, ...found }))
    return { result, pagination: { cursor: null } }
  }

  return [
    route('GET', path, {
      summary: 'Search a knowledge base for the text in q',
      answer: pageOf(findingShape),
      query: searchBaseQuery,
      handle: (call) => search(call, call.query.q, call.query),
    }),
    route('POST', path, {
      summary: 'Search a knowledge base for the text in query',
      answer: pageOf(findingShape),
      body: searchBaseRequest,
      handle: (call) => search(call, call.body.query, call.body),
    }),
  ]
}
