/** Faults of v3 generations in a v2 chat that are refused and take place all the same (section 9). */
import type { Patch } from '../../../../services.ts'
import { isText, toObject } from '../../../patches/json.ts'
import { alsoDo } from '../../../patches/replies.ts'
import { deleteChat, v3Generate } from '../../../patches/routes.ts'
import { compose, onStore, perServer } from '../../../patches/services.ts'
import type { Fault } from '../../../types.ts'

export const effectiveRefusalFaults: readonly Fault[] = [
  {
    name: 'version-refusal-stores-the-question',
    summary: 'v3 refuses one JSON body in a v2 chat, and the chat knows afterwards what it said.',
    breaks: ['VER-06'],
    patch: heard(false),
  },
  {
    name: 'version-refusal-stores-the-streamed-question',
    summary: 'v3 refuses a stream in a v2 chat, and the chat knows afterwards what it said.',
    breaks: ['VER-06'],
    patch: heard(true),
  },
  {
    name: 'version-refusal-empties-the-v2-chat',
    summary: 'v3 refuses to delete a v2 chat, and its messages are gone all the same.',
    breaks: ['VER-06'],
    patch: alsoDo(deleteChat, async ({ store }, { caller, params }, { status }) => {
      const chat = await store.chats.find(caller, params['chat_id'] ?? '')
      if (status < 400 || chat?.version !== 'v2') return
      await store.chats.delete(caller, chat.id)
      await store.chats.create(chat)
    }),
  },
]

/** What was said by refused generations stands before the last message of the chat. */
function heard(stream: boolean): Patch {
  return perServer(() => {
    const said = new Map<string, string[]>()
    return compose([
      alsoDo(v3Generate, async ({ store }, { body, caller }, { status }) => {
        const { chat_id: id, input, stream: streamed } = toObject(body)
        if (status < 400 || !isText(id) || !isText(input) || (streamed === true) !== stream) return
        const chat = await store.chats.find(caller, id)
        if (chat?.version === 'v2') said.set(id, [...(said.get(id) ?? []), input])
      }),
      onStore('messages', ({ chain }) => ({
        chain: async (chatId, id) => {
          const messages = await chain(chatId, id)
          const [first] = messages
          if (first === undefined) return messages
          const heard = (said.get(chatId) ?? []).map((content) => ({ ...first, content }))
          return [...messages.slice(0, -1), ...heard, ...messages.slice(-1)]
        },
      })),
    ])
  })
}
