/** Servers that accept only documented fields, require further fields, or limit the rate. */
import { isUuid } from '../../../contract/json.ts'
import { ApiError } from '../../http/errors.ts'
import type { Patch } from '../../services.ts'
import { newChat } from '../../surfaces/chats.ts'
import { onReply, onSuccess, onSuccessBody } from '../patches/replies.ts'
import {
  chatIdOf,
  type FaultyOperation,
  onRequest,
  onRequestBody,
  rejectRequests,
} from '../patches/requests.ts'
import { compose, counting, mapping, onStore, remembering } from '../patches/services.ts'
import { dialectTable } from '../table.ts'

/** Section 4: the fields of each body. */
const listedFields: readonly (readonly [FaultyOperation, fields: string])[] = [
  ['openai.chat', 'model messages temperature max_tokens top_p stream stop'],
  ['v2.message', 'chat_id content model_id assistant_id parent_id think rag attachments'],
  ['v2.generate', 'chat_id parent_id model_id exclude_tools include_tools'],
  [
    'v3.generate',
    `stream chat_id assistant_id model_id input parent_id think rag include_tools exclude_tools
     max_tokens temperature top_p presence_penalty`,
  ],
  ['v3.oneShot', 'stream model_id input content runs assistant_id kb_id rag assistant'],
  ['v3.createChat', 'name'],
]

export const strictness = dialectTable({
  'listed-fields-only: A request with a field that the document does not list is rejected.':
    compose(
      listedFields.map(([route, fields]) => {
        const listed = new Set(fields.split(/\s+/))
        return rejectRequests(route, (body) => Object.keys(body).some((name) => !listed.has(name)))
      }),
    ),
  'models-as-a-list-alone: GET /models/{model} returns 404: the document shows only the list.':
    rejectRequests('openai.model', () => true, 404),
  'include-tools-not-yet: v2 generation rejects include_tools, which is under development.':
    rejectRequests('v2.generate', (body) => body['include_tools'] !== undefined, 400),
  'guesses-refused: A one-shot with assistant or runs, whose structure the document does not show, is rejected.':
    {
      profile: { requests: { assistant: null, runs: null } },
      patch: rejectRequests(
        'v3.oneShot',
        ({ assistant, runs }) => assistant !== undefined || runs !== undefined,
      ),
    },
  'both-tool-lists-on-one-shot: A one-shot with both tool lists is rejected, as in chat generation.':
    rejectRequests(
      'v3.oneShot',
      (body) => body['include_tools'] !== undefined && body['exclude_tools'] !== undefined,
    ),
  'requires-assistant-id: A v3 generation without assistant_id is rejected with 422 and an error that names the field.':
    {
      excludes: ['errors-empty'],
      patch: rejectRequests(
        'v3.generate',
        (body) => body['assistant_id'] === undefined,
        422,
        'body.assistant_id: field required',
      ),
    },
  'requires-sampling: Chat completions require max_tokens and temperature; an error names only one missing field.':
    {
      excludes: ['errors-empty'],
      patch: compose(
        ['max_tokens', 'temperature'].map((name) =>
          rejectRequests(
            'openai.chat',
            (body) => !(name in body),
            400,
            `Missing required parameter: '${name}'.`,
          ),
        ),
      ),
    },
  'chat-needs-a-folder: POST /chat requires folder, which the profile sets.': {
    profile: { requests: { createChat: { folder: 'inbox' } } },
    excludes: ['listed-fields-only'],
    patch: compose([
      rejectRequests('v3.createChat', ({ folder }) => typeof folder !== 'string'),
      onSuccessBody('v3.createChat', (chat) => ({ ...chat, folder: 'inbox' })),
    ]),
  },
  'short-names: A chat name of more than 64 characters is rejected.': rejectRequests(
    ['v3.createChat', 'v3.updateChat'],
    ({ name }) => String(name).length > 64,
  ),
  'short-inputs: An input of more than 32 items is rejected with 413.': rejectRequests(
    'v3.generate',
    ({ input }) => Array.isArray(input) && input.length > 32,
    413,
  ),
  'file-names-in-ascii: An upload with a file name beyond ASCII is rejected with 422.': onStore(
    'attachments',
    ({ add }) => ({
      add: async (attachment) => {
        if (/^[ -~]*$/.test(attachment.filename)) return add(attachment)
        throw new ApiError(422, 'The file name must be ASCII')
      },
    }),
  ),
  'uploads-need-a-chat: An upload without chat_id is rejected with 422.': rejectRequests(
    'v3.upload',
    ({ chat_id }) => chat_id === undefined,
    422,
  ),
  'titles-after-a-turn: A title for a chat without a turn since the last one is rejected with 409.':
    remembering((withTurn) => [
      onRequest('v3.generate', (call) => withTurn.add(chatIdOf(call)) && call),
      rejectRequests('v3.generateName', (_, call) => !withTurn.has(chatIdOf(call)), 409),
      onSuccess('v3.generateName', (reply, call) => {
        withTurn.delete(chatIdOf(call))
        return reply
      }),
    ]),
  'titles-without-a-body: A request for a title that has a body is rejected with 400.':
    rejectRequests('v3.generateName', (_, { headers }) => Number(headers['content-length']) > 0),
  'titles-of-a-model: A request for a title without model_id is rejected with 422.': {
    excludes: ['titles-without-a-body'],
    patch: rejectRequests('v3.generateName', ({ model_id }) => model_id === undefined, 422),
  },
  'chat-names-once: A name that was given to a chat before is rejected with 409.': remembering(
    (names) => [
      rejectRequests('v3.createChat', ({ name }) => names.has(String(name)), 409),
      onSuccessBody('v3.createChat', (chat) => names.add(String(chat['name'])) && chat),
    ],
  ),
  'chats-remember-by-themselves: A v3 generation continues the latest run of its chat even without parent_id.':
    mapping<string>((latest) => [
      onRequestBody('v3.generate', (body) => {
        const parent = latest.get(body['chat_id'])
        return parent === undefined ? body : { parent_id: parent, ...body }
      }),
      onStore('history', ({ append }) => ({
        append: async (chatId, run) => {
          await append(chatId, run)
          latest.set(chatId, run.id)
        },
      })),
    ]),
  'v2-chats-of-any-uuid: The first v2 message creates its chat with any UUID.': {
    profile: { v2Chat: { create: null, anyUuid: true } },
    excludes: ['v2-chats-that-are-there'],
    patch: createChatsOnFirstMessage(),
  },
  'v2-chats-that-are-there: v2 chats cannot be created; the profile names three existing chats.': {
    profile: { v2Chat: { create: null, ids: [1, 2, 3].map(chatId) } },
    patch: withChats([1, 2, 3].map(chatId)),
  },
  'busy-after-a-turn: After a turn, the first request for a reply or a new name in its chat is rejected with 409 and Retry-After: 0.':
    busyAfterATurn(['v3.generate', 'v3.updateChat'], () => tooEarly(409, storing)),
  'busy-for-a-moment: After a turn, the first request for another one in its chat is rejected with 409.':
    busyAfterATurn(['v3.generate'], () => new ApiError(409, storing)),
  'busy-after-left-streams: After its client has left a slow stream, a chat takes no other turn for 15 seconds.':
    mapping<number>((left) => [
      (services) => ({ ...services, timing: (count) => services.timing(count, { gapMs: 10 }) }),
      onRequest('v3.generate', (call) => {
        const chat = chatIdOf(call)
        if (Date.now() < (left.get(chat) ?? 0) + 15_000) throw new ApiError(409, storing)
        call.signal.addEventListener('abort', () => left.set(chat, Date.now()))
        return call
      }),
    ]),
  'busy-now-and-then: Every 80th request is rejected with 429 and Retry-After: 0.': counting(
    (next) => (services) => ({
      ...services,
      incoming: (call) => {
        if (next() % 80 === 0) throw tooEarly(429, 'Too many requests')
        return services.incoming(call)
      },
    }),
  ),
})

function chatId(number: number): string {
  return `0b1e55ed-0000-4000-8000-00000000000${number}`
}

function withChats(ids: readonly string[]): Patch {
  return (services) => {
    for (const id of ids) {
      void services.store.chats.create({ ...newChat(services, 'caller-1', 'v2', id), id })
    }
    return services
  }
}

function createChatsOnFirstMessage(): Patch {
  return remembering((ids) => [
    onStore('chats', ({ create }) => ({ create: (chat) => create(ids.add(chat.id) && chat) })),
    (services) =>
      onRequestBody('v2.message', (body, { caller }) => {
        const id = body['chat_id']
        if (isUuid(id) && !ids.has(id)) {
          void services.store.chats.create({ ...newChat(services, caller, 'v2', id), id })
        }
        return body
      })(services),
  ])
}

const storing = 'The turn is being stored'

/** Rejects the first of these requests for a chat after a turn in it. */
function busyAfterATurn(operations: readonly FaultyOperation[], problem: () => ApiError): Patch {
  return remembering((busy) => [
    onRequest(operations, (call) => {
      if (busy.delete(chatIdOf(call))) throw problem()
      return call
    }),
    onReply('v3.generate', (reply, call) => {
      if (reply.status < 300) busy.add(chatIdOf(call))
      return reply
    }),
  ])
}

function tooEarly(status: number, message: string): ApiError {
  return new ApiError(status, message, null, null, { 'retry-after': '0' })
}
