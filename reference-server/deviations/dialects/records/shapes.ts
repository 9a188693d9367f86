/** Chats, lists and models in other shapes: the document shows none of them. */
import type { ValueReply } from '../../../http/call.ts'
import type { Patch } from '../../../services.ts'
import { type Json, toList } from '../../patches/json.ts'
import { onReply, onSuccess, onSuccessBody } from '../../patches/replies.ts'
import { onRequestBody } from '../../patches/requests.ts'
import { createChat, modelList, type RoutePattern } from '../../patches/routes.ts'
import { compose } from '../../patches/services.ts'
import type { Dialect } from '../../types.ts'
import { alternatives } from '../alternatives.ts'

const readChat = 'GET /api/v3/chat/:chat_id'
const patch = 'PATCH /api/v3/chat/:chat_id'
export const chatRecords: readonly Dialect[] = [
  {
    name: 'chat-created-200',
    summary: 'POST /chat answers with 200.',
    patch: onSuccess(createChat, (reply) => ({ ...reply, status: 200 })),
  },
  ...alternatives([
    {
      name: 'chat-wrapped-in-chat',
      summary: 'A chat stands in {chat: …}.',
      patch: reshapeChats((chat) => ({ chat })),
    },
    {
      name: 'chat-wrapped-in-data',
      summary: 'A chat stands in {status, data: …}, beside the id of its owner.',
      patch: reshapeChats((chat) => ({
        status: 'ok',
        request_id: '6e0a1c52-9d0b-4b39-8a53-0c8c2f8e2a11',
        data: chat,
      })),
    },
    {
      name: 'chat-of-other-names',
      summary: 'A chat has a chat_id and a title.',
      patch: reshapeChats(({ id, name, ...rest }) => ({ chat_id: id, title: name, ...rest })),
    },
    {
      name: 'chat-where-a-pointer-leads',
      summary: 'The answer to POST /chat shows two unnamed UUIDs; the profile says which is which.',
      profile: { shapes: { chatId: '/created/0/ref' } },
      patch: onSuccessBody(createChat, ({ id, ...rest }) => ({
        account: { ref: '6e0a1c52-9d0b-4b39-8a53-0c8c2f8e2a11' },
        created: [{ ref: id, ...rest }],
      })),
    },
  ]),
  ...alternatives([
    {
      name: 'delete-200-with-body',
      summary: 'DELETE answers with 200 and says what was deleted.',
      patch: answerDeletes({ status: 200, body: { deleted: true, object: 'chat' } }),
    },
    {
      name: 'delete-202',
      summary: 'DELETE answers with 202.',
      patch: answerDeletes({ status: 202 }),
    },
    {
      name: 'delete-200-empty',
      summary: 'DELETE answers with 200 and no content.',
      patch: answerDeletes({ status: 200, headers: { 'content-length': '0' } }),
    },
  ]),
  {
    name: 'favorites-204',
    summary: 'Marking a favorite answers with 204, and so does a new title.',
    patch: compose(
      (
        ['POST /api/v3/chat/:chat_id/favorite', 'DELETE /api/v3/chat/:chat_id/favorite'] as const
      ).map((route) => onSuccess(route, () => ({ status: 204 }))),
    ),
  },
  {
    name: 'chat-patched-by-title',
    summary: 'PATCH of a chat takes a title, as the profile says, and no name.',
    profile: { requests: { patchChat: { title: '{name}' } } },
    patch: compose([
      onRequestBody(patch, ({ name: _, title, ...rest }) => ({
        ...rest,
        ...(title === undefined ? {} : { name: title }),
      })),
      onSuccessBody(patch, (chat) => ({ ...chat, title: chat['name'] })),
    ]),
  },
]

export const modelLists = alternatives([
  {
    name: 'models-bare',
    summary: 'The models are a bare array.',
    patch: onSuccessBody(modelList, ({ data }) => data),
  },
  {
    name: 'models-as-names',
    summary: 'The models are an array of their names under models.',
    patch: onSuccessBody(modelList, ({ data }) => ({ models: toList(data).map(({ id }) => id) })),
  },
  {
    name: 'models-by-alias',
    summary: 'The main model is listed under its alias alone.',
    patch: onSuccessBody(modelList, ({ data }) => ({
      result: toList(data).map(({ id, aliases, description }) => ({
        model_id: Array.isArray(aliases) && aliases.length > 0 ? aliases[0] : id,
        description,
      })),
    })),
  },
])

function reshapeChats(change: (chat: Json) => Json): Patch {
  const places: readonly RoutePattern[] = [createChat, readChat, patch]
  return compose(places.map((route) => onSuccessBody(route, change)))
}

function answerDeletes(reply: ValueReply): Patch {
  return onReply('DELETE /api/v3/chat/:chat_id', (original) =>
    original.status < 300 ? reply : original,
  )
}
