/** Faults of v2 messages, of the chain of parent_id, and of v2 generations (sections 1, 2.3, 3 and 4.2). */

import { newChat } from '../../surfaces/chats.ts'
import { isGiven, isText, setAt } from '../patches/json.ts'
import { setFields } from '../patches/replies.ts'
import { onRequestBody } from '../patches/requests.ts'
import { compose, mapping, noteMessages, onStore } from '../patches/services.ts'
import { faultTable } from '../table.ts'

export const v2Faults = faultTable({
  'V2-MSG-02 v2-message-id-prefixed: Message ids have the prefix msg_, in responses and as parent_id.':
    compose([
      setFields('v2.message', { id: (uuid: string) => `msg_${uuid}` }),
      onRequestBody(['v2.message', 'v2.generate'], (body) =>
        setAt(body, 'parent_id', (id: unknown) => (isText(id) ? id.replace(/^msg_/, '') : id)),
      ),
    ]),
  'V2-CTX-01 v2-reply-to-the-latest-message: A v2 generation answers the latest message of the chat, whichever parent_id names.':
    mapping<string>((latest) => [
      noteMessages(({ role, chatId, id }) => role === 'user' && latest.set(chatId, id)),
      onStore('messages', ({ chain }) => ({
        chain: (chat, id) => chain(chat, latest.get(chat) ?? id),
      })),
    ]),
  'V2-MSG-11 V2-GEN-01 v2-message-not-stored: POST /message returns the message but does not store it.':
    onStore('messages', () => ({ append: async () => {} })),
  'V2-MSG-08 v2-message-needs-no-chat: A message without chat_id is accepted.': (services) =>
    onRequestBody('v2.message', (body, { caller }) => {
      if (isGiven(body['chat_id'])) return body
      const chat = newChat(services, caller, 'v2')
      void services.store.chats.create(chat)
      return { ...body, chat_id: chat.id }
    })(services),
  'V2-GEN-02 v2-reply-needs-no-parent: A v2 generation without parent_id is accepted: the last message of the chat is answered.':
    mapping<string>((last) => [
      noteMessages(({ chatId, id }) => last.set(chatId, id)),
      onRequestBody('v2.generate', (body) =>
        isGiven(body['parent_id']) ? body : { ...body, parent_id: last.get(body['chat_id']) },
      ),
    ]),
})
