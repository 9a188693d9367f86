/** Faults of what a v2 message takes and what it refuses (section 4.2). */

import type { RequirementId } from '../../../../contract/index.ts'
import { isObject } from '../../../../contract/json.ts'
import type { Patch } from '../../../services.ts'
import { newChat } from '../../../surfaces/chats.ts'
import { isPresent, isText } from '../../patches/json.ts'
import { onError } from '../../patches/replies.ts'
import { flattenField, ignoreField, onRequestBody, rejectRequests } from '../../patches/requests.ts'
import { mainModel, type RoutePattern, storeMessage, v2Generate } from '../../patches/routes.ts'
import { onStore } from '../../patches/services.ts'
import type { Fault } from '../../types.ts'

const isOptionalBoolean = (value: unknown) => value === undefined || typeof value === 'boolean'

export const v2FieldFaults: readonly Fault[] = [
  {
    name: 'v2-message-needs-think',
    summary: 'A message without think is refused.',
    breaks: ['V2-MSG-01'],
    patch: rejectRequests(storeMessage, ({ think }) => think === undefined),
  },
  {
    name: 'v2-message-not-stored',
    summary: 'A message is answered as if it were stored, and forgotten.',
    breaks: ['V2-MSG-11', 'V2-GEN-01'],
    patch: onStore('messages', () => ({ append: async () => {} })),
  },
  acceptMissing('chat', inSeparateChat),
  acceptMissing('content', ignoreField(storeMessage, 'content', isPresent, 'Hello.')),
  acceptMissing('model', ignoreField(storeMessage, 'model_id', isPresent, mainModel)),
  acceptWrongType('chat', flattenField(storeMessage, 'chat_id', 'id')),
  acceptWrongType('content', flattenField(storeMessage, 'content', 'text')),
  acceptWrongType('model', ignoreField(storeMessage, 'model_id', orAbsent(isText), mainModel)),
  acceptWrongType('parent', ignoreField(storeMessage, 'parent_id', isText)),
  acceptWrongType('think', ignoreField(storeMessage, 'think', isOptionalBoolean)),
  acceptWrongType(
    'rag',
    ignoreField(storeMessage, 'rag', (rag) => isText(rag) || isOptionalBoolean(rag)),
  ),
  acceptWrongType('attachments', ignoreField(storeMessage, 'attachments', Array.isArray)),
  acceptWrongType('assistant', ignoreField(storeMessage, 'assistant_id', orAbsent(isText))),
  {
    name: 'v2-message-attachments-of-anything',
    summary: 'A message is stored though its attachments are an array of no objects.',
    breaks: ['V2-MSG-09'],
    patch: ignoreField(storeMessage, 'attachments', isNoListOfNonStrings),
  },
  rejected('assistant', 'V2-MSG-10', 'the UUID of an assistant', ({ assistant_id: id }) =>
    /^[\da-f-]{36}$/.test(String(id)),
  ),
  rejected(
    'instructions',
    'V2-MSG-10',
    'the identifier of instructions',
    ({ assistant_id: id }) => isText(id) && !/^[\da-f-]{36}$/.test(id),
  ),
  rejected('parent', 'V2-MSG-11', 'a parent', ({ parent_id }) => isPresent(parent_id)),
  rejected('think-on', 'V2-MSG-12', 'think: true', ({ think }) => think === true),
  rejected('think-off', 'V2-MSG-12', 'think: false', ({ think }) => think === false),
  rejected('rag-on', 'V2-MSG-13', 'rag: true', ({ rag }) => rag === true),
  rejected('rag-off', 'V2-MSG-13', 'rag: false', ({ rag }) => rag === false),
  rejected('rag-agent', 'V2-MSG-13', 'rag: agent', ({ rag }) => rag === 'agent'),
  rejected('attachments', 'V2-MSG-14', 'attachments', ({ attachments }) => isPresent(attachments)),
  {
    name: 'v2-message-refused-500',
    summary: 'What cannot be read in a v2 message is answered with a 500.',
    breaks: ['V2-MSG-15'],
    patch: fail400With500(storeMessage),
  },
  {
    name: 'v2-reply-refused-500',
    summary: 'What cannot be read in a v2 generation is answered with a 500.',
    breaks: ['V2-MSG-15'],
    patch: fail400With500(v2Generate),
  },
]

function isNoListOfNonStrings(value: unknown): boolean {
  return !Array.isArray(value) || value.every(isObject)
}

function acceptMissing(what: string, patch: Patch): Fault {
  return {
    name: `v2-message-needs-no-${what}`,
    summary: `A message is stored without ${what}.`,
    breaks: ['V2-MSG-08'],
    patch,
  }
}

function acceptWrongType(what: string, patch: Patch): Fault {
  return {
    name: `v2-message-${what}-of-any-type`,
    summary: `A message is stored though its ${what} has another type.`,
    breaks: ['V2-MSG-09'],
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
    summary: `A message with ${what} is refused.`,
    breaks: [requirement],
    patch: rejectRequests(storeMessage, when),
  }
}

/** Accepts an absent value as well. */
function orAbsent(fits: (value: unknown) => boolean): (value: unknown) => boolean {
  return (value) => value === undefined || fits(value)
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
