/** Behavior of v2 chats beyond a chain of messages, which the document leaves open. */
import { ApiError } from '../../../http/errors.ts'
import type { Message } from '../../../store/types.ts'
import { toObject } from '../../patches/json.ts'
import { onReply } from '../../patches/replies.ts'
import { onRequest } from '../../patches/requests.ts'
import { storeMessage, v2Generate } from '../../patches/routes.ts'
import { compose, onStore, perServer } from '../../patches/services.ts'
import { alternatives, dialectTable } from '../../table.ts'
import type { Dialect } from '../../types.ts'

/** Messages of a chain that the model is told at most. */
const windowSize = 6

export const v2Chains: readonly Dialect[] = [
  ...dialectTable({
    'v2-messages-are-answered-once: A second reply to the same message is refused.': perServer(
      () => {
        const answered = new Set<string>()
        return compose([
          onStore('messages', ({ append }) => ({
            append: async (message) => {
              if (message.role === 'assistant') answered.add(String(message.parentId))
              await append(message)
            },
          })),
          onRequest(v2Generate, (call) => {
            if (answered.has(String(toObject(call.body)['parent_id']))) {
              throw new ApiError(409, 'This message has its reply')
            }
            return call
          }),
        ])
      },
    ),
    'v2-same-message-is-stored-once: A message with the body of an earlier one is answered with that one.':
      perServer(() => {
        const stored = new Map<string, object>()
        return onReply(storeMessage, (reply, { body }) => {
          if (reply.status >= 300 || !('body' in reply)) return reply
          const key = JSON.stringify(body)
          const earlier = stored.get(key)
          if (earlier === undefined) stored.set(key, toObject(reply.body))
          return earlier === undefined ? reply : { ...reply, status: 200, body: earlier }
        })
      }),
  }),
  ...alternatives({
    'v2-context-of-six-messages: The model is told the last six messages of a chain.': onStore(
      'messages',
      ({ chain }) => ({
        chain: async (chat, id) => (await chain(chat, id)).slice(-windowSize),
      }),
    ),
    'v2-context-of-the-whole-chat: A message without parent_id continues everything that was said in its chat.':
      perServer(() => {
        const messagesOf = new Map<string, readonly Message[]>()
        return onStore('messages', ({ append, chain }) => ({
          append: async (message) => {
            messagesOf.set(message.chatId, [...(messagesOf.get(message.chatId) ?? []), message])
            await append(message)
          },
          chain: async (chat, id) => {
            const messages = await chain(chat, id)
            const ids = new Set(messages.map((one) => one.id))
            return [...(messagesOf.get(chat) ?? []).filter((one) => !ids.has(one.id)), ...messages]
          },
        }))
      }),
  }),
]
