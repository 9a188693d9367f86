/** Faults of how a v3 chat comes to be, and of its version (sections 2.5, 3 and 9). */
import type { Patch } from '../../../parts.ts'
import type { Chat, ChatVersion } from '../../../store/types.ts'
import {
  v3Generate,
  v3History,
  createChat,
  onSuccessBody,
  onReply,
  onRequestBody,
  onSuccess,
  rejectRequests,
  perServer,
  setField,
} from '../../seams.ts'
import { compose } from '../../together.ts'
import type { Fault } from '../../types.ts'
import { fault } from '../fault.ts'

export const chatCoreFaults: readonly Fault[] = [
  fault(
    'v3-new-chat-without-id',
    'V3-CHAT-01',
    'The answer to POST /chat does not say the id of the chat.',
    setField(createChat, 'id', undefined),
  ),
  fault(
    'v3-new-chat-numbered',
    'V3-CHAT-01',
    'The answer to POST /chat numbers the chat.',
    setField(createChat, 'id', () => 4711),
  ),
  fault(
    'v3-new-chat-is-the-first-again',
    'V3-CHAT-01',
    'POST /chat answers with the first chat that was made.',
    perServer(() => {
      let first: unknown
      return onSuccessBody(createChat, (body) => {
        first ??= body
        return first
      })
    }),
  ),
  fault(
    'v3-new-chat-wants-a-version',
    'V3-CHAT-01',
    'POST /chat with a name alone is refused.',
    rejectRequests(createChat, (body) => body['version'] === undefined),
  ),
  fault(
    'v3-new-chat-empty-answer',
    'V3-CHAT-01',
    'POST /chat makes the chat, and says nothing of it.',
    onSuccess(createChat, () => ({ status: 204 })),
  ),
  fault(
    'v3-new-chat-is-v2',
    'V3-CHAT-03',
    'POST /api/v3/chat makes v2 chats.',
    onCreation((chat) => ({ ...chat, version: 'v2' })),
  ),
  fault(
    'v3-new-chat-takes-no-generation',
    'V3-CHAT-03',
    'The history of a new chat can be read, but generation sends it to /api/v2.',
    onReply(v3Generate, (_reply, { caller }) => ({
      status: caller === '' ? 401 : 409,
      body: { error: { message: 'Use /api/v2 for this chat' } },
    })),
  ),
  fault(
    'v3-new-chat-has-no-history',
    'V3-CHAT-03',
    'A new chat takes generations, but its history is sent to /api/v2.',
    onReply(v3History, (_reply, { caller }) => ({
      status: caller === '' ? 401 : 409,
      body: { error: { message: 'Use /api/v2 for this chat' } },
    })),
  ),
  fault(
    'v3-new-chat-of-any-version',
    'VER-01',
    'A version in the body of POST /chat decides the version of the chat.',
    perServer(() => {
      const asked = new Map<unknown, ChatVersion>()
      return compose([
        onRequestBody(createChat, (body) => {
          if (body['version'] === 'v2') asked.set(body['name'], 'v2')
          return body
        }),
        onCreation((chat) => ({ ...chat, version: asked.get(chat.name) ?? chat.version })),
      ])
    }),
  ),
  fault(
    'v3-new-chat-repeats-the-version',
    'VER-01',
    'The answer to POST /chat calls the chat what the body called it.',
    onSuccessBody(createChat, (body, { body: sent }) => ({ ...body, ...(sent as object) })),
  ),
]

function onCreation(change: (chat: Chat) => Chat): Patch {
  return (parts) => {
    const { chats } = parts.store
    const create = (chat: Chat) => chats.create(chat.version === 'v3' ? change(chat) : chat)
    return { ...parts, store: { ...parts.store, chats: { ...chats, create } } }
  }
}
