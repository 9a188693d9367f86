/** Knowledge bases, their documents, and searches with the settings of section 4.4. */

import { ownBase } from '../answering/assistant-context.ts'
import { type Reply, type Route, route, type UploadedFile } from '../http/call.ts'
import { ApiError } from '../http/errors.ts'
import { uploadedFile } from '../http/form.ts'
import {
  createBaseRequest,
  listQuery,
  searchBaseQuery,
  searchBaseRequest,
} from '../requests/index.ts'
import { readableFormats } from '../retrieval/document-text.ts'
import { searchPlan } from '../retrieval/retrieval.ts'
import type { KnowledgeDocument } from '../retrieval/types.ts'
import { isoTime } from '../runtime/clock.ts'
import type { Services } from '../services.ts'
import type { KnowledgeBase } from '../store/types.ts'
import { uploadedContent } from './ownership.ts'
import { pageReply } from './paging.ts'
import {
  basePageShape,
  baseShape,
  documentPageShape,
  documentShape,
  findingPageShape,
} from './shapes.ts'

export function baseRoutes({ clock, ids, store }: Services, prefix: string): readonly Route[] {
  const { knowledge } = store
  const one = `${prefix}/:base_id`
  return [
    route('GET', prefix, {
      summary: 'List knowledge bases, oldest first',
      answer: { status: 200, body: basePageShape },
      query: listQuery,
      handle: ({ query, caller }) =>
        pageReply('knowledge bases', query, baseRecord, (page) => knowledge.bases(caller, page)),
    }),
    route('POST', prefix, {
      summary: 'Create a knowledge base',
      answer: { status: 201, body: baseShape },
      body: createBaseRequest,
      handle: async ({ body, caller }) => {
        const base: KnowledgeBase = {
          id: ids.uuid(),
          name: body.name,
          description: body.description ?? '',
          createdAt: clock.now(),
          seeded: false,
        }
        await knowledge.create(caller, base)
        return { status: 201, body: baseRecord(base) }
      },
    }),
    route('GET', one, {
      summary: 'Get a knowledge base',
      answer: { status: 200, body: baseShape },
      handle: async ({ params, caller }) => {
        const base = await ownBase(knowledge, caller, params['base_id'])
        return { status: 200, body: baseRecord(base) }
      },
    }),
    route('DELETE', one, {
      summary: 'Delete a knowledge base with its documents',
      answer: { status: 204 },
      handle: async ({ params, caller }) => {
        const base = await ownBase(knowledge, caller, params['base_id'])
        if (base.seeded) {
          throw new ApiError(403, 'This knowledge base is part of the catalog', {
            code: 'knowledge_base_fixed',
            param: 'base_id',
          })
        }
        await knowledge.delete(caller, base.id)
        return { status: 204 }
      },
    }),
  ]
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
      answer: { status: 200, body: documentPageShape },
      query: listQuery,
      handle: async ({ params, query, caller }) => {
        const { id } = await ownBase(knowledge, caller, params['base_id'])
        return pageReply(`documents ${id}`, query, documentRecord, (page) =>
          knowledge.documentPage(caller, id, page),
        )
      },
    }),
    route('POST', all, {
      summary: `Upload a document (${readableFormats.join(', ')}); it can be searched at once`,
      answer: { status: 201, body: documentShape },
      accepts: 'form',
      handle: async (call) => {
        const { id } = await ownBase(knowledge, call.caller, call.params['base_id'])
        const document: KnowledgeDocument = {
          id: ids.tagged('doc'),
          ...(await content(uploadedFile(call))),
          createdAt: clock.now(),
        }
        await knowledge.addDocument(call.caller, id, document)
        return { status: 201, body: documentRecord(document) }
      },
    }),
    route('DELETE', `${all}/:document_id`, {
      summary: 'Delete a document',
      answer: { status: 204 },
      handle: async ({ params, caller }) => {
        const { id } = await ownBase(knowledge, caller, params['base_id'])
        const documentId = params['document_id'] ?? ''
        if (!(await knowledge.deleteDocument(caller, id, documentId))) {
          throw new ApiError(404, `No document ${JSON.stringify(documentId)} in this base`, {
            code: 'document_not_found',
            param: 'document_id',
          })
        }
        return { status: 204 }
      },
    }),
  ]
}

async function content(file: UploadedFile): Promise<Omit<KnowledgeDocument, 'id' | 'createdAt'>> {
  if (file.bytes.length > maxDocumentBytes) {
    throw new ApiError(413, `A document may have at most ${maxDocumentBytes} bytes`, {
      code: 'document_too_large',
      param: 'file',
    })
  }
  const { text, ...content } = await uploadedContent(file)
  if (text === undefined) {
    throw new ApiError(415, `Documents are UTF-8 text or PDF: ${readableFormats.join(', ')}`, {
      code: 'unsupported_document',
      param: 'file',
    })
  }
  return { ...content, text }
}

function documentRecord(document: KnowledgeDocument): object {
  return {
    id: document.id,
    filename: document.filename,
    content_type: document.contentType,
    size: document.size,
    status: 'ready',
    created_at: isoTime(document.createdAt),
  }
}

/** An explicit search returns all hits, including the least similar. */
const defaults = { threshold: 0, limit: 10 }

export function searchRoutes({ retrieve, store }: Services, prefix: string): readonly Route[] {
  const path = `${prefix}/:base_id/search`

  async function search(
    caller: string,
    baseId: string | undefined,
    query: string,
    request: Parameters<typeof searchPlan>[0],
  ): Promise<Reply> {
    const { id } = await ownBase(store.knowledge, caller, baseId)
    const documents = await store.knowledge.documents(caller, id)
    const result = retrieve([documents], query, searchPlan(request, defaults)).map(
      ({ fileId, ...found }) => ({ file_id: fileId, ...found }),
    )
    return { status: 200, body: { result, pagination: { cursor: null } } }
  }

  return [
    route('GET', path, {
      summary: 'Search a knowledge base for the text in q',
      answer: { status: 200, body: findingPageShape },
      query: searchBaseQuery,
      handle: ({ query, params, caller }) => search(caller, params['base_id'], query.q, query),
    }),
    route('POST', path, {
      summary: 'Search a knowledge base for the text in query',
      answer: { status: 200, body: findingPageShape },
      body: searchBaseRequest,
      handle: ({ body, params, caller }) => search(caller, params['base_id'], body.query, body),
    }),
  ]
}
