/** The documents of a knowledge base: list, upload, delete. */

import { listQuery } from '../../../contract/requests/index.ts'
import { type Route, route, type UploadedFile } from '../../http/call.ts'
import { ApiError } from '../../http/errors.ts'
import { uploadedFile } from '../../http/form.ts'
import { readableFormats } from '../../retrieval/documents/document-text.ts'
import type { KnowledgeDocument } from '../../retrieval/types.ts'
import { isoTime } from '../../runtime/clock.ts'
import type { Services } from '../../services.ts'
import { ownBase, uploadedText } from '../ownership.ts'
import { pageBody, pageSize, readCursor } from '../paging.ts'
import { documentPageShape, documentShape } from '../shapes.ts'

/** Bytes. An index is made of every word of it, in one go. */
const maxDocumentBytes = 2 * 1024 * 1024

export function documentRoutes({ clock, ids, store }: Services, prefix: string): readonly Route[] {
  const { knowledge } = store
  const all = `${prefix}/:base_id/documents`
  return [
    route({
      method: 'GET',
      path: all,
      summary: 'List the documents of a knowledge base, oldest first',
      answer: { status: 200, body: documentPageShape },
      query: listQuery,
      handle: async ({ params, query, caller }) => {
        const { id } = await ownBase(knowledge, caller, params['base_id'])
        const list = `documents ${id}`
        const after = readCursor(list, query.cursor) ?? 0
        const limit = pageSize(query.limit)
        const page = await knowledge.documentPage(caller, id, { after, limit })
        return { status: 200, body: pageBody(list, page, documentRecord) }
      },
    }),
    route({
      method: 'POST',
      path: all,
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
    route({
      method: 'DELETE',
      path: `${all}/:document_id`,
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
  const { filename, contentType, bytes } = file
  if (bytes.length > maxDocumentBytes) {
    throw new ApiError(413, `A document may have at most ${maxDocumentBytes} bytes`, {
      code: 'document_too_large',
      param: 'file',
    })
  }
  const text = await uploadedText(file)
  if (text === undefined) {
    throw new ApiError(415, `Documents are UTF-8 text or PDF: ${readableFormats.join(', ')}`, {
      code: 'unsupported_document',
      param: 'file',
    })
  }
  return { filename, contentType, size: bytes.length, text }
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
