/** Faults of the creation of v3 chats and of their version (sections 2.5, 3 and 9). */
import type { Patch } from '../../../../services.ts'
import type { Chat, ChatVersion } from '../../../../store/types.ts'
import { onReply, onSuccess, onSuccessBody, setField } from '../../../patches/replies.ts'
import { onRequestBody, rejectRequests } from '../../../patches/requests.ts'
import { createChat, v3Generate, v3History } from '../../../patches/routes.ts'
import { compose, perServer } from '../../../patches/services.ts'
import type { Fault } from '../../../types.ts'

export const chatCreationFaults: readonly Fault[] = [
  {
    name: 'v3-new-chat-without-id',
    summary: 'The response to POST /chat omits the id of the chat.',
    breaks: ['V3-CHAT-01'],
    patch: setField(createChat, 'id', undefined),
  },
  {
    name: 'v3-new-chat-numbered',
    summary: 'The id in the response to POST /chat is a number.',
    breaks: ['V3-CHAT-01'],
    patch: setField(createChat, 'id', () => 4711),
  },
  {
    name: 'v3-new-chat-is-the-first-again',
    summary: 'POST /chat always returns the first chat that was created.',
    breaks: ['V3-CHAT-01'],
    patch: perServer(() => {
      let first: unknown
      return onSuccessBody(createChat, (body) => {
        first ??= body
        return first
      })
    }),
  },
  {
    name: 'v3-new-chat-wants-a-version',
    summary: 'POST /chat without version is rejected.',
    breaks: ['V3-CHAT-01'],
    patch: rejectRequests(createChat, (body) => body['version'] === undefined),
  },
  {
    name: 'v3-new-chat-empty-answer',
    summary: 'POST /chat creates the chat and returns 204 without a body.',
    breaks: ['V3-CHAT-01'],
    patch: onSuccess(createChat, () => ({ status: 204 })),
  },
  {
    name: 'v3-new-chat-is-v2',
    summary: 'POST /api/v3/chat creates v2 chats.',
    breaks: ['V3-CHAT-03'],
    patch: onCreation((chat) => ({ ...chat, version: 'v2' })),
  },
  {
    name: 'v3-new-chat-takes-no-generation',
    summary: 'Generation in a v3 chat is rejected with a hint to /api/v2; its history is readable.',
    breaks: ['V3-CHAT-03'],
    patch: onReply(v3Generate, (_reply, { caller }) => ({
      status: caller === '' ? 401 : 409,
      body: { error: { message: 'Use /api/v2 for this chat' } },
    })),
  },
  {
    name: 'v3-new-chat-has-no-history',
    summary: 'The history of a v3 chat is rejected with a hint to /api/v2; generation works.',
    breaks: ['V3-CHAT-03'],
    patch: onReply(v3History, (_reply, { caller }) => ({
      status: caller === '' ? 401 : 409,
      body: { error: { message: 'Use /api/v2 for this chat' } },
    })),
  },
  {
    name: 'v3-new-chat-of-any-version',
    summary: 'version in the body of POST /chat sets the version of the chat.',
    breaks: ['VER-01'],
    patch: perServer(() => {
      const versions = new Map<unknown, ChatVersion>()
      return compose([
        onRequestBody(createChat, (body) => {
          if (body['version'] === 'v2') versions.set(body['name'], 'v2')
          return body
        }),
        onCreation((chat) => ({ ...chat, version: versions.get(chat.name) ?? chat.version })),
      ])
    }),
  },
  {
    name: 'v3-new-chat-repeats-the-version',
    summary: 'The response to POST /chat repeats the version that was sent; the chat is v3.',
    breaks: ['VER-01'],
    patch: onSuccessBody(createChat, (body, { body: sent }) => ({ ...body, ...(sent as object) })),
  },
]

function onCreation(change: (chat: Chat) => Chat): Patch {
  return (services) => {
    const { chats } = services.store
    const create = (chat: Chat) => chats.create(chat.version === 'v3' ? change(chat) : chat)
    return { ...services, store: { ...services.store, chats: { ...chats, create } } }
  }
}
