/** Faults of the two versions of chats (sections 3, 7 and 9): refusals, hints, and what they leave. */
import type { RequirementId } from '../../../contract/index.ts'
import type { Call, Reply, ValueReply } from '../../http/call.ts'
import type { Patch, Services } from '../../services.ts'
import { isText, toObject } from '../patches/json.ts'
import { alsoDo, onError, onReply } from '../patches/replies.ts'
import {
  addFavorite,
  changeChat,
  chatFiles,
  deleteChat,
  fileList,
  nameChat,
  type RoutePattern,
  readChat,
  removeFavorite,
  storeMessage,
  upload,
  v2Generate,
  v3Generate,
  v3History,
} from '../patches/routes.ts'
import { compose, onStore } from '../patches/services.ts'
import type { Fault } from '../types.ts'

const emptyPage = { result: [], pagination: { cursor: null } }
const response = { id: 'resp_1', object: 'response', status: 'completed', output: [] }

export const versionFaults: readonly Fault[] = [
  updated('alone', ({ name }) => name === undefined),
  updated('with-a-name', ({ name }) => name !== undefined),
  {
    name: 'version-shown-as-updated',
    summary:
      'After an update with a version, the chat is shown with that version, though it is v3.',
    breaks: ['VER-02'],
    patch: shownAsUpdated,
  },
  ...accepted({
    history: ['VER-03', v3History, emptyPage],
    generation: ['VER-04', v3Generate, response],
    read: ['VER-05', readChat, { id: 'known' }],
    update: ['VER-05', changeChat, { id: 'known' }],
    title: ['VER-05', nameChat, { name: 'A title' }],
    'favorite-added': ['VER-05', addFavorite, { ok: true }],
    'favorite-removed': ['VER-05', removeFavorite, { ok: true }],
    files: ['VER-05', chatFiles, emptyPage],
    'file-list': ['VER-05', fileList, emptyPage],
    upload: ['VER-05', upload, { id: 'known' }],
    deletion: ['VER-05', deleteChat, { ok: true }],
    message: ['VER-07', storeMessage, { id: 'known' }],
    reply: ['VER-08', v2Generate, { message: { content: 'Blue.' } }],
  }),
  {
    name: 'version-stream-accepted',
    summary: 'A stream in a v2 chat is generated; one JSON body is refused.',
    breaks: ['VER-04'],
    patch: onReply(v3Generate, (reply, { body }) =>
      isRefusal(reply) && toObject(body)['stream'] === true
        ? { status: 200, body: response }
        : reply,
    ),
  },
  ...hinted('another', 'names the prefix that was called', (hint) =>
    hint.replaceAll(/v[23]/g, (version) => (version === 'v2' ? 'v3' : 'v2')),
  ),
  ...hinted('missing', 'says that there is no such chat', () => 'No such chat'),
  {
    name: 'version-hint-vague',
    summary: 'The error of an update of a v2 chat names a version, and no prefix.',
    breaks: ['VER-05'],
    patch: saying(changeChat, () => 'This chat has version v2'),
  },
  left('deletes', 'deletes it', 'VER-06', deleteChat, ({ store }, caller, chat) =>
    store.chats.delete(caller, chat),
  ),
  {
    name: 'version-refusal-favors',
    summary: 'A v2 chat that was refused as a favorite is one all the same, and listed.',
    breaks: ['VER-06'],
    patch: compose([
      alsoDo(addFavorite, ({ store }, call, reply) =>
        isRefusal(reply)
          ? store.chats.update(call.caller, chatOf(call), { favorite: true })
          : undefined,
      ),
      onStore('chats', ({ list }) => ({
        list: async (owner, asked) => {
          const page = await list(owner, asked)
          if (asked.favorite !== true) return page
          const older = await list(owner, { ...asked, version: 'v2' })
          return { ...page, rows: [...page.rows, ...older.rows] }
        },
      })),
    ]),
  },
  left('moves', 'makes it a v3 chat', 'VER-06', deleteChat, ({ store }, caller, chat) =>
    store.chats.update(caller, chat, moved('v3')),
  ),
  left('stores-the-message', 'stores the message', 'VER-09', storeMessage, storeInHistory),
  left('stores-the-reply', 'stores the question', 'VER-09', v2Generate, storeInHistory),
  left('empties', 'empties its history', 'VER-09', storeMessage, async ({ store }, caller, id) => {
    const chat = await store.chats.find(caller, id)
    await store.chats.delete(caller, id)
    if (chat !== undefined) await store.chats.create(chat)
  }),
  failing('history', v3History),
  failing('generation', v3Generate),
  failing('deletion', deleteChat),
  failing('message', storeMessage),
  failing('reply', v2Generate),
]

/** The refusal of a chat of the other version. */
function isRefusal(reply: Reply): boolean {
  return reply.status === 409 && 'body' in reply && JSON.stringify(reply.body).includes('use /api/')
}

/** Members that no type of a change allows: the version of a chat is fixed. */
function moved(
  version: 'v2' | 'v3',
): { readonly version: 'v2' | 'v3' } & { readonly name?: never } {
  return { version }
}

function updated(name: string, when: (body: Readonly<Record<string, unknown>>) => boolean): Fault {
  return {
    name: `version-updated-${name}`,
    summary: `An update makes a v3 chat a v2 chat, if the version comes ${name.replaceAll('-', ' ')}.`,
    breaks: ['VER-02'],
    patch: alsoDo(changeChat, ({ store }, { body, caller, params }, { status }) => {
      const sent = toObject(body)
      if (status >= 300 || sent['version'] !== 'v2' || !when(sent)) return undefined
      return store.chats.update(caller, params['chat_id'] ?? '', moved('v2'))
    }),
  }
}

function shownAsUpdated(services: Services): Services {
  const versions = new Map<string | undefined, unknown>()
  const remembered = alsoDo(changeChat, (_, { body, params }, { status }) => {
    const { version } = toObject(body)
    if (status < 300 && version !== undefined) versions.set(params['chat_id'], version)
    return undefined
  })
  return onReply(readChat, (reply, { params }) => {
    const version = versions.get(params['chat_id'])
    if ('blocks' in reply || version === undefined) return reply
    return { ...reply, body: { ...toObject(reply.body), version } }
  })(remembered(services))
}

type Acceptance = readonly [row: RequirementId, route: RoutePattern, body: object]

/** One route takes a chat of the other version as if it were of its own. */
function accepted(routes: Readonly<Record<string, Acceptance>>): readonly Fault[] {
  return Object.entries(routes).map(
    ([name, [row, route, body]]): Fault => ({
      name: `version-${name}-accepted`,
      summary: `${route} takes a chat of the other version.`,
      breaks: [row],
      patch: onReply(route, (reply) => (isRefusal(reply) ? { status: 200, body } : reply)),
    }),
  )
}

/** One route refuses a chat of the other version with other words. */
function hinted(name: string, what: string, words: (hint: string) => string): readonly Fault[] {
  const routes: readonly (readonly [string, RequirementId, RoutePattern])[] = [
    ['history', 'VER-03', v3History],
    ['generation', 'VER-04', v3Generate],
    ['read', 'VER-05', readChat],
    ['deletion', 'VER-05', deleteChat],
    ['message', 'VER-07', storeMessage],
    ['reply', 'VER-08', v2Generate],
  ]
  return routes.map(
    ([operation, row, route]): Fault => ({
      name: `version-${operation}-hint-${name}`,
      summary: `${route} refuses a chat of the other version, and ${what}.`,
      breaks: [row],
      patch: saying(route, words),
    }),
  )
}

function saying(route: RoutePattern, words: (hint: string) => string): Patch {
  return onError(route, (reply) => {
    const { detail } = toObject(reply.body)
    if (!isRefusal(reply) || !isText(detail)) return reply
    return { ...reply, body: { error: words(detail) } }
  })
}

type Deed = (services: Services, caller: string, chat: string) => Promise<unknown>

/** A refused call on a chat of the other version does something to it all the same. */
function left(
  name: string,
  what: string,
  row: RequirementId,
  route: RoutePattern,
  act: Deed,
): Fault {
  return {
    name: `version-refusal-${name}`,
    summary: `${route} refuses a chat of the other version, and ${what} all the same.`,
    breaks: [row],
    patch: alsoDo(route, (services, call, reply) =>
      isRefusal(reply) ? act(services, call.caller, chatOf(call)) : undefined,
    ),
  }
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

function chatOf({ body, params }: Call): string {
  return params['chat_id'] ?? String(toObject(body)['chat_id'])
}

function failing(name: string, route: RoutePattern): Fault {
  return {
    name: `version-${name}-500`,
    summary: `${route} answers a chat of the other version with a 500 that names the prefix.`,
    breaks: ['VER-10'],
    patch: onError(
      route,
      (reply): ValueReply => (isRefusal(reply) ? { ...reply, status: 500 } : reply),
    ),
  }
}
