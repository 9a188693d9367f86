/** Faults of v2 chats that depend on what happened in them before. */

import { ApiError } from '../../http/errors.ts'
import type { Patch } from '../../services.ts'
import type { Message } from '../../store/types.ts'
import { toObject } from '../patches/json.ts'
import { alsoDo, onReply } from '../patches/replies.ts'
import { onRequest, onRequestBody } from '../patches/requests.ts'
import {
  changeChat,
  type RoutePattern,
  storeMessage,
  v2Generate,
  v3History,
} from '../patches/routes.ts'
import { compose, onStore, perServer } from '../patches/services.ts'
import { faultTable } from '../table.ts'
import { counting, remembering } from './memory.ts'

export const statefulV2Faults = faultTable({
  'V2-GEN-01': {
    'v2-only-the-latest-message-is-answered: A message is not answered any more once a later one is stored.':
      perServer(() => {
        const latest = new Map<string, string>()
        return compose([
          onStore('messages', ({ append }) => ({
            append: async (message) => {
              if (message.role === 'user') latest.set(message.chatId, message.id)
              await append(message)
            },
          })),
          onRequest(v2Generate, (call) => {
            const { chat_id: chat, parent_id: parent } = toObject(call.body)
            const newest = latest.get(String(chat))
            if (newest !== undefined && newest !== parent) throw new ApiError(409, 'Not the latest')
            return call
          }),
        ])
      }),
  },
  'V2-CTX-01': {
    'v2-second-branch-forgets-its-chain: The second message that is chained to the same one is answered without its chain.':
      counting((count) =>
        cutChains(
          (message) => message.parentId !== null && count(message.parentId) > 1,
          ({ role }) => role === 'user',
        ),
      ),
    'v2-chain-forgotten-after-two-replies: A message that was answered twice leads nowhere any more.':
      onStore('messages', ({ append, chain }) => {
        const replies = new Map<string, number>()
        return {
          append: async (message) => {
            const { role, parentId } = message
            if (role === 'assistant' && parentId !== null) {
              replies.set(parentId, (replies.get(parentId) ?? 0) + 1)
            }
            await append(message)
          },
          chain: async (chat, id) => {
            const messages = await chain(chat, id)
            const isCut = messages.some((one) => one.id !== id && (replies.get(one.id) ?? 0) > 1)
            return isCut ? messages.slice(-1) : messages
          },
        }
      }),
    'v2-chain-forgotten-after-a-refusal: A v2 generation that is refused makes its chat forget what was said before.':
      forgetsChainsOn(v2Generate, (status) => status >= 400),
  },
  'VER-06': {
    'v2-chain-forgotten-after-a-v3-name: A name for a v2 chat is refused, and a chat of two messages forgets what was said.':
      forgetsChainsOn(changeChat, (status) => status >= 400, 2),
  },
  'V2-CTX-02': {
    'v2-lone-message-continues-another-chat: A further message without parent_id continues what was said in another chat.':
      perServer(() => {
        const latest: Message[] = []
        const heads = new Map<string, readonly Message[]>()
        return onStore('messages', ({ append, chain }) => ({
          append: async (message) => {
            const { role, parentId, chatId, id } = message
            const isUsed = latest.some((one) => one.chatId === chatId)
            const before = latest.filter((one) => one.chatId !== chatId)
            if (role === 'user' && parentId === null && isUsed) heads.set(id, before)
            if (role === 'user') latest.push(message)
            await append(message)
          },
          chain: async (chat, id) => {
            const messages = await chain(chat, id)
            return [...(heads.get(messages[0]?.id ?? '') ?? []), ...messages]
          },
        }))
      }),
  },
  'VER-03': {
    'v2-chat-of-four-messages-is-read-by-v3: The v3 history of a v2 chat is answered once it has four messages.':
      counting((count) =>
        compose([
          countMessages(count),
          onReply(v3History, (reply, { query }) => {
            const isLong = count.of(String(toObject(query)['chat_id'])) > 3
            if (!isLong || reply.status < 400) return reply
            return { status: 200, body: { result: [], pagination: { cursor: null } } }
          }),
        ]),
      ),
  },
  'V2-GEN-03': {
    'v2-both-lists-for-an-answered-message: Both tool lists are accepted for a message that has a reply.':
      remembering((answered) =>
        compose([
          onStore('messages', ({ append }) => ({
            append: async (message) => {
              if (message.role === 'assistant') answered.add(String(message.parentId))
              await append(message)
            },
          })),
          onRequestBody(v2Generate, (body) => {
            const { include_tools: _, ...rest } = body
            return answered.has(String(body['parent_id'])) ? rest : body
          }),
        ]),
      ),
  },
  'VER-07': {
    'v2-second-call-on-a-v3-chat-is-taken: The second v2 message for a v3 chat is accepted.':
      counting((count) =>
        onReply(storeMessage, (reply, { body }) => {
          const { chat_id: chat, content, model_id: model } = toObject(body)
          const isOfV3 = reply.status === 409 && typeof content === 'string'
          if (!isOfV3 || count(String(chat)) < 2) return reply
          const times = { created_at: new Date(0).toISOString() }
          const id = crypto.randomUUID()
          return {
            status: 201,
            body: { id, chat_id: chat, model_id: model, role: 'user', content, ...times },
          }
        }),
      ),
  },
  'V2-MSG-06': {
    'v2-fifth-message-is-shown-as-the-first: The fifth message of a chat is answered with the content of its first.':
      counting((count) => {
        const first = new Map<string, unknown>()
        return onReply(storeMessage, (reply, { body }) => {
          const { chat_id: chat, content } = toObject(body)
          if (reply.status >= 300 || !('body' in reply)) return reply
          const number = count(String(chat))
          if (number === 1) first.set(String(chat), content)
          if (number !== 5) return reply
          return { ...reply, body: { ...toObject(reply.body), content: first.get(String(chat)) } }
        })
      }),
  },
})

/** Chains of some messages hold the last of their messages alone, from when they are stored. */
function cutChains(
  when: (message: Message) => boolean,
  among: (message: Message) => boolean,
): Patch {
  return remembering((cut) =>
    onStore('messages', ({ append, chain }) => ({
      append: async (message) => {
        if (among(message) && when(message)) cut.add(message.id)
        await append(message)
      },
      chain: async (chat, id) => {
        const messages = await chain(chat, id)
        return messages.some((one) => cut.has(one.id)) ? messages.slice(-1) : messages
      },
    })),
  )
}

/** A chat forgets what was said before a request on it is answered. */
function forgetsChainsOn(
  route: RoutePattern,
  when: (status: number) => boolean,
  minMessages = 1,
): Patch {
  return counting((count) => {
    const forgetful = new Map<string, ReadonlySet<string>>()
    const stored = new Map<string, string[]>()
    return compose([
      countMessages(count),
      onStore('messages', ({ append, chain }) => ({
        append: async (message) => {
          stored.set(message.chatId, [...(stored.get(message.chatId) ?? []), message.id])
          await append(message)
        },
        chain: async (chat, id) => {
          const messages = await chain(chat, id)
          return messages.filter((one) => one.id === id || !forgetful.get(chat)?.has(one.id))
        },
      })),
      alsoDo(route, async (_services, { params, body }, { status }) => {
        const chat = params['chat_id'] ?? String(toObject(body)['chat_id'])
        if (when(status) && count.of(chat) >= minMessages) {
          forgetful.set(chat, new Set(stored.get(chat)))
        }
      }),
    ])
  })
}

function countMessages(count: (chat: string) => number): Patch {
  return onStore('messages', ({ append }) => ({
    append: async (message) => {
      if (message.role === 'user') count(message.chatId)
      await append(message)
    },
  }))
}
