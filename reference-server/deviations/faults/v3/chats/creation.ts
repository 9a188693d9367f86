/** Faults of how a v3 chat comes to be, and of its version (sections 2.5, 3 and 9). */
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
    summary: 'The answer to POST /chat does not say the id of the chat.',
    breaks: ['V3-CHAT-01'],
    patch: setField(createChat, 'id', undefined),
  },
  {
    name: 'v3-new-chat-numbered',
    summary: 'The answer to POST /chat numbers the chat.',
    breaks: ['V3-CHAT-01'],
    patch: setField(createChat, 'id', () => 4711),
  },
  {
    name: 'v3-new-chat-is-the-first-again',
    summary: 'POST /chat answers with the first chat that was made.',
    breaks: ['V3-CHAT-01', 'V3-AUTH-01'],
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
    summary: 'POST /chat with a name alone is refused.',
    breaks: ['V3-CHAT-01'],
    patch: rejectRequests(createChat, (body) => body['version'] === undefined),
  },
  {
    name: 'v3-new-chat-empty-answer',
    summary: 'POST /chat makes the chat, and says nothing of it.',
    breaks: ['V3-CHAT-01'],
    patch: onSuccess(createChat, () => ({ status: 204 })),
  },
  {
    name: 'v3-new-chat-is-v2',
    summary: 'POST /api/v3/chat makes v2 chats.',
    breaks: ['V3-CHAT-03'],
    patch: onCreation((chat) => ({ ...chat, version: 'v2' })),
  },
  {
    name: 'v3-new-chat-takes-no-generation',
    summary: 'The history of a new chat can be read, but generation sends it to /api/v2.',
    breaks: ['V3-CHAT-03'],
    patch: onReply(v3Generate, (_reply, { caller }) => ({
      status: caller === '' ? 401 : 409,
      body: { error: { message: 'Use /api/v2 for this chat' } },
    })),
  },
  {
    name: 'v3-new-chat-has-no-history',
    summary: 'A new chat takes generations, but its history is sent to /api/v2.',
    breaks: ['V3-CHAT-03'],
    patch: onReply(v3History, (_reply, { caller }) => ({
      status: caller === '' ? 401 : 409,
      body: { error: { message: 'Use /api/v2 for this chat' } },
    })),
  },
  {
    name: 'v3-new-chat-of-any-version',
    summary: 'A version in the body of POST /chat decides the version of the chat.',
    breaks: ['VER-01'],
    patch: perServer(() => {
      const asked = new Map<unknown, ChatVersion>()
      return compose([
        onRequestBody(createChat, (body) => {
          if (body['version'] === 'v2') asked.set(body['name'], 'v2')
          return body
        }),
        onCreation((chat) => ({ ...chat, version: asked.get(chat.name) ?? chat.version })),
      ])
    }),
  },
  {
    name: 'v3-new-chat-repeats-the-version',
    summary: 'The answer to POST /chat calls the chat what the body called it.',
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
