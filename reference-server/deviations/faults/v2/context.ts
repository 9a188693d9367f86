/** Faults of the context of a v2 reply: the chain of parent_id (sections 1 and 4.2). */
import type { Patch } from '../../../services.ts'
import type { Message } from '../../../store/types.ts'
import { onStore, perServer } from '../../patches/services.ts'
import { faultTable } from '../../table.ts'

export const v2ContextFaults = faultTable({
  'V2-CTX-01': {
    'v2-context-lost: Only the answered message is passed to the model, without its chain of parents.':
      editChain((chain) => chain.slice(-1)),
    'v2-context-one-link: Only the answered message and its parent are passed to the model.':
      editChain((chain) => chain.slice(-2)),
    'v2-reply-to-the-latest-message: A v2 generation answers the latest message of the chat, whichever parent_id names.':
      answerLatest(),
  },
  'V2-CTX-02': {
    'v2-context-of-other-chats: The messages of all chats are passed to the model.': onStore(
      'messages',
      ({ append, chain }) => {
        const messages: Message[] = []
        return {
          append: async (one) => {
            if (one.attachmentIds.length === 0) messages.push(one)
            await append(one)
          },
          chain: async (chat, id) => [...messages, ...(await chain(chat, id))],
        }
      },
    ),
  },
})

/** The model is told the chain of the latest user message. */
function answerLatest(): Patch {
  return perServer(() => {
    const latest = new Map<string, string>()
    return onStore('messages', ({ append, chain }) => ({
      append: (message) => {
        if (message.role === 'user') latest.set(message.chatId, message.id)
        return append(message)
      },
      chain: (chat, id) => chain(chat, latest.get(chat) ?? id),
    }))
  })
}

function editChain(change: (chain: readonly Message[]) => readonly Message[]): Patch {
  return onStore('messages', ({ chain }) => ({
    chain: async (chat, id) => change(await chain(chat, id)),
  }))
}
