/** Faults of v3 chats with their favorites and attachments, and of knowledge bases (sections 2.4, 2.5, 3, 4.3, 4.4 and 9). */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Patch } from '../../../services.ts'
import type { Store } from '../../../store/sql/store.ts'
import type { Chat, ChatVersion } from '../../../store/types.ts'
import { type Json, toObject } from '../../patches/json.ts'
import { onReply, onSuccess, onSuccessBody, setFields } from '../../patches/replies.ts'
import { chatIdOf, onRequest, onRequestBody } from '../../patches/requests.ts'
import {
  compose,
  editChatChanges,
  editChatRows,
  editedRows,
  editFileRows,
  keepingDeleted,
  mapping,
  onStore,
  remembering,
} from '../../patches/services.ts'
import { faultTable } from '../../table.ts'

const withoutTitles = editChatChanges(({ name, ...change }) =>
  'favorite' in change ? { ...change, name } : change,
)

export const chatFaults = faultTable({
  'V3-CHAT-01 v3-new-chat-is-the-first-again: POST /chat always returns the first chat that was created.':
    mapping<object>((chats) =>
      onSuccessBody(
        'v3.createChat',
        (body) => chats.get('first') ?? (chats.set('first', body) && body),
      ),
    ),
  'V3-CHAT-03 v3-new-chat-is-v2: POST /api/v3/chat creates v2 chats.': onCreation((chat) => ({
    ...chat,
    version: 'v2',
  })),
  'V3-CHAT-03 v3-new-chat-takes-no-generation: Generation in a v3 chat is rejected with a hint to /api/v2; its history is readable.':
    onReply('v3.generate', (_reply, { caller }) => ({
      status: caller === '' ? 401 : 409,
      body: { error: { message: 'Use /api/v2 for this chat' } },
    })),
  'VER-01 v3-new-chat-of-any-version: version in the body of POST /chat sets the version of the chat.':
    mapping<ChatVersion>((versions) => [
      onRequestBody('v3.createChat', (body) => {
        if (body['version'] === 'v2') versions.set(body['name'], 'v2')
        return body
      }),
      onCreation((chat) => ({ ...chat, version: versions.get(chat.name) ?? chat.version })),
    ]),
  'VER-01 v3-new-chat-repeats-the-version: The response to POST /chat repeats the version that was sent; the chat is v3.':
    onSuccessBody('v3.createChat', (body, { body: sent }) => ({ ...body, ...(sent as object) })),
  'V3-CHAT-11 chat-delete-hides: A deleted chat is no longer listed but still readable.':
    remembering((deleted) =>
      onStore('chats', ({ list }) => ({
        delete: async (_, id) => deleted.add(id).has(id),
        list: editedRows(list, (rows) => rows.filter(({ id }) => !deleted.has(id))),
      })),
    ),
  'V3-CHAT-11 chat-delete-keeps-listing: A deleted chat is no longer readable but still listed.':
    remembering((deleted) =>
      onStore('chats', ({ find }) => ({
        delete: async (_, id) => deleted.add(id).has(id),
        find: async (owner, id) => (deleted.has(id) ? undefined : find(owner, id)),
      })),
    ),
  'V3-CHAT-11 chat-delete-keeps-history: GET /message returns 200 with an empty history for a deleted chat.':
    remembering((deleted) => [
      onSuccess('v3.deleteChat', (reply, call) => deleted.add(chatIdOf(call)) && reply),
      onReply('v3.history', (reply, { query }) =>
        reply.status >= 400 && deleted.has(String(toObject(query)['chat_id']))
          ? { status: 200, body: { result: [], pagination: { cursor: null } } }
          : reply,
      ),
    ]),
  'V3-CHAT-13 chat-update-spreads: Updating a chat also renames all other chats with the same name.':
    onStore('chats', (chats) => ({
      update: async (owner, id, change) => {
        const { name } = change
        const others = name === undefined ? [] : await chatsOfSameName(chats, owner, id)
        for (const other of others) await chats.update(owner, other, { ...(name && { name }) })
        return chats.update(owner, id, change)
      },
    })),
  'V3-CHAT-13 chat-delete-spreads: Deleting a chat also deletes all other chats with the same name.':
    onStore('chats', (chats) => ({
      delete: async (owner, id) => {
        const others = await chatsOfSameName(chats, owner, id)
        for (const other of others) await chats.delete(owner, other)
        return chats.delete(owner, id)
      },
    })),
  'V3-CHAT-12 chat-title-unchanged: The generated title is the current name of the chat.':
    withoutTitles,
  'V3-CHAT-12 chat-title-only-confirmed: A request for a title returns 200 with a status, and the chat keeps its name.':
    compose([withoutTitles, onSuccessBody('v3.generateName', () => ({ status: 'ok' }))]),
  'V3-CHAT-10 chat-change-only-answered: A new name is in the response, but it is not stored.':
    onStore('chats', ({ find, update }) => ({
      update: async (owner, id, { name, ...change }) => {
        const chat = await (name === undefined ? update(owner, id, change) : find(owner, id))
        return chat && { ...chat, name: name ?? chat.name }
      },
    })),
  'V3-CHAT-10 chat-change-restores-the-rest: A change of a chat writes back the fields that it does not change, as they were 20 ms before.':
    editChatChanges(({ name, favorite, ...change }, before) =>
      sleep(20, { ...change, name: name ?? before.name, favorite: favorite ?? before.favorite }),
    ),
  'V3-FAV-01 chat-turn-clears-favorite: A turn that ends, after a moment, removes its chat from favorites.':
    onStore('history', ({ append }, { store }) => ({
      append: async (id, run, turn) => {
        await sleep(250)
        if (turn) await store.chats.update(turn.scope.owner, id, { favorite: false })
        await append(id, run, turn)
      },
    })),
  'V3-FAV-01 favorite-list-of-twenty: GET /chat/favorite returns the 20 newest favorites, without a cursor.':
    setFields('v3.favorites', {
      result: (rows: readonly Json[]) => rows.slice(0, 20),
      'pagination.cursor': null,
    }),
  'V3-FAV-03 V3-FAV-02 favorite-list-others: GET /chat/favorite returns all chats.': onStore(
    'chats',
    ({ list }) => ({
      list: (owner, query) =>
        list(owner, { ...query, favorite: query.favorite === false ? false : undefined }),
    }),
  ),
  'V3-CHAT-11 chat-deleted-stays-favorite: A deleted chat remains in the list of favorites.':
    keepingDeleted((deleted) =>
      editChatRows((rows, { favorite }) =>
        favorite === true
          ? [...rows, ...[...deleted.values()].filter((chat) => chat.favorite)]
          : rows,
      ),
    ),
  'V3-CHAT-05 chat-list-without-favorites: GET /chat omits favorites.': editChatRows(
    (rows, { favorite }) => rows.filter((chat) => favorite !== undefined || !chat.favorite),
  ),
})

function onCreation(change: (chat: Chat) => Chat): Patch {
  return onStore('chats', ({ create }) => ({
    create: (chat) => create(chat.version === 'v3' ? change(chat) : chat),
  }))
}

async function chatsOfSameName(chats: Store['chats'], owner: string, id: string) {
  const name = (await chats.find(owner, id))?.name
  const { rows } = await chats.list(owner, { version: 'v3', limit: 1000 })
  return rows.filter((chat) => chat.name === name && chat.id !== id).map((chat) => chat.id)
}

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
