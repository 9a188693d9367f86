/** Faults of the validation of v2 messages (section 4.2). */

import type { RequirementId } from '../../../../contract/index.ts'
import { isObject, isUuid } from '../../../../contract/json.ts'
import type { Patch } from '../../../services.ts'
import { newChat } from '../../../surfaces/chats.ts'
import { isPresent, isText } from '../../patches/json.ts'
import { onError } from '../../patches/replies.ts'
import { ignoreField, onRequestBody, rejectRequests } from '../../patches/requests.ts'
import { mainModel, type RoutePattern, storeMessage, v2Generate } from '../../patches/routes.ts'
import { onStore } from '../../patches/services.ts'
import { faultTable } from '../../table.ts'
import type { Fault } from '../../types.ts'
import { member, wrongTypeFaults } from '../wrong-types.ts'

export const v2FieldFaults: readonly Fault[] = [
  ...faultTable({
    'V2-MSG-11': {
      'v2-message-not-stored: POST /message returns the message but does not store it.': {
        also: ['V2-GEN-01'],
        patch: onStore('messages', () => ({ append: async () => {} })),
      },
    },
    'V2-MSG-09': {
      'v2-message-attachments-of-anything: A message with attachments that are not objects is accepted.':
        ignoreField(storeMessage, 'attachments', isNoListOfNonStrings),
    },
    'V2-MSG-15': {
      'v2-message-refused-500: POST /api/v2/message returns 500 instead of 400.':
        fail400With500(storeMessage),
      'v2-reply-refused-500: POST /api/v2/message/generate returns 500 instead of 400.':
        fail400With500(v2Generate),
    },
  }),
  acceptMissing('chat', 'chat_id', inSeparateChat),
  acceptMissing('content', 'content', ignoreField(storeMessage, 'content', isPresent, 'Hello.')),
  acceptMissing('model', 'model_id', ignoreField(storeMessage, 'model_id', isPresent, mainModel)),
  ...wrongTypeFaults(storeMessage, 'V2-MSG-09', 'v2-message', 'A message', {
    chat: ['chat_id', isText, member('id')],
    parent: ['parent_id', isText],
  }),
  rejected('assistant', 'V2-MSG-10', 'a UUID as assistant_id', ({ assistant_id: id }) =>
    isUuid(id),
  ),
  rejected(
    'instructions',
    'V2-MSG-10',
    'an assistant_id that is not a UUID',
    ({ assistant_id: id }) => isText(id) && !isUuid(id),
  ),
]

function isNoListOfNonStrings(value: unknown): boolean {
  return !Array.isArray(value) || value.every(isObject)
}

function acceptMissing(name: string, field: string, patch: Patch): Fault {
  return {
    name: `v2-message-needs-no-${name}`,
    summary: `A message without ${field} is accepted.`,
    breaks: ['V2-MSG-08'],
    patch,
  }
}

function rejected(
  name: string,
  requirement: RequirementId,
  what: string,
  when: Parameters<typeof rejectRequests>[1],
): Fault {
  return {
    name: `v2-message-${name}-refused`,
    summary: `A message with ${what} is rejected.`,
    breaks: [requirement],
    patch: rejectRequests(storeMessage, when),
  }
}

function inSeparateChat(...[services]: Parameters<Patch>): ReturnType<Patch> {
  return onRequestBody(storeMessage, (body, { caller }) => {
    if (isPresent(body['chat_id'])) return body
    const chat = newChat(services, caller, 'v2')
    void services.store.chats.create(chat)
    return { ...body, chat_id: chat.id }
  })(services)
}

function fail400With500(route: RoutePattern): Patch {
  return onError(route, (reply) => (reply.status === 400 ? { ...reply, status: 500 } : reply))
}
