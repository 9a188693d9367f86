/** Chats, lists and models in other shapes: the document shows none of them. */
import type { ValueReply } from '../../http/call.ts'
import type { Parts, Refit } from '../../parts.ts'
import {
  type Json,
  listOf,
  modelList,
  newChat,
  objectOf,
  onAnswer,
  onReply,
  onSent,
  onSuccess,
  type Place,
} from '../seams.ts'
import { together } from '../together.ts'
import type { Dialect } from '../types.ts'
import { alternatives } from './alternatives.ts'

const oneChat = 'GET /api/v3/chat/:chat_id'
const patch = 'PATCH /api/v3/chat/:chat_id'
const lists: readonly Place[] = [
  'GET /api/v3/chat',
  'GET /api/v3/chat/favorite',
  'GET /api/v3/attachment',
  'GET /api/v3/chat/:chat_id/attachments',
]

export const records: readonly Dialect[] = [
  {
    name: 'chat-created-200',
    summary: 'POST /chat answers with 200.',
    refit: onSuccess(newChat, (reply) => ({ ...reply, status: 200 })),
  },
  ...alternatives([
    {
      name: 'chat-wrapped-in-chat',
      summary: 'A chat stands in {chat: …}.',
      refit: chatsAs((chat) => ({ chat })),
    },
    {
      name: 'chat-wrapped-in-data',
      summary: 'A chat stands in {status, data: …}, beside the id of its owner.',
      refit: chatsAs((chat) => ({
        status: 'ok',
        request_id: '6e0a1c52-9d0b-4b39-8a53-0c8c2f8e2a11',
        data: chat,
      })),
    },
    {
      name: 'chat-of-other-names',
      summary: 'A chat has a chat_id and a title.',
      refit: chatsAs(({ id, name, ...rest }) => ({ chat_id: id, title: name, ...rest })),
    },
    {
      name: 'chat-where-a-pointer-leads',
      summary: 'The answer to POST /chat shows two unnamed UUIDs; the profile says which is which.',
      profile: { shapes: { chatId: '/created/0/ref' } },
      refit: onAnswer(newChat, ({ id, ...rest }) => ({
        account: { ref: '6e0a1c52-9d0b-4b39-8a53-0c8c2f8e2a11' },
        created: [{ ref: id, ...rest }],
      })),
    },
  ]),
  ...alternatives([
    {
      name: 'lists-under-items',
      summary: 'Lists stand under items, and the cursor beside them as next_cursor.',
      refit: listsAs(({ result, pagination }) => ({
        items: result,
        next_cursor: objectOf(pagination)['cursor'],
      })),
    },
    {
      name: 'lists-under-data',
      summary: 'Lists stand under data, and the cursor in meta.page.next.',
      refit: listsAs(({ result, pagination }) => ({
        data: result,
        meta: { total: null, page: { next: objectOf(pagination)['cursor'], previous: null } },
      })),
    },
    {
      name: 'lists-with-numeric-cursors',
      summary: 'The cursors of lists are numbers.',
      refit: numericCursors,
    },
    {
      name: 'lists-without-last-cursor',
      summary: 'The last page of a list has no cursor member at all.',
      refit: listsAs(({ result, pagination }) =>
        objectOf(pagination)['cursor'] === null ? { result } : { result, pagination },
      ),
    },
  ]),
  {
    name: 'lists-capped-at-ten',
    summary: 'No list has more than ten rows a page, whatever the limit.',
    refit: cappedLists(10),
  },
  ...alternatives([
    {
      name: 'delete-200-with-body',
      summary: 'DELETE answers with 200 and says what was deleted.',
      refit: deletes({ status: 200, body: { deleted: true, object: 'chat' } }),
    },
    { name: 'delete-202', summary: 'DELETE answers with 202.', refit: deletes({ status: 202 }) },
    {
      name: 'delete-200-empty',
      summary: 'DELETE answers with 200 and no content.',
      refit: deletes({ status: 200, headers: { 'content-length': '0' } }),
    },
  ]),
  {
    name: 'favorites-204',
    summary: 'Marking a favorite answers with 204, and so does a new title.',
    refit: together(
      (
        ['POST /api/v3/chat/:chat_id/favorite', 'DELETE /api/v3/chat/:chat_id/favorite'] as const
      ).map((place) => onSuccess(place, () => ({ status: 204 }))),
    ),
  },
  {
    name: 'chat-patched-by-title',
    summary: 'PATCH of a chat takes a title, as the profile says, and no name.',
    profile: { requests: { patchChat: { title: '{name}' } } },
    refit: together([
      onSent(patch, ({ name: _, title, ...rest }) => ({
        ...rest,
        ...(title === undefined ? {} : { name: title }),
      })),
      onAnswer(patch, (chat) => ({ ...chat, title: chat['name'] })),
    ]),
  },
  ...alternatives([
    {
      name: 'models-bare',
      summary: 'The models are a bare array.',
      refit: onAnswer(modelList, ({ data }) => data),
    },
    {
      name: 'models-as-names',
      summary: 'The models are an array of their names under models.',
      refit: onAnswer(modelList, ({ data }) => ({ models: listOf(data).map(({ id }) => id) })),
    },
    {
      name: 'models-by-alias',
      summary: 'The main model is listed under its alias alone.',
      refit: onAnswer(modelList, ({ data }) => ({
        result: listOf(data).map(({ id, aliases, description }) => ({
          model_id: Array.isArray(aliases) && aliases.length > 0 ? aliases[0] : id,
          description,
        })),
      })),
    },
  ]),
]

function chatsAs(change: (chat: Json) => Json): Refit {
  const places: readonly Place[] = [newChat, oneChat, patch]
  return together(places.map((place) => onAnswer(place, change)))
}

function listsAs(change: (list: Json) => unknown): Refit {
  return together(lists.map((place) => onAnswer(place, change)))
}

/** Cursors of ours, by the number that stands for them. */
function numericCursors(parts: Parts): Parts {
  const known: unknown[] = []
  const shown = listsAs(({ result, pagination }) => {
    const { cursor } = objectOf(pagination)
    return { result, pagination: { cursor: cursor === null ? null : known.push(cursor) } }
  })(parts)
  return {
    ...shown,
    incoming: (call) => {
      const seen = shown.incoming(call)
      const query = objectOf(seen.query)
      const cursor = known[Number(query['cursor']) - 1]
      return cursor === undefined || seen.path === '/api/v3/message'
        ? seen
        : { ...seen, query: { ...query, cursor } }
    },
  }
}

function cappedLists(most: number): Refit {
  return (parts) => ({
    ...parts,
    incoming: (call) => {
      const seen = parts.incoming(call)
      const query = objectOf(seen.query)
      const isList = seen.method === 'GET' && seen.path !== '/api/v3/message'
      const limit = Number(query['limit'] ?? most)
      return isList && limit > most ? { ...seen, query: { ...query, limit: String(most) } } : seen
    },
  })
}

function deletes(reply: ValueReply): Refit {
  return onReply('DELETE /api/v3/chat/:chat_id', (usual) => (usual.status < 300 ? reply : usual))
}
