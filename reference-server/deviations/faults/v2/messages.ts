/** Faults of the v2 message that is returned (section 2.3). */
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
    summary: 'A message with non-ASCII characters is rejected.',
    breaks: ['V2-MSG-01'],
    patch: rejectRequests(storeMessage, ({ content }) => /[^\0-\x7f]/.test(String(content))),
  },
  {
    name: 'v2-message-in-a-list',
    summary: 'The stored message is returned as the single element of an array.',
    breaks: ['V2-MSG-01'],
    patch: onSuccessBody(storeMessage, (body) => [body]),
  },
  {
    name: 'v2-message-wrapped',
    summary: 'The stored message is returned inside data.',
    breaks: ['V2-MSG-01'],
    patch: onSuccessBody(storeMessage, (body) => ({ data: body })),
  },
  {
    name: 'v2-message-without-content',
    summary: 'POST /message stores the message and returns 204 without a body.',
    breaks: ['V2-MSG-01'],
    patch: onSuccess(storeMessage, () => ({ status: 204 })),
  },
  {
    name: 'v2-message-id-prefixed',
    summary: 'Message ids have the prefix msg_, in responses and as parent_id.',
    breaks: ['V2-MSG-02'],
    patch: messageIds(
      (uuid) => `msg_${uuid}`,
      (id) => id.replace(/^msg_/, ''),
    ),
  },
  {
    name: 'v2-message-id-without-hyphens',
    summary: 'Message ids are UUIDs without hyphens, in responses and as parent_id.',
    breaks: ['V2-MSG-02'],
    patch: messageIds(
      (uuid) => uuid.replaceAll('-', ''),
      (id) => id.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'),
    ),
  },
  {
    name: 'v2-message-id-missing',
    summary: 'The returned message omits id.',
    breaks: ['V2-MSG-02'],
    patch: setField(storeMessage, 'id', undefined),
  },
  {
    name: 'v2-message-chat-missing',
    summary: 'The returned message omits chat_id.',
    breaks: ['V2-MSG-03'],
    patch: setField(storeMessage, 'chat_id', undefined),
  },
  {
    name: 'v2-message-chat-another',
    summary: 'The chat_id of a message is the id of the message itself.',
    breaks: ['V2-MSG-03'],
    patch: onSuccessBody(storeMessage, (body) => ({ ...body, chat_id: body['id'] })),
  },
  {
    name: 'v2-message-chat-without-hyphens',
    summary: 'The chat_id of a message is returned without hyphens.',
    breaks: ['V2-MSG-03'],
    patch: setField(storeMessage, 'chat_id', (uuid: string) => uuid.replaceAll('-', '')),
  },
  {
    name: 'v2-message-model-missing',
    summary: 'The returned message omits model_id.',
    breaks: ['V2-MSG-04'],
    patch: setField(storeMessage, 'model_id', undefined),
  },
  {
    name: 'v2-message-model-an-object',
    summary: 'The model_id of a message is an object.',
    breaks: ['V2-MSG-04'],
    patch: setField(storeMessage, 'model_id', (id: string) => ({ id })),
  },
  {
    name: 'v2-message-role-missing',
    summary: 'The returned message omits role.',
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
    summary: 'The returned message omits content.',
    breaks: ['V2-MSG-06'],
    patch: setField(storeMessage, 'content', undefined),
  },
  {
    name: 'v2-message-content-in-parts',
    summary: 'The content of a message is returned as an array of parts.',
    breaks: ['V2-MSG-06'],
    patch: setField(storeMessage, 'content', (text: string) => [{ type: 'text', text }]),
  },
  {
    name: 'v2-message-content-decomposed',
    summary: 'The content of a message is returned in Unicode normalization form NFD.',
    breaks: ['V2-MSG-06'],
    patch: setField(storeMessage, 'content', (text: string) => text.normalize('NFD')),
  },
  {
    name: 'v2-message-content-composed',
    summary: 'The content of a message is returned in Unicode normalization form NFC.',
    breaks: ['V2-MSG-06'],
    patch: setField(storeMessage, 'content', (text: string) => text.normalize('NFC')),
  },
  {
    name: 'v2-message-content-shortened',
    summary: 'The content of a message is returned up to its 2,000th character.',
    breaks: ['V2-MSG-06'],
    patch: setField(storeMessage, 'content', (text: string) => [...text].slice(0, 2000).join('')),
  },
  {
    name: 'v2-message-content-basic-plane',
    summary:
      'Characters outside the Basic Multilingual Plane are removed from the content of a message.',
    breaks: ['V2-MSG-06'],
    patch: setField(storeMessage, 'content', (text: string) =>
      text.replaceAll(/[\ud800-\udfff]/g, ''),
    ),
  },
  {
    name: 'v2-message-content-latin',
    summary: 'The UTF-8 bytes of the content are decoded as Latin-1.',
    breaks: ['V2-MSG-06'],
    patch: setField(storeMessage, 'content', (text: string) =>
      Buffer.from(text).toString('latin1'),
    ),
  },
  {
    name: 'v2-message-content-escaped',
    summary: 'The content of a message is returned with HTML entities.',
    breaks: ['V2-MSG-06'],
    patch: setField(storeMessage, 'content', (text: string) =>
      text.replaceAll('&', '&amp;').replaceAll('"', '&quot;'),
    ),
  },
  {
    name: 'v2-message-time-without-zone',
    summary: 'The created_at of a message has no time zone.',
    breaks: ['V2-MSG-07'],
    patch: setField(storeMessage, 'created_at', (time: string) => time.replace('Z', '')),
  },
  {
    name: 'v2-message-time-elsewhere',
    summary: 'The created_at of a message has the offset +03:00 instead of UTC.',
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
    summary: 'The created_at of a message is an HTTP date instead of ISO 8601.',
    breaks: ['V2-MSG-07'],
    patch: setField(storeMessage, 'created_at', (time: string) => new Date(time).toUTCString()),
  },
  {
    name: 'v2-message-time-missing',
    summary: 'The returned message omits created_at.',
    breaks: ['V2-MSG-07'],
    patch: setField(storeMessage, 'created_at', undefined),
  },
]

/** Message ids in another notation, consistently in responses and requests. */
function messageIds(write: (uuid: string) => string, read: (id: string) => string): Patch {
  const reading = (value: unknown) => (isText(value) ? read(value) : value)
  return compose([
    setField(storeMessage, 'id', write),
    onRequestBody(storeMessage, (body) => setAt(body, 'parent_id', reading)),
    onRequestBody(v2Generate, (body) => setAt(body, 'parent_id', reading)),
  ])
}
