/** Chats, lists and models in other shapes: the document shows none of them. */
import type { ValueReply } from '../../../http/call.ts'
import type { Patch } from '../../../services.ts'
import { type Json, toList } from '../../patches/json.ts'
import { onReply, onSuccess, onSuccessBody } from '../../patches/replies.ts'
import { onRequestBody } from '../../patches/requests.ts'
import { createChat, modelList, type RoutePattern } from '../../patches/routes.ts'
import { compose } from '../../patches/services.ts'
import { alternatives, dialectTable } from '../../table.ts'
import type { Dialect } from '../../types.ts'

const readChat = 'GET /api/v3/chat/:chat_id'
const patch = 'PATCH /api/v3/chat/:chat_id'
export const chatRecords: readonly Dialect[] = [
  ...dialectTable({
    'chat-created-200: POST /chat returns 200.': onSuccess(createChat, (reply) => ({
      ...reply,
      status: 200,
    })),
    'favorites-204: Adding and removing favorites returns 204.': compose(
      (
        ['POST /api/v3/chat/:chat_id/favorite', 'DELETE /api/v3/chat/:chat_id/favorite'] as const
      ).map((route) => onSuccess(route, () => ({ status: 204 }))),
    ),
    'chat-patched-by-title: PATCH of a chat accepts title instead of name, as the profile declares.':
      {
        profile: { requests: { patchChat: { title: '{name}' } } },
        patch: compose([
          onRequestBody(patch, ({ name: _, title, ...rest }) => ({
            ...rest,
            ...(title === undefined ? {} : { name: title }),
          })),
          onSuccessBody(patch, (chat) => ({ ...chat, title: chat['name'] })),
        ]),
      },
  }),
  ...alternatives({
    'chat-wrapped-in-chat: Chats are nested in chat.': reshapeChats((chat) => ({ chat })),
    'chat-wrapped-in-data: Chats are nested in data, next to status and a UUID as request_id.':
      reshapeChats((chat) => ({
        status: 'ok',
        request_id: '6e0a1c52-9d0b-4b39-8a53-0c8c2f8e2a11',
        data: chat,
      })),
    'chat-of-other-names: Chats have chat_id and title instead of id and name.': reshapeChats(
      ({ id, name, ...rest }) => ({ chat_id: id, title: name, ...rest }),
    ),
    'chat-where-a-pointer-leads: POST /chat returns two UUIDs named ref; the profile has the JSON pointer to the chat id.':
      {
        profile: { shapes: { chatId: '/created/0/ref' } },
        patch: onSuccessBody(createChat, ({ id, ...rest }) => ({
          account: { ref: '6e0a1c52-9d0b-4b39-8a53-0c8c2f8e2a11' },
          created: [{ ref: id, ...rest }],
        })),
      },
  }),
  ...alternatives({
    'delete-200-with-body: DELETE returns 200 with a body.': answerDeletes({
      status: 200,
      body: { deleted: true, object: 'chat' },
    }),
    'delete-202: DELETE returns 202.': answerDeletes({ status: 202 }),
    'delete-200-empty: DELETE returns 200 without a body.': answerDeletes({
      status: 200,
      headers: { 'content-length': '0' },
    }),
  }),
]

export const modelLists = alternatives({
  'models-bare: The model list is a bare array.': onSuccessBody(modelList, ({ data }) => data),
  'models-as-names: The model list is an array of ids in models.': onSuccessBody(
    modelList,
    ({ data }) => ({ models: toList(data).map(({ id }) => id) }),
  ),
  'models-keyed-by-id: The model list is an object with one member per id.': onSuccessBody(
    modelList,
    ({ data }) => ({
      models: Object.fromEntries(
        toList(data).map(({ id, description }) => [String(id), { description }]),
      ),
    }),
  ),
  'models-by-alias: The model list has result and model_id, and names the main model only by its alias.':
    onSuccessBody(modelList, ({ data }) => ({
      result: toList(data).map(({ id, aliases, description }) => ({
        model_id: Array.isArray(aliases) && aliases.length > 0 ? aliases[0] : id,
        description,
      })),
    })),
})

function reshapeChats(change: (chat: Json) => Json): Patch {
  const places: readonly RoutePattern[] = [createChat, readChat, patch]
  return compose(places.map((route) => onSuccessBody(route, change)))
}

function answerDeletes(reply: ValueReply): Patch {
  return onReply('DELETE /api/v3/chat/:chat_id', (original) =>
    original.status < 300 ? reply : original,
  )
}
