/** Faults of v2 messages, of the chain of parent_id, and of v2 generations (sections 1, 2.3, 3 and 4.2). */

import { isUuid } from '../../../contract/json.ts'
import { newChat } from '../../surfaces/chats.ts'
import { isGiven, isText, setAt } from '../patches/json.ts'
import { onSuccess, onSuccessBody, setFields } from '../patches/replies.ts'
import { idOf, mendField, onRequestBody, rejectRequests } from '../patches/requests.ts'
import { compose, mapping, noteMessages, onStore } from '../patches/services.ts'
import { faultTable } from '../table.ts'

export const v2Faults = faultTable({
  'V2-MSG-01 v2-message-without-content: POST /message stores the message and returns 204 without a body.':
    onSuccess('v2.message', () => ({ status: 204 })),
  'V2-MSG-02 v2-message-id-prefixed: Message ids have the prefix msg_, in responses and as parent_id.':
    compose([
      setFields('v2.message', { id: (uuid: string) => `msg_${uuid}` }),
      onRequestBody(['v2.message', 'v2.generate'], (body) =>
        setAt(body, 'parent_id', (id: unknown) => (isText(id) ? id.replace(/^msg_/, '') : id)),
      ),
    ]),
  'V2-MSG-03 v2-message-chat-another: The chat_id of a message is the id of the message itself.':
    onSuccessBody('v2.message', (body) => ({ ...body, chat_id: body['id'] })),
  'V2-MSG-05 v2-message-role-assistant: The role of a stored user message is assistant.': setFields(
    'v2.message',
    { role: 'assistant' },
  ),
  'V2-MSG-06 v2-message-content-decomposed: The content of a message is returned in Unicode normalization form NFD.':
    setFields('v2.message', { content: (text: string) => text.normalize('NFD') }),
  'V2-MSG-07 v2-message-time-without-zone: The created_at of a message has no time zone.':
    setFields('v2.message', { created_at: (time: string) => time.replace('Z', '') }),
  'V2-CTX-01 v2-reply-to-the-latest-message: A v2 generation answers the latest message of the chat, whichever parent_id names.':
    mapping<string>((latest) => [
      noteMessages(({ role, chatId, id }) => role === 'user' && latest.set(chatId, id)),
      onStore('messages', ({ chain }) => ({
        chain: (chat, id) => chain(chat, latest.get(chat) ?? id),
      })),
    ]),
  'V2-MSG-11 V2-GEN-01 v2-message-not-stored: POST /message returns the message but does not store it.':
    onStore('messages', () => ({ append: async () => {} })),
  'V2-MSG-09 v2-message-chat-of-any-type: A message with chat_id of the wrong type is accepted.':
    mendField('v2.message', 'chat_id', isText, idOf),
  'V2-MSG-08 v2-message-needs-no-chat: A message without chat_id is accepted.': (services) =>
    onRequestBody('v2.message', (body, { caller }) => {
      if (isGiven(body['chat_id'])) return body
      const chat = newChat(services, caller, 'v2')
      void services.store.chats.create(chat)
      return { ...body, chat_id: chat.id }
    })(services),
  'V2-MSG-10 v2-message-assistant-refused: A message with a UUID as assistant_id is rejected.':
    rejectRequests('v2.message', ({ assistant_id: id }) => isUuid(id)),
  'V2-MSG-10 v2-message-instructions-refused: A message with an assistant_id that is not a UUID is rejected.':
    rejectRequests('v2.message', ({ assistant_id: id }) => isText(id) && !isUuid(id)),
  'V2-GEN-02 v2-reply-needs-no-parent: A v2 generation without parent_id is accepted: the last message of the chat is answered.':
    mapping<string>((last) => [
      noteMessages(({ chatId, id }) => last.set(chatId, id)),
      onRequestBody('v2.generate', (body) =>
        isGiven(body['parent_id']) ? body : { ...body, parent_id: last.get(body['chat_id']) },
      ),
    ]),
  'V2-MSG-09 v2-think-in-a-text: A message with the text true as think is accepted.': mendField(
    'v2.message',
    'think',
    (value) => value !== 'true',
    () => true,
  ),
  'V2-GEN-05 v2-reply-chat-of-any-type: A v2 generation with chat_id of the wrong type is accepted.':
    mendField('v2.generate', 'chat_id', isText, idOf),
})
