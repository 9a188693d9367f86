import { cursor, rules } from './requirement.ts'

/** Sections 2.4 and 4.3: files of the caller and of a chat. */
export const attachments = rules({
  section: '4.3',
  capability: 'attachments',
  needs: ['V3-ATT-06'],
})({
  'V3-ATT-01':
    'POST /attachment with one file as multipart/form-data MUST store it. (needs V3-AUTH-05)',
  'V3-ATT-02':
    '2.4 The id, filename, content_type, bucket and created_at of an attachment MUST be strings. (needs V3-ATT-01)',
  'V3-ATT-03':
    '2.4 The filename of an attachment MUST be that of the uploaded file. (needs V3-ATT-02)',
  'V3-ATT-04':
    '2.4 The size of an attachment MUST be the number of uploaded bytes, an integer. (needs V3-ATT-01)',
  'V3-ATT-05':
    '2.4 The content_type of an attachment SHOULD be that of the upload. (needs V3-ATT-02)',
  'V3-ATT-06': 'GET /attachment MUST list the attachments of the caller. (needs V3-ATT-01)',
  'V3-ATT-07': [
    'GET /attachment with chat_id MUST list the attachments of that chat, and no others. (needs V3-ATT-06, V3-CHAT-01)',
    'The chat_id filter is ignored; apply it in the query.',
  ],
  'V3-ATT-08':
    'GET /attachment with search MUST find a file by its name. (needs V3-ATT-06, V3-ATT-09)',
  'V3-ATT-09': 'GET /attachment MUST honor limit: a page lists at most that many attachments.',
  'V3-ATT-10': ['GET /attachment MUST honor cursor: following it lists every attachment.', cursor],
  'V3-ATT-11': [
    'GET /attachment MUST NOT list attachments of another caller. (member otherKey)',
    'The list is not limited to the owner; filter by the caller of the request.',
  ],
  'V3-ATT-12':
    'GET /chat/{chat_id}/attachments MUST list the attachments of the chat. (needs V3-ATT-01, V3-CHAT-01)',
  'V3-ATT-13':
    'GET /chat/{chat_id}/attachments with search MUST match the file name. (needs V3-ATT-12)',
})

/** Sections 2.7, 4.3, 4.4 and 9: knowledge bases, and retrieval before an answer. */
export const knowledge = {
  ...rules({ section: '4.3', capability: 'knowledge' })({
    'KB-01':
      'GET on the knowledge prefix MUST list the knowledge bases. (member knowledge.routes, needs V3-AUTH-05)',
    'KB-02': 'Uploading a document to a base MUST succeed. (member knowledge.routes, needs KB-03)',
    'KB-03': [
      'A search in a base MUST find the content of its documents. (member knowledge.routes, needs KB-01)',
      'Documents are indexed only after the search, or not at all; index before the upload is answered, or raise limits.settleMs in the target profile.',
    ],
    'KB-04':
      '9 /api/knowledge and /api/v3/knowledge MUST give equivalent answers. (needs V3-AUTH-05)',
  }),
  ...rules({
    section: '4.4',
    capability: 'rag',
    member: 'tools.search',
    needs: ['V3-GEN-01', 'V3-HIST-16'],
  })({
    'RAG-01':
      'With rag: true the server MUST search the base of the assistant before the answer, as a search step or a fact in the answer shows. (member knowledge, needs V3-GEN-02, V3-ASST-01)',
    'RAG-02': 'With rag: false the server MUST NOT search before the answer.',
    'RAG-03': 'With rag: agent the server MUST NOT search before the answer.',
    'RAG-04':
      'With rag as an object the server MUST search as with true, with the given parameters. (member rag.object, needs RAG-01)',
    'RAG-05': 'Without rag a chat generation MUST NOT search before the answer.',
    'RAG-06':
      'Without rag a one-shot MUST behave as with agent: no search before the answer. (needs V3-ONE-01)',
    'RAG-07':
      'rag: true MUST be accepted with an assistant that has no base. (member assistants.withoutKnowledge, needs V3-GEN-01, V3-ASST-01)',
    'RAG-08':
      'The search_type of a rag object MUST be accepted as hybrid, dense and sparse. (member rag.object, needs RAG-04)',
  }),
}
