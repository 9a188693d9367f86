import type { Patch } from '../../../services.ts'
import type { Message } from '../../../store/types.ts'
import { isPresent, isText } from '../../patches/json.ts'
import { onSuccess, onSuccessBody } from '../../patches/replies.ts'
import { flattenField, ignoreField, onRequestBody } from '../../patches/requests.ts'
import { mainModel, v2Generate } from '../../patches/routes.ts'
import { compose, onStore, perServer } from '../../patches/services.ts'
import { faultTable } from '../../table.ts'

export const v2ReplyFaults = faultTable({
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
  'V2-GEN-03': {},
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
      flattenField(v2Generate, 'chat_id', 'id'),
    'v2-reply-parent-of-any-type: A v2 generation with parent_id of the wrong type is accepted.':
      flattenField(v2Generate, 'parent_id', 'id'),
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
