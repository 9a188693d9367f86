/** Faults of the version of a chat: refusals, hints, side effects and updates (sections 2.5, 3, 7 and 9). */
import type { RequirementId } from '../../../contract/index.ts'
import type { Reply } from '../../http/call.ts'
import type { Patch, Services } from '../../services.ts'
import type { Store } from '../../store/sql/store.ts'
import { isText, toObject } from '../patches/json.ts'
import { alsoDo, onError, onReply, onSuccess, setErrorStatus } from '../patches/replies.ts'
import {
  addFavorite,
  changeChat,
  chatFiles,
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
import { chatIdOf, compose, onStore } from '../patches/services.ts'
import { type Fault, faultTable } from '../table.ts'

type Acceptance = readonly [requirement: RequirementId, route: RoutePattern, body: object]
const emptyPage = { result: [], pagination: { cursor: null } }

const response = { id: 'resp_1', object: 'response', status: 'completed', output: [] }
export const versionRefusalFaults: readonly Fault[] = [
  ...faultTable({
    'VER-05 version-hint-vague: PATCH /chat/{chat_id} rejects a v2 chat with a hint that names the version but no prefix.':
      changeHint(changeChat, () => 'This chat has version v2'),
    'VER-10 version-history-500: GET /api/v3/message returns 500 with the hint for a chat of the other version.':
      failWith500(v3History),
    'VER-10 version-generation-500: POST /api/v3/message/generate returns 500 with the hint for a chat of the other version.':
      failWith500(v3Generate),
    'VER-10 version-deletion-500: DELETE /api/v3/chat/{chat_id} returns 500 with the hint for a chat of the other version.':
      failWith500(deleteChat),
  }),
  ...acceptOtherVersion({
    history: ['VER-03', v3History, emptyPage],
    generation: ['VER-04', v3Generate, response],
    read: ['VER-05', readChat, { id: 'known' }],
    update: ['VER-05', changeChat, { id: 'known' }],
    title: ['VER-05', nameChat, { name: 'A title' }],
    'favorite-added': ['VER-05', addFavorite, { ok: true }],
    'favorite-removed': ['VER-05', removeFavorite, { ok: true }],
    files: ['VER-05', chatFiles, emptyPage],
    deletion: ['VER-05', deleteChat, { ok: true }],
    message: ['VER-07', storeMessage, { id: 'known' }],
    reply: ['VER-08', v2Generate, { message: { content: 'Blue.' } }],
  }),
  ...changeHints('another', 'the hint names the requested prefix', (hint) =>
    hint.replaceAll(/v[23]/g, (version) => (version === 'v2' ? 'v3' : 'v2')),
  ),
  ...changeHints('missing', 'the error is "No such chat" without a hint', () => 'No such chat'),
]
/** The refusal of a chat of the other version. */
export function isRefusal(reply: Reply): boolean {
  return reply.status === 409 && 'body' in reply && JSON.stringify(reply.body).includes('use /api/')
}

/** One route accepts a chat of the other version. */
function acceptOtherVersion(routes: Readonly<Record<string, Acceptance>>): readonly Fault[] {
  return Object.entries(routes).map(
    ([name, [requirement, route, body]]): Fault => ({
      name: `version-${name}-accepted`,
      summary: `${routeText(route)} accepts a chat of the other version.`,
      breaks: [requirement],
      patch: onReply(route, (reply) => (isRefusal(reply) ? { status: 200, body } : reply)),
    }),
  )
}

/** One route rejects a chat of the other version with another message. */
function changeHints(
  name: string,
  what: string,
  words: (hint: string) => string,
): readonly Fault[] {
  const routes: readonly (readonly [string, RequirementId, RoutePattern])[] = [
    ['history', 'VER-03', v3History],
    ['generation', 'VER-04', v3Generate],
    ['read', 'VER-05', readChat],
    ['deletion', 'VER-05', deleteChat],
    ['message', 'VER-07', storeMessage],
    ['reply', 'VER-08', v2Generate],
  ]
  return routes.map(
    ([operation, requirement, route]): Fault => ({
      name: `version-${operation}-hint-${name}`,
      summary: `${routeText(route)} rejects a chat of the other version, but ${what}.`,
      breaks: [requirement],
      patch: changeHint(route, words),
    }),
  )
}

function changeHint(route: RoutePattern, words: (hint: string) => string): Patch {
  return onError(route, (reply) => {
    const { detail } = toObject(reply.body)
    if (!isRefusal(reply) || !isText(detail)) return reply
    return { ...reply, body: { error: words(detail) } }
  })
}

function failWith500(route: RoutePattern): Patch {
  return setErrorStatus(route, 500, (_, reply) => isRefusal(reply))
}

type SideEffect = (services: Services, caller: string, chat: string) => Promise<unknown>

export const versionSideEffectFaults = faultTable({
  'VER-06 version-refusal-stores-the-question: A rejected v3 generation in a v2 chat adds its input to the context of the chat.':
    rememberRejectedInput,
  'VER-06 version-refusal-empties-the-v2-chat: DELETE /chat/{chat_id} rejects a v2 chat but still deletes its messages.':
    alsoDo(deleteChat, async ({ store }, { caller, params }, { status }) => {
      const chat = await store.chats.find(caller, params['chat_id'] ?? '')
      if (status < 400 || chat?.version !== 'v2') return
      await store.chats.delete(caller, chat.id)
      await store.chats.create(chat)
    }),
  'VER-06 version-refusal-deletes: DELETE /api/v3/chat/{chat_id} rejects a chat of the other version but still deletes it.':
    sideEffect(deleteChat, ({ store }, caller, chat) => store.chats.delete(caller, chat)),
  'VER-09 version-refusal-stores-the-message: POST /api/v2/message rejects a chat of the other version but still stores the message.':
    sideEffect(storeMessage, storeInHistory),
  'VER-09 version-refusal-stores-the-reply: POST /api/v2/message/generate rejects a chat of the other version but still stores a message.':
    sideEffect(v2Generate, storeInHistory),
  'VER-02 version-shown-as-updated: After a PATCH with version, GET /chat/{chat_id} returns that version; the chat remains v3.':
    showUpdatedVersion,
  'VER-02 version-updated-alone: PATCH /chat/{chat_id} with only a version converts a v3 chat to v2.':
    updateVersion(({ name }) => name === undefined),
  'VER-02 version-updated-with-a-name: PATCH /chat/{chat_id} with a version and a name converts a v3 chat to v2.':
    updateVersion(({ name }) => name !== undefined),
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
async function convert(chats: Store['chats'], owner: string, id: string): Promise<void> {
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
