/** Faults of a stored v2 message as it is shown (section 2.3). */
import type { Patch } from '../../../services.ts'
import { isText, setAt } from '../../patches/json.ts'
import { onSuccess, onSuccessBody, setField } from '../../patches/replies.ts'
import { onRequestBody, rejectRequests } from '../../patches/requests.ts'
import { storeMessage, v2Generate } from '../../patches/routes.ts'
import { compose } from '../../patches/services.ts'
import type { Fault } from '../../types.ts'

export const v2MessageFaults: readonly Fault[] = [
  {
    name: 'v2-message-ascii-only',
    summary: 'A message that holds other characters than ASCII is refused.',
    breaks: ['V2-MSG-01'],
    patch: rejectRequests(storeMessage, ({ content }) => /[^\0-\x7f]/.test(String(content))),
  },
  {
    name: 'v2-message-in-a-list',
    summary: 'A stored message is answered as a list of one.',
    breaks: ['V2-MSG-01'],
    patch: onSuccessBody(storeMessage, (body) => [body]),
  },
  {
    name: 'v2-message-wrapped',
    summary: 'A stored message stands in a member of the answer.',
    breaks: ['V2-MSG-01'],
    patch: onSuccessBody(storeMessage, (body) => ({ data: body })),
  },
  {
    name: 'v2-message-without-content',
    summary: 'A stored message is answered with 204 and nothing else.',
    breaks: ['V2-MSG-01'],
    patch: onSuccess(storeMessage, () => ({ status: 204 })),
  },
  {
    name: 'v2-message-id-prefixed',
    summary: 'The id of a message is a UUID behind msg_, and is understood with it.',
    breaks: ['V2-MSG-02'],
    patch: messageIds(
      (uuid) => `msg_${uuid}`,
      (id) => id.replace(/^msg_/, ''),
    ),
  },
  {
    name: 'v2-message-id-without-hyphens',
    summary: 'The id of a message is the hexadecimal digits of a UUID, and is understood as such.',
    breaks: ['V2-MSG-02'],
    patch: messageIds(
      (uuid) => uuid.replaceAll('-', ''),
      (id) => id.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'),
    ),
  },
  {
    name: 'v2-message-id-missing',
    summary: 'A stored message is shown without its id.',
    breaks: ['V2-MSG-02'],
    patch: setField(storeMessage, 'id', undefined),
  },
  {
    name: 'v2-message-chat-missing',
    summary: 'A stored message is shown without its chat.',
    breaks: ['V2-MSG-03'],
    patch: setField(storeMessage, 'chat_id', undefined),
  },
  {
    name: 'v2-message-chat-another',
    summary: 'The chat_id of a message is a UUID of the message, not of the chat.',
    breaks: ['V2-MSG-03'],
    patch: onSuccessBody(storeMessage, (body) => ({ ...body, chat_id: body['id'] })),
  },
  {
    name: 'v2-message-chat-without-hyphens',
    summary: 'The chat_id of a message is shown as bare hexadecimal digits.',
    breaks: ['V2-MSG-03'],
    patch: setField(storeMessage, 'chat_id', (uuid: string) => uuid.replaceAll('-', '')),
  },
  {
    name: 'v2-message-model-missing',
    summary: 'A stored message is shown without its model.',
    breaks: ['V2-MSG-04'],
    patch: setField(storeMessage, 'model_id', undefined),
  },
  {
    name: 'v2-message-model-an-object',
    summary: 'The model of a message is shown as an object.',
    breaks: ['V2-MSG-04'],
    patch: setField(storeMessage, 'model_id', (id: string) => ({ id })),
  },
  {
    name: 'v2-message-role-missing',
    summary: 'A stored message is shown without its role.',
    breaks: ['V2-MSG-05'],
    patch: setField(storeMessage, 'role', undefined),
  },
  {
    name: 'v2-message-role-capital',
    summary: 'The role of a stored message is USER.',
    breaks: ['V2-MSG-05'],
    patch: setField(storeMessage, 'role', 'USER'),
  },
  {
    name: 'v2-message-role-assistant',
    summary: 'The role of a stored user message is assistant.',
    breaks: ['V2-MSG-05'],
    patch: setField(storeMessage, 'role', 'assistant'),
  },
  {
    name: 'v2-message-content-missing',
    summary: 'A stored message is shown without its content.',
    breaks: ['V2-MSG-06'],
    patch: setField(storeMessage, 'content', undefined),
  },
  {
    name: 'v2-message-content-in-parts',
    summary: 'The content of a message is shown as an array of parts.',
    breaks: ['V2-MSG-06'],
    patch: setField(storeMessage, 'content', (text: string) => [{ type: 'text', text }]),
  },
  {
    name: 'v2-message-content-decomposed',
    summary: 'The content of a message is shown with its accents as characters of their own.',
    breaks: ['V2-MSG-06'],
    patch: setField(storeMessage, 'content', (text: string) => text.normalize('NFD')),
  },
  {
    name: 'v2-message-content-basic-plane',
    summary: 'Characters outside the basic plane are lost from the content of a message.',
    breaks: ['V2-MSG-06'],
    patch: setField(storeMessage, 'content', (text: string) =>
      text.replaceAll(/[\ud800-\udfff]/g, ''),
    ),
  },
  {
    name: 'v2-message-content-latin',
    summary: 'The bytes of the content are read as Latin-1.',
    breaks: ['V2-MSG-06'],
    patch: setField(storeMessage, 'content', (text: string) =>
      Buffer.from(text).toString('latin1'),
    ),
  },
  {
    name: 'v2-message-content-escaped',
    summary: 'The content of a message is shown as HTML writes it.',
    breaks: ['V2-MSG-06'],
    patch: setField(storeMessage, 'content', (text: string) =>
      text.replaceAll('&', '&amp;').replaceAll('"', '&quot;'),
    ),
  },
  {
    name: 'v2-message-time-without-zone',
    summary: 'The created_at of a message does not say its zone.',
    breaks: ['V2-MSG-07'],
    patch: setField(storeMessage, 'created_at', (time: string) => time.replace('Z', '')),
  },
  {
    name: 'v2-message-time-elsewhere',
    summary: 'The created_at of a message is the time of a zone that is not UTC.',
    breaks: ['V2-MSG-07'],
    patch: setField(storeMessage, 'created_at', (time: string) => time.replace('Z', '+03:00')),
  },
  {
    name: 'v2-message-time-a-number',
    summary: 'The created_at of a message is in Unix seconds.',
    breaks: ['V2-MSG-07'],
    patch: setField(storeMessage, 'created_at', (time: string) =>
      Math.floor(Date.parse(time) / 1000),
    ),
  },
  {
    name: 'v2-message-time-of-mail',
    summary: 'The created_at of a message is written as in mail headers.',
    breaks: ['V2-MSG-07'],
    patch: setField(storeMessage, 'created_at', (time: string) => new Date(time).toUTCString()),
  },
  {
    name: 'v2-message-time-missing',
    summary: 'A stored message is shown without created_at.',
    breaks: ['V2-MSG-07'],
    patch: setField(storeMessage, 'created_at', undefined),
  },
]

/** Ids of messages in another writing, everywhere alike. */
function messageIds(write: (uuid: string) => string, read: (id: string) => string): Patch {
  const reading = (value: unknown) => (isText(value) ? read(value) : value)
  return compose([
    setField(storeMessage, 'id', write),
    onRequestBody(storeMessage, (body) => setAt(body, 'parent_id', reading)),
    onRequestBody(v2Generate, (body) => setAt(body, 'parent_id', reading)),
  ])
}
