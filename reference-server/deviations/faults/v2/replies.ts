/** Faults of the validation of v2 messages, and of v2 generations (section 4.2). */
import { isObject, isUuid } from '../../../../contract/json.ts'
import type { Patch } from '../../../services.ts'
import type { Message } from '../../../store/types.ts'
import { newChat } from '../../../surfaces/chats.ts'
import { isPresent, isText } from '../../patches/json.ts'
import { onError, onSuccess, onSuccessBody } from '../../patches/replies.ts'
import {
  idOf,
  ignoreField,
  mendField,
  onRequestBody,
  rejectRequests,
} from '../../patches/requests.ts'
import { mainModel, type RoutePattern, storeMessage, v2Generate } from '../../patches/routes.ts'
import { compose, onStore, perServer } from '../../patches/services.ts'
import { faultTable } from '../../table.ts'

export const v2ReplyFaults = faultTable({
  'V2-MSG-11': {
    'v2-message-not-stored: POST /message returns the message but does not store it.': {
      also: ['V2-GEN-01'],
      patch: onStore('messages', () => ({ append: async () => {} })),
    },
  },
  'V2-MSG-09': {
    'v2-message-attachments-of-anything: A message with attachments that are not objects is accepted.':
      ignoreField(storeMessage, 'attachments', isNoListOfNonStrings),
    'v2-message-chat-of-any-type: A message with chat_id of the wrong type is accepted.': mendField(
      storeMessage,
      'chat_id',
      isText,
      idOf,
    ),
    'v2-message-parent-of-any-type: A message with parent_id of the wrong type is accepted.':
      mendField(storeMessage, 'parent_id', isText),
  },
  'V2-MSG-08': {
    'v2-message-needs-no-chat: A message without chat_id is accepted.': inSeparateChat,
    'v2-message-needs-no-content: A message without content is accepted.': ignoreField(
      storeMessage,
      'content',
      isPresent,
      'Hello.',
    ),
    'v2-message-needs-no-model: A message without model_id is accepted.': ignoreField(
      storeMessage,
      'model_id',
      isPresent,
      mainModel,
    ),
  },
  'V2-MSG-10': {
    'v2-message-assistant-refused: A message with a UUID as assistant_id is rejected.':
      rejectRequests(storeMessage, ({ assistant_id: id }) => isUuid(id)),
    'v2-message-instructions-refused: A message with an assistant_id that is not a UUID is rejected.':
      rejectRequests(storeMessage, ({ assistant_id: id }) => isText(id) && !isUuid(id)),
  },
  'V2-MSG-15': {
    'v2-message-refused-500: POST /api/v2/message returns 500 instead of 400.':
      fail400With500(storeMessage),
    'v2-reply-refused-500: POST /api/v2/message/generate returns 500 instead of 400.':
      fail400With500(v2Generate),
  },
  'V2-GEN-01': {
    'v2-reply-in-a-list: The reply is returned as the single element of an array.': onSuccessBody(
      v2Generate,
      (body) => [body],
    ),
    'v2-reply-promised: POST /api/v2/message/generate returns 202 without a reply.': onSuccess(
      v2Generate,
      () => ({ status: 202, body: { status: 'queued' } }),
    ),
  },
  'V2-GEN-02': {
    'v2-reply-needs-no-chat: A v2 generation without chat_id is accepted: the chat of the message is used.':
      recallMissingId(({ id, chatId }) => [id, chatId], 'parent_id', 'chat_id'),
    'v2-reply-needs-no-parent: A v2 generation without parent_id is accepted: the last message of the chat is answered.':
      recallMissingId(({ id, chatId }) => [chatId, id], 'chat_id', 'parent_id'),
    'v2-reply-needs-no-model: A v2 generation without model_id is accepted: the main model is used.':
      ignoreField(v2Generate, 'model_id', isPresent, mainModel),
  },
  'V2-GEN-04': {
    'v2-reply-exclude-ignored: exclude_tools is ignored in a v2 generation.':
      'v2.generate: exclude_tools is ignored',
  },
  'V2-GEN-05': {
    'v2-reply-exclude-of-numbers: A v2 generation with numbers in exclude_tools is accepted.':
      ignoreField(
        v2Generate,
        'exclude_tools',
        (list) => !Array.isArray(list) || list.every(isText),
      ),
    'v2-reply-chat-of-any-type: A v2 generation with chat_id of the wrong type is accepted.':
      mendField(v2Generate, 'chat_id', isText, idOf),
    'v2-reply-parent-of-any-type: A v2 generation with parent_id of the wrong type is accepted.':
      mendField(v2Generate, 'parent_id', isText, idOf),
  },
  'V2-RAG-02': {
    'v2-rag-off-ignored: rag: false is treated as rag: true in v2.':
      'v2.message: rag is taken for true (rag: false)',
    'v2-rag-unasked: A missing rag is treated as rag: true in v2.':
      'v2.message: rag is taken for true (rag: not given)',
  },
  'V2-RAG-03': {
    'v2-rag-agent-searches: rag: agent is treated as rag: true in v2.':
      'v2.message: rag is taken for true (rag: agent)',
  },
})
function isNoListOfNonStrings(value: unknown): boolean {
  return !Array.isArray(value) || value.every(isObject)
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

/** Fills in a missing id from the message that the other id names. */
function recallMissingId(
  pair: (message: Message) => readonly [key: string, value: string],
  present: string,
  missing: string,
): Patch {
  return perServer(() => {
    const texts = new Map<unknown, string>()
    return compose([
      onStore('messages', ({ append }) => ({
        append: (one) => {
          texts.set(...pair(one))
          return append(one)
        },
      })),
      onRequestBody(v2Generate, (body) =>
        isPresent(body[missing]) ? body : { ...body, [missing]: texts.get(body[present]) },
      ),
    ])
  })
}
