/** Faults of v2 generation (section 4.2): its answer, its fields, its context, its retrieval. */
import type { RequirementId } from '../../../../contract/index.ts'
import type { Patch } from '../../../services.ts'
import type { Message } from '../../../store/types.ts'
import { isPresent, isText, toObject } from '../../patches/json.ts'
import { onSuccess, onSuccessBody, setFields } from '../../patches/replies.ts'
import { flattenField, ignoreField, onRequestBody, rejectRequests } from '../../patches/requests.ts'
import {
  mainAlias,
  mainModel,
  storeMessage,
  v2Generate,
  visionModel,
} from '../../patches/routes.ts'
import { compose, onStore, perServer } from '../../patches/services.ts'
import { faultTable } from '../../table.ts'
import type { Fault } from '../../types.ts'

const hasBothLists = ({
  include_tools: include,
  exclude_tools: exclude,
}: Readonly<Record<string, unknown>>) => isPresent(include) && isPresent(exclude)

export const v2ReplyFaults: readonly Fault[] = [
  ...faultTable({
    'V2-GEN-01': {
      'v2-reply-without-message: The members of message are at the top level of the response.':
        onSuccessBody(v2Generate, (body) => toObject(body['message'])),
      'v2-reply-content-missing: The message of a reply omits content.': setFields(v2Generate, {
        'message.content': undefined,
      }),
      'v2-reply-content-in-parts: The content of a reply is an array of parts.': setFields(
        v2Generate,
        { 'message.content': (text: string) => [{ type: 'text', text }] },
      ),
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
    'V2-GEN-03': {
      'v2-reply-include-wins: If both tool lists are sent, exclude_tools is ignored.':
        onRequestBody(v2Generate, (body) =>
          hasBothLists(body) ? { ...body, exclude_tools: undefined } : body,
        ),
      'v2-reply-exclude-wins: If both tool lists are sent, include_tools is ignored.':
        onRequestBody(v2Generate, (body) =>
          hasBothLists(body) ? { ...body, include_tools: undefined } : body,
        ),
    },
    'V2-GEN-04': {
      'v2-reply-exclude-refused: A v2 generation with exclude_tools is rejected.': rejectRequests(
        v2Generate,
        ({ exclude_tools: list }) => Array.isArray(list),
      ),
      'v2-reply-exclude-ignored: exclude_tools is ignored in a v2 generation.': onRequestBody(
        v2Generate,
        (body) => {
          const { exclude_tools: list } = body
          const isRight = Array.isArray(list) && list.every(isText) && !hasBothLists(body)
          return isRight ? { ...body, exclude_tools: [] } : body
        },
      ),
    },
    'V2-GEN-05': {
      'v2-reply-exclude-of-numbers: A v2 generation with numbers in exclude_tools is accepted.':
        ignoreField(
          v2Generate,
          'exclude_tools',
          (list) => !Array.isArray(list) || list.every(isText),
        ),
    },
  }),
  acceptWrongType('chat', 'chat_id', flattenField(v2Generate, 'chat_id', 'id')),
  acceptWrongType('parent', 'parent_id', flattenField(v2Generate, 'parent_id', 'id')),
  acceptWrongType(
    'model',
    'model_id',
    ignoreField(v2Generate, 'model_id', (id) => id === undefined || isText(id), mainModel),
  ),
  acceptWrongType(
    'exclude',
    'exclude_tools',
    ignoreField(v2Generate, 'exclude_tools', Array.isArray),
  ),
  rejectReplyModel('alias', 'V2-MODEL-01', mainAlias),
  rejectReplyModel('vision', 'V2-MODEL-02', visionModel),
  misreadRag('on-ignored', 'V2-RAG-01', true, false),
  misreadRag('off-ignored', 'V2-RAG-02', false, true),
  misreadRag('unasked', 'V2-RAG-02', undefined, true),
  misreadRag('agent-searches', 'V2-RAG-03', 'agent', true),
  rejectMessageModel('alias', 'V2-MODEL-01', mainAlias),
  rejectMessageModel('vision', 'V2-MODEL-02', visionModel),
]

function rejectReplyModel(name: string, requirement: RequirementId, model: string): Fault {
  return {
    name: `v2-reply-${name}-unknown`,
    summary: `POST /api/v2/message/generate rejects the model ${model}, which POST /api/v2/message accepts.`,
    breaks: [requirement],
    patch: rejectRequests(v2Generate, ({ model_id }) => model_id === model, 404),
  }
}

function acceptWrongType(name: string, field: string, patch: Patch): Fault {
  return {
    name: `v2-reply-${name}-of-any-type`,
    summary: `A v2 generation with ${field} of the wrong type is accepted.`,
    breaks: ['V2-GEN-05'],
    patch,
  }
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

function misreadRag(
  name: string,
  requirement: RequirementId,
  sent: unknown,
  taken: boolean,
): Fault {
  return {
    name: `v2-rag-${name}`,
    summary: `${sent === undefined ? 'A missing rag' : `rag: ${sent}`} is treated as rag: ${taken} in v2.`,
    breaks: [requirement],
    patch: onRequestBody(storeMessage, (body) =>
      body['rag'] === sent ? { ...body, rag: taken } : body,
    ),
  }
}

function rejectMessageModel(name: string, requirement: RequirementId, model: string): Fault {
  return {
    name: `v2-model-${name}-unknown`,
    summary: `POST /api/v2/message rejects the model ${model} with 404.`,
    breaks: [requirement],
    patch: rejectRequests(storeMessage, ({ model_id: id }) => id === model, 404),
  }
}
