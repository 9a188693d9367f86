/** Faults of rejected calls and updates that change the version or the chat (sections 2.5, 3 and 9). */
import type { Patch, Services } from '../../../services.ts'
import type { ChatStore } from '../../../store/types.ts'
import { isText, toObject } from '../../patches/json.ts'
import { alsoDo, onSuccess } from '../../patches/replies.ts'
import {
  changeChat,
  deleteChat,
  type RoutePattern,
  readChat,
  storeMessage,
  v2Generate,
  v3Generate,
} from '../../patches/routes.ts'
import { chatIdOf, compose, onStore } from '../../patches/services.ts'
import { faultTable } from '../../table.ts'
import { isRefusal } from './refusals.ts'

type SideEffect = (services: Services, caller: string, chat: string) => Promise<unknown>

export const versionSideEffectFaults = faultTable({
  'VER-06': {
    'version-refusal-stores-the-question: A rejected v3 generation in a v2 chat adds its input to the context of the chat.':
      rememberRejectedInput,
    'version-refusal-empties-the-v2-chat: DELETE /chat/{chat_id} rejects a v2 chat but still deletes its messages.':
      alsoDo(deleteChat, async ({ store }, { caller, params }, { status }) => {
        const chat = await store.chats.find(caller, params['chat_id'] ?? '')
        if (status < 400 || chat?.version !== 'v2') return
        await store.chats.delete(caller, chat.id)
        await store.chats.create(chat)
      }),
    'version-refusal-deletes: DELETE /api/v3/chat/{chat_id} rejects a chat of the other version but still deletes it.':
      sideEffect(deleteChat, ({ store }, caller, chat) => store.chats.delete(caller, chat)),
  },
  'VER-09': {
    'version-refusal-stores-the-message: POST /api/v2/message rejects a chat of the other version but still stores the message.':
      sideEffect(storeMessage, storeInHistory),
    'version-refusal-stores-the-reply: POST /api/v2/message/generate rejects a chat of the other version but still stores a message.':
      sideEffect(v2Generate, storeInHistory),
  },
  'VER-02': {
    'version-shown-as-updated: After a PATCH with version, GET /chat/{chat_id} returns that version; the chat remains v3.':
      showUpdatedVersion,
    'version-updated-alone: PATCH /chat/{chat_id} with only a version converts a v3 chat to v2.':
      updateVersion(({ name }) => name === undefined),
    'version-updated-with-a-name: PATCH /chat/{chat_id} with a version and a name converts a v3 chat to v2.':
      updateVersion(({ name }) => name !== undefined),
  },
})
/** A rejected call on a chat of the other version still changes it. */
function sideEffect(route: RoutePattern, act: SideEffect): Patch {
  return alsoDo(route, (services, call, reply) =>
    isRefusal(reply) ? act(services, call.caller, chatIdOf(call)) : undefined,
  )
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

/** Adds the input of rejected generations before the last message of the chat. */
function rememberRejectedInput(...[services]: Parameters<Patch>): Services {
  const rejected = new Map<string, string[]>()
  return compose([
    alsoDo(v3Generate, async (_, call, reply) => {
      const { input } = toObject(call.body)
      if (!isRefusal(reply) || !isText(input)) return
      rejected.set(chatIdOf(call), [...(rejected.get(chatIdOf(call)) ?? []), input])
    }),
    onStore('messages', ({ chain }) => ({
      chain: async (chatId, id) => {
        const messages = await chain(chatId, id)
        const added = messages
          .slice(0, 1)
          .flatMap((first) => rejected.get(chatId)?.map((content) => ({ ...first, content })) ?? [])
        return [...messages.slice(0, -1), ...added, ...messages.slice(-1)]
      },
    })),
  ])(services)
}

function updateVersion(when: (body: Readonly<Record<string, unknown>>) => boolean): Patch {
  return alsoDo(changeChat, ({ store }, { body, caller, params }, { status }) => {
    const sent = toObject(body)
    if (status >= 300 || sent['version'] !== 'v2' || !when(sent)) return undefined
    return convert(store.chats, caller, params['chat_id'] ?? '')
  })
}

/** The version of a chat is fixed, so that it is created again. */
async function convert(chats: ChatStore, owner: string, id: string): Promise<void> {
  const chat = await chats.find(owner, id)
  if (chat === undefined) return
  await chats.delete(owner, id)
  await chats.create({ ...chat, version: 'v2' })
}

function showUpdatedVersion(services: Services): Services {
  const versions = new Map<string | undefined, unknown>()
  const remembered = alsoDo(changeChat, (_, { body, params }, { status }) => {
    const { version } = toObject(body)
    if (status < 300 && version !== undefined) versions.set(params['chat_id'], version)
    return undefined
  })
  return onSuccess(readChat, (reply, { params }) => {
    const version = versions.get(params['chat_id'])
    if (version === undefined) return reply
    return { ...reply, body: { ...toObject(reply.body), version } }
  })(remembered(services))
}
