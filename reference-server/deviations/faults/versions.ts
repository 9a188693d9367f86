/** Faults of the version of a chat: refusals, hints, side effects and updates (sections 2.5, 3, 7 and 9). */
import type { RequirementId } from '../../../contract/index.ts'
import type { Reply, ValueReply } from '../../http/call.ts'
import type { Patch, Services } from '../../services.ts'
import type { Chat } from '../../store/types.ts'
import { isText, type Json, toObject } from '../patches/json.ts'
import { alsoDo, onReply, onSuccessBody } from '../patches/replies.ts'
import {
  addFavorite,
  changeChat,
  chatFiles,
  chatIdOf,
  deleteChat,
  nameChat,
  type RoutePattern,
  readChat,
  removeFavorite,
  routeText,
  storeMessage,
  v2Generate,
  v3Generate,
  v3History,
} from '../patches/routes.ts'
import { mapping, onStore } from '../patches/services.ts'
import { type Fault, faultTable } from '../table.ts'

const page = { result: [], pagination: { cursor: null } }
const response = { id: 'resp_1', object: 'response', status: 'completed', output: [] }

/** Requirement, name and route of the refusals of the other version, and the body with which a fault accepts it. */
const refusals: readonly (readonly [RequirementId, string, RoutePattern, object])[] = [
  ['VER-03', 'history', v3History, page],
  ['VER-04', 'generation', v3Generate, response],
  ['VER-05', 'read', readChat, { id: 'known' }],
  ['VER-05', 'update', changeChat, { id: 'known' }],
  ['VER-05', 'title', nameChat, { name: 'A title' }],
  ['VER-05', 'favorite-added', addFavorite, { ok: true }],
  ['VER-05', 'favorite-removed', removeFavorite, { ok: true }],
  ['VER-05', 'files', chatFiles, page],
  ['VER-05', 'deletion', deleteChat, { ok: true }],
  ['VER-07', 'message', storeMessage, { id: 'known' }],
  ['VER-08', 'reply', v2Generate, { message: { content: 'Blue.' } }],
]

/** Refusals with faults of their hint. */
const hinted = ['history', 'generation', 'read', 'deletion', 'message', 'reply']

export const versionFaults: readonly Fault[] = [
  ...refusals.flatMap(([id, name, route, body]) => {
    const refuses = `${routeText(route)} rejects a chat of the other version`
    return faultTable({
      [`${id} version-${name}-accepted: ${routeText(route)} accepts a chat of the other version.`]:
        onRefusal(route, () => ({ status: 200, body })),
      ...(hinted.includes(name) && {
        [`${id} version-${name}-hint-another: ${refuses}, but the hint names the requested prefix.`]:
          changeHint(route, (hint) => hint.replaceAll(/v[23]/g, (v) => (v === 'v2' ? 'v3' : 'v2'))),
        [`${id} version-${name}-hint-missing: ${refuses}, but the error is "No such chat" without a hint.`]:
          changeHint(route, () => 'No such chat'),
      }),
    })
  }),
  ...faultTable({
    'VER-05 version-hint-vague: PATCH /chat/{chat_id} rejects a v2 chat with a hint that names the version but no prefix.':
      changeHint(changeChat, () => 'This chat has version v2'),
    'VER-10 version-history-500: GET /api/v3/message returns 500 with the hint for a chat of the other version.':
      failWith500(v3History),
    'VER-10 version-generation-500: POST /api/v3/message/generate returns 500 with the hint for a chat of the other version.':
      failWith500(v3Generate),
    'VER-10 version-deletion-500: DELETE /api/v3/chat/{chat_id} returns 500 with the hint for a chat of the other version.':
      failWith500(deleteChat),
    'VER-06 version-refusal-stores-the-question: A rejected v3 generation in a v2 chat adds its input to the context of the chat.':
      mapping<string[]>((rejected) => [
        sideEffect(v3Generate, (_, __, chat, { input }) => {
          if (isText(input)) rejected.set(chat, [...(rejected.get(chat) ?? []), input])
        }),
        // Before the last message of the chat.
        onStore('messages', ({ chain }) => ({
          chain: async (chatId, id) => {
            const messages = await chain(chatId, id)
            const added = messages
              .slice(0, 1)
              .flatMap(
                (first) => rejected.get(chatId)?.map((content) => ({ ...first, content })) ?? [],
              )
            return [...messages.slice(0, -1), ...added, ...messages.slice(-1)]
          },
        })),
      ]),
    'VER-06 version-refusal-empties-the-v2-chat: DELETE /chat/{chat_id} rejects a v2 chat but still deletes its messages.':
      sideEffect(deleteChat, (services, caller, chat) => createAnew(services, caller, chat, {})),
    'VER-06 version-refusal-deletes: DELETE /api/v3/chat/{chat_id} rejects a chat of the other version but still deletes it.':
      sideEffect(deleteChat, ({ store }, caller, chat) => store.chats.delete(caller, chat)),
    'VER-09 version-refusal-stores-the-message: POST /api/v2/message rejects a chat of the other version but still stores the message.':
      sideEffect(storeMessage, storeInHistory),
    'VER-09 version-refusal-stores-the-reply: POST /api/v2/message/generate rejects a chat of the other version but still stores a message.':
      sideEffect(v2Generate, storeInHistory),
    'VER-02 version-shown-as-updated: After a PATCH with version, GET /chat/{chat_id} returns that version; the chat remains v3.':
      mapping<object>((shown) => [
        onSuccessBody(changeChat, (body, call) => {
          const { version } = toObject(call.body)
          if (version !== undefined) shown.set(chatIdOf(call), { version })
          return body
        }),
        onSuccessBody(readChat, (chat, call) => ({ ...chat, ...shown.get(chatIdOf(call)) })),
      ]),
    'VER-02 version-updated-alone: PATCH /chat/{chat_id} with only a version converts a v3 chat to v2.':
      updateVersion(({ name }) => name === undefined),
    'VER-02 version-updated-with-a-name: PATCH /chat/{chat_id} with a version and a name converts a v3 chat to v2.':
      updateVersion(({ name }) => name !== undefined),
  }),
]

/** The refusal of a chat of the other version. */
function isRefusal(reply: Reply): reply is ValueReply {
  return reply.status === 409 && 'body' in reply && JSON.stringify(reply.body).includes('use /api/')
}

function onRefusal(route: RoutePattern, change: (refusal: ValueReply) => Reply): Patch {
  return onReply(route, (reply) => (isRefusal(reply) ? change(reply) : reply))
}

function changeHint(route: RoutePattern, words: (hint: string) => string): Patch {
  return onRefusal(route, (reply) => {
    const { detail } = toObject(reply.body)
    return isText(detail) ? { ...reply, body: { error: words(detail) } } : reply
  })
}

function failWith500(route: RoutePattern): Patch {
  return onRefusal(route, (reply) => ({ ...reply, status: 500 }))
}

/** A rejected call on a chat of the other version still changes it. */
function sideEffect(
  route: RoutePattern,
  act: (services: Services, caller: string, chat: string, body: Json) => unknown,
): Patch {
  return alsoDo(route, async (services, call, reply) => {
    if (isRefusal(reply)) await act(services, call.caller, chatIdOf(call), toObject(call.body))
  })
}

async function storeInHistory({ store, ids, clock }: Services, _: string, chat: string) {
  await store.history.append(chat, {
    id: ids.tagged('resp'),
    parentId: null,
    createdAt: clock.now(),
    input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello.' }] }],
    output: [],
  })
}

function updateVersion(when: (body: Json) => boolean): Patch {
  return alsoDo(changeChat, async (services, call, { status }) => {
    const body = toObject(call.body)
    if (status >= 300 || body['version'] !== 'v2' || !when(body)) return
    await createAnew(services, call.caller, chatIdOf(call), { version: 'v2' })
  })
}

/** The version of a chat is fixed, so that a chat is created again to change it. */
async function createAnew({ store }: Services, owner: string, id: string, change: Partial<Chat>) {
  const chat = await store.chats.find(owner, id)
  if (chat === undefined) return
  await store.chats.delete(owner, id)
  await store.chats.create({ ...chat, ...change })
}
