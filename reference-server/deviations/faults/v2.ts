/** Faults of v2 messages, of the chain of parent_id, and of v2 generations, and of v2 next to v3 (sections 2.3, 3 and 4.2). */
import type { OperationId } from '../../../contract/operations.ts'
import type { Patch, Services } from '../../services.ts'
import type { Chat } from '../../store/types.ts'
import { newChat } from '../../surfaces/chats.ts'
import { isGiven, isText, type Json, setAt, toObject } from '../patches/json.ts'
import { alsoDo, isOfOtherVersion, onError, onSuccessBody, setFields } from '../patches/replies.ts'
import { chatIdOf, onRequest, onRequestBody } from '../patches/requests.ts'
import { compose, mapping, noteMessages, onStore, remembering } from '../patches/services.ts'
import { faultTable } from '../table.ts'

export const v2Faults = faultTable({
  'V2-MSG-02 v2-message-id-prefixed: Message ids have the prefix msg_, in responses and as parent_id.':
    compose([
      setFields('v2.message', { id: (uuid: string) => `msg_${uuid}` }),
      onRequestBody(['v2.message', 'v2.generate'], (body) =>
        setAt(body, 'parent_id', (id: unknown) => (isText(id) ? id.replace(/^msg_/, '') : id)),
      ),
    ]),
  'V2-CTX-01 v2-reply-to-the-latest-message: A v2 generation answers the latest message of the chat, whichever parent_id names.':
    mapping<string>((latest) => [
      noteMessages(({ role, chatId, id }) => role === 'user' && latest.set(chatId, id)),
      onStore('messages', ({ chain }) => ({
        chain: (chat, id) => chain(chat, latest.get(chat) ?? id),
      })),
    ]),
  'V2-MSG-11 V2-GEN-01 v2-message-not-stored: POST /message returns the message but does not store it.':
    onStore('messages', () => ({ append: async () => {} })),
  'V2-MSG-08 v2-message-needs-no-chat: A message without chat_id is accepted.': (services) =>
    onRequestBody('v2.message', (body, { caller }) => {
      if (isGiven(body['chat_id'])) return body
      const chat = newChat(services, caller, 'v2')
      void services.store.chats.create(chat)
      return { ...body, chat_id: chat.id }
    })(services),
  'V2-GEN-02 v2-reply-needs-no-parent: A v2 generation without parent_id is accepted: the last message of the chat is answered.':
    mapping<string>((last) => [
      noteMessages(({ chatId, id }) => last.set(chatId, id)),
      onRequestBody('v2.generate', (body) =>
        isGiven(body['parent_id']) ? body : { ...body, parent_id: last.get(body['chat_id']) },
      ),
    ]),
})

export const versionFaults = faultTable({
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
    sideEffect('v3.deleteChat', (services, caller, chat) => createAnew(services, caller, chat, {})),
  'VER-06 version-refusal-deletes: DELETE /api/v3/chat/{chat_id} rejects a chat of the other version but still deletes it.':
    sideEffect('v3.deleteChat', ({ store }, caller, chat) => store.chats.delete(caller, chat)),
  'VER-07 version-of-a-chat-without-turns: POST /api/v2/message accepts a v3 chat that has no turn yet.':
    acceptUnused('v3.generate', 'v2.message'),
  'VER-05 version-of-a-chat-without-messages: GET /chat/{chat_id} accepts a v2 chat that has no message yet.':
    acceptUnused('v2.message', 'v3.chat'),
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
})

/** Accepts calls on a chat of the other version before its first use. */
function acceptUnused(use: OperationId, route: OperationId): Patch {
  return remembering((used) => [
    onRequest(use, (call) => used.add(chatIdOf(call)) && call),
    onError(route, (reply, call) =>
      isOfOtherVersion(reply) && !used.has(chatIdOf(call))
        ? { status: 200, body: toObject(call.body) }
        : reply,
    ),
  ])
}

/** A rejected call on a chat of the other version still changes it. */
function sideEffect(
  route: OperationId,
  act: (services: Services, caller: string, chat: string, body: Json) => unknown,
): Patch {
  return alsoDo(route, async (services, call, reply) => {
    if (isOfOtherVersion(reply))
      await act(services, call.caller, chatIdOf(call), toObject(call.body))
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
