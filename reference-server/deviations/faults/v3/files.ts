/** Faults of attachments, of knowledge bases and of retrieval before an answer (sections 2.4, 4.3, 4.4 and 9). */
import { toObject } from '../../patches/json.ts'
import { onSuccessBody, setFields } from '../../patches/replies.ts'
import { onRequest } from '../../patches/requests.ts'
import { editFileRows, mapping, onStore, remembering } from '../../patches/services.ts'
import { faultTable } from '../../table.ts'

const mark = Buffer.from('\ufeff')

export const fileFaults = faultTable({
  'KB-02 knowledge-upload-forgotten: A document upload is accepted but never found by a search.':
    onStore('knowledge', () => ({ addDocument: async () => true })),
  'KB-04 knowledge-apart-one-result: /api/v3/knowledge returns only the first result of a search.':
    setFields(({ path }) => /^\/api\/v3\/knowledge\/.+\/search$/.test(path), {
      result: (results: readonly unknown[]) => results.slice(0, 1),
    }),
  'KB-04 knowledge-apart-scores: /api/knowledge returns search scores in percent.': setFields(
    ({ path }) => /^\/api\/knowledge\/.+\/search$/.test(path),
    { 'result.*.score': (score: number) => 100 * score },
  ),
  'V3-ATT-07 V3-ATT-12 attachment-chat-any: The attachments of a chat include those of all chats.':
    onStore('attachments', ({ list }) => ({
      list: (owner, { chatId: _, ...page }) => list(owner, page),
    })),
  'V3-ATT-07 attachment-chat-of-the-first-page: Only the first page of the attachments of a chat omits those of others.':
    onStore('attachments', ({ list }) => ({
      list: (owner, { chatId, ...page }) =>
        list(owner, page.before === undefined && chatId ? { ...page, chatId } : page),
    })),
  'V3-ATT-07 V3-ATT-12 attachment-chat-takes-none: A file that is uploaded to a chat is not attached to it.':
    onStore('attachments', () => ({ link: async () => undefined })),
  'V3-ATT-11 attachment-of-another-by-its-chat: GET /attachment with the chat_id of another caller returns its attachments.':
    mapping<string>((owners) => [
      onStore('chats', ({ create }) => ({
        create: (chat) => create(owners.set(chat.id, chat.owner) && chat),
      })),
      onRequest('v3.attachments', (call) => ({
        ...call,
        caller: owners.get(toObject(call.query)['chat_id']) ?? call.caller,
      })),
    ]),
  'V3-ATT-06 attachment-of-no-chat-unlisted: GET /attachment omits files without a chat.':
    remembering((linked) => [
      onStore('attachments', ({ link }) => ({
        link: (chat, id) => link(chat, linked.add(id) && id),
      })),
      editFileRows((rows) => rows.filter(({ id }) => linked.has(id))),
    ]),
  'V3-ATT-08 attachment-search-for-parts-alone: A search for a whole file name finds nothing.':
    editFileRows((rows, { search }) => rows.filter(({ filename }) => filename !== search)),
  'V3-CHAT-11 chat-with-files-undeletable: DELETE /chat/{chat_id} of a chat with attachments returns 500.':
    onStore('chats', (chats, { store }) => ({
      delete: async (owner, id) => {
        const { rows } = await store.attachments.list(owner, { chatId: id, limit: 1 })
        if (rows.length > 0) throw new Error('foreign key')
        return chats.delete(owner, id)
      },
    })),
  'V3-ATT-04 attachment-size-in-characters: The size of an attachment counts characters instead of bytes.':
    onSuccessBody('v3.upload', (body, { file }) => ({
      ...body,
      size: file?.bytes.toString().length,
    })),
  'V3-ATT-04 attachment-without-its-mark: A byte order mark does not count for the size of an attachment.':
    onSuccessBody('v3.upload', (body, { file }) => ({
      ...body,
      size: Number(body['size']) - (file?.bytes.subarray(0, 3).equals(mark) ? 3 : 0),
    })),
})
