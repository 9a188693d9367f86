/** Faults of v2 messages and of the chain of parent_id (sections 1, 2.3 and 4.2). */
import type { Patch } from '../../../services.ts'
import type { Message } from '../../../store/types.ts'
import { isText, setAt } from '../../patches/json.ts'
import { onSuccess, onSuccessBody, setFields } from '../../patches/replies.ts'
import { onRequestBody } from '../../patches/requests.ts'
import { storeMessage, v2Generate } from '../../patches/routes.ts'
import { compose, onStore, perServer } from '../../patches/services.ts'
import { faultTable } from '../../table.ts'

export const v2MessageFaults = faultTable({
  'V2-MSG-01': {
    'v2-message-in-a-list: The stored message is returned as the single element of an array.':
      onSuccessBody(storeMessage, (body) => [body]),
    'v2-message-wrapped: The stored message is returned inside data.': onSuccessBody(
      storeMessage,
      (body) => ({ data: body }),
    ),
    'v2-message-without-content: POST /message stores the message and returns 204 without a body.':
      onSuccess(storeMessage, () => ({ status: 204 })),
  },
  'V2-MSG-02': {
    'v2-message-id-prefixed: Message ids have the prefix msg_, in responses and as parent_id.':
      messageIds(
        (uuid) => `msg_${uuid}`,
        (id) => id.replace(/^msg_/, ''),
      ),
    'v2-message-id-without-hyphens: Message ids are UUIDs without hyphens, in responses and as parent_id.':
      messageIds(
        (uuid) => uuid.replaceAll('-', ''),
        (id) => id.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'),
      ),
  },
  'V2-MSG-03': {
    'v2-message-chat-another: The chat_id of a message is the id of the message itself.':
      onSuccessBody(storeMessage, (body) => ({ ...body, chat_id: body['id'] })),
    'v2-message-chat-without-hyphens: The chat_id of a message is returned without hyphens.':
      setFields(storeMessage, { chat_id: (uuid: string) => uuid.replaceAll('-', '') }),
  },
  'V2-MSG-05': {
    'v2-message-role-capital: The role of a stored message is USER.': setFields(storeMessage, {
      role: 'USER',
    }),
    'v2-message-role-assistant: The role of a stored user message is assistant.': setFields(
      storeMessage,
      { role: 'assistant' },
    ),
  },
  'V2-MSG-06': {
    'v2-message-content-decomposed: The content of a message is returned in Unicode normalization form NFD.':
      setFields(storeMessage, { content: (text: string) => text.normalize('NFD') }),
    'v2-message-content-composed: The content of a message is returned in Unicode normalization form NFC.':
      setFields(storeMessage, { content: (text: string) => text.normalize('NFC') }),
    'v2-message-content-shortened: The content of a message is returned up to its 2,000th character.':
      setFields(storeMessage, { content: (text: string) => [...text].slice(0, 2000).join('') }),
    'v2-message-content-latin: The UTF-8 bytes of the content are decoded as Latin-1.': setFields(
      storeMessage,
      { content: (text: string) => Buffer.from(text).toString('latin1') },
    ),
    'v2-message-content-boolean: The content "true" of a message is returned as a boolean.':
      setFields(storeMessage, { content: (text: string) => text === 'true' || text }),
    'v2-message-content-escaped: The content of a message is returned with HTML entities.':
      setFields(storeMessage, {
        content: (text: string) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;'),
      }),
  },
  'V2-MSG-07': {
    'v2-message-time-without-zone: The created_at of a message has no time zone.': setFields(
      storeMessage,
      { created_at: (time: string) => time.replace('Z', '') },
    ),
    'v2-message-time-elsewhere: The created_at of a message has the offset +03:00 instead of UTC.':
      setFields(storeMessage, { created_at: (time: string) => time.replace('Z', '+03:00') }),
    'v2-message-time-of-mail: The created_at of a message is an HTTP date instead of ISO 8601.':
      setFields(storeMessage, { created_at: (time: string) => new Date(time).toUTCString() }),
  },
  'V2-CTX-01': {
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
/** Message ids in another notation, consistently in responses and requests. */
function messageIds(write: (uuid: string) => string, read: (id: string) => string): Patch {
  const reading = (value: unknown) => (isText(value) ? read(value) : value)
  return compose([
    setFields(storeMessage, { id: write }),
    onRequestBody(storeMessage, (body) => setAt(body, 'parent_id', reading)),
    onRequestBody(v2Generate, (body) => setAt(body, 'parent_id', reading)),
  ])
}

/** The model receives the chain of the latest user message. */
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
