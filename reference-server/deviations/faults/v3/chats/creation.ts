/** Faults of the creation of v3 chats and of their version (sections 2.5, 3 and 9). */
import type { Patch } from '../../../../services.ts'
import type { Chat, ChatVersion } from '../../../../store/types.ts'
import { onReply, onSuccess, onSuccessBody, setFields } from '../../../patches/replies.ts'
import { onRequestBody, rejectRequests } from '../../../patches/requests.ts'
import { createChat, v3Generate, v3History } from '../../../patches/routes.ts'
import { compose, perServer } from '../../../patches/services.ts'
import { faultTable } from '../../../table.ts'

export const chatCreationFaults = faultTable({
  'V3-CHAT-01': {
    'v3-new-chat-without-id: The response to POST /chat omits the id of the chat.': setFields(
      createChat,
      { id: undefined },
    ),
    'v3-new-chat-numbered: The id in the response to POST /chat is a number.': setFields(
      createChat,
      { id: () => 4711 },
    ),
    'v3-new-chat-is-the-first-again: POST /chat always returns the first chat that was created.':
      perServer(() => {
        let first: unknown
        return onSuccessBody(createChat, (body) => {
          first ??= body
          return first
        })
      }),
    'v3-new-chat-wants-a-version: POST /chat without version is rejected.': rejectRequests(
      createChat,
      (body) => body['version'] === undefined,
    ),
    'v3-new-chat-empty-answer: POST /chat creates the chat and returns 204 without a body.':
      onSuccess(createChat, () => ({ status: 204 })),
  },
  'V3-CHAT-03': {
    'v3-new-chat-is-v2: POST /api/v3/chat creates v2 chats.': onCreation((chat) => ({
      ...chat,
      version: 'v2',
    })),
    'v3-new-chat-takes-no-generation: Generation in a v3 chat is rejected with a hint to /api/v2; its history is readable.':
      onReply(v3Generate, (_reply, { caller }) => ({
        status: caller === '' ? 401 : 409,
        body: { error: { message: 'Use /api/v2 for this chat' } },
      })),
    'v3-new-chat-has-no-history: The history of a v3 chat is rejected with a hint to /api/v2; generation works.':
      onReply(v3History, (_reply, { caller }) => ({
        status: caller === '' ? 401 : 409,
        body: { error: { message: 'Use /api/v2 for this chat' } },
      })),
  },
  'VER-01': {
    'v3-new-chat-of-any-version: version in the body of POST /chat sets the version of the chat.':
      perServer(() => {
        const versions = new Map<unknown, ChatVersion>()
        return compose([
          onRequestBody(createChat, (body) => {
            if (body['version'] === 'v2') versions.set(body['name'], 'v2')
            return body
          }),
          onCreation((chat) => ({ ...chat, version: versions.get(chat.name) ?? chat.version })),
        ])
      }),
    'v3-new-chat-repeats-the-version: The response to POST /chat repeats the version that was sent; the chat is v3.':
      onSuccessBody(createChat, (body, { body: sent }) => ({ ...body, ...(sent as object) })),
  },
})

function onCreation(change: (chat: Chat) => Chat): Patch {
  return (services) => {
    const { chats } = services.store
    const create = (chat: Chat) => chats.create(chat.version === 'v3' ? change(chat) : chat)
    return { ...services, store: { ...services.store, chats: { ...chats, create } } }
  }
}
