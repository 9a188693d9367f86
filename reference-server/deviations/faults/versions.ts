/** Faults of the version of a chat: refusals, hints, side effects and updates (sections 2.5, 3, 7 and 9). */
import type { RequirementId } from '../../../contract/index.ts'
import type { OperationId } from '../../../contract/operations.ts'
import type { Reply, ValueReply } from '../../http/call.ts'
import type { Patch, Services } from '../../services.ts'
import type { Chat } from '../../store/types.ts'
import { isText, type Json, toObject } from '../patches/json.ts'
import { alsoDo, onReply, onSuccessBody } from '../patches/replies.ts'
import { chatIdOf, routeText } from '../patches/routes.ts'
import { mapping, onStore } from '../patches/services.ts'
import { type Fault, faultTable } from '../table.ts'

const page = { result: [], pagination: { cursor: null } }
const response = { id: 'resp_1', object: 'response', status: 'completed', output: [] }

/** Requirement, name and route of the refusals of the other version, and the body with which a fault accepts it. */
const refusals: readonly (readonly [RequirementId, string, OperationId, object])[] = [
  ['VER-03', 'history', 'v3.history', page],
  ['VER-04', 'generation', 'v3.generate', response],
  ['VER-05', 'read', 'v3.chat', { id: 'known' }],
  ['VER-05', 'update', 'v3.updateChat', { id: 'known' }],
  ['VER-05', 'title', 'v3.generateName', { name: 'A title' }],
  ['VER-05', 'favorite-added', 'v3.addFavorite', { ok: true }],
  ['VER-05', 'favorite-removed', 'v3.removeFavorite', { ok: true }],
  ['VER-05', 'files', 'v3.chatAttachments', page],
  ['VER-05', 'deletion', 'v3.deleteChat', { ok: true }],
  ['VER-07', 'message', 'v2.message', { id: 'known' }],
  ['VER-08', 'reply', 'v2.generate', { message: { content: 'Blue.' } }],
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
      changeHint('v3.updateChat', () => 'This chat has version v2'),
    'VER-10 version-history-500: GET /api/v3/message returns 500 with the hint for a chat of the other version.':
      failWith500('v3.history'),
    'VER-10 version-generation-500: POST /api/v3/message/generate returns 500 with the hint for a chat of the other version.':
      failWith500('v3.generate'),
    'VER-10 version-deletion-500: DELETE /api/v3/chat/{chat_id} returns 500 with the hint for a chat of the other version.':
      failWith500('v3.deleteChat'),
    'VER-06 version-refusal-stores-the-question: A rejected v3 generation in a v2 chat adds its input to the context of the chat.':
      mapping<string[]>((rejected) => [
        sideEffect('v3.generate', (_, __, chat, { input }) => {
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
      sideEffect('v3.deleteChat', (services, caller, chat) =>
        createAnew(services, caller, chat, {}),
      ),
    'VER-06 version-refusal-deletes: DELETE /api/v3/chat/{chat_id} rejects a chat of the other version but still deletes it.':
      sideEffect('v3.deleteChat', ({ store }, caller, chat) => store.chats.delete(caller, chat)),
    'VER-09 version-refusal-stores-the-message: POST /api/v2/message rejects a chat of the other version but still stores the message.':
      sideEffect('v2.message', storeInHistory),
    'VER-09 version-refusal-stores-the-reply: POST /api/v2/message/generate rejects a chat of the other version but still stores a message.':
      sideEffect('v2.generate', storeInHistory),
    'VER-02 version-shown-as-updated: After a PATCH with version, GET /chat/{chat_id} returns that version; the chat remains v3.':
      mapping<object>((versions) => [
        onSuccessBody('v3.updateChat', (body, call) => {
          const { version } = toObject(call.body)
          if (version !== undefined) versions.set(chatIdOf(call), { version })
          return body
        }),
        onSuccessBody('v3.chat', (chat, call) => ({ ...chat, ...versions.get(chatIdOf(call)) })),
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

function onRefusal(route: OperationId, change: (refusal: ValueReply) => Reply): Patch {
  return onReply(route, (reply) => (isRefusal(reply) ? change(reply) : reply))
}

function changeHint(route: OperationId, words: (hint: string) => string): Patch {
  return onRefusal(route, (reply) => {
    const { detail } = toObject(reply.body)
    return isText(detail) ? { ...reply, body: { error: words(detail) } } : reply
  })
}

function failWith500(route: OperationId): Patch {
  return onRefusal(route, (reply) => ({ ...reply, status: 500 }))
}

/** A rejected call on a chat of the other version still changes it. */
function sideEffect(
  route: OperationId,
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
  return alsoDo('v3.updateChat', async (services, call, { status }) => {
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
