/** Faults of the chat routes (sections 2.5 and 4.3): create, read, update, delete, name. */
import type { Patch } from '../../../../services.ts'
import type { Chat, ChatChange, ChatStore, Page } from '../../../../store/types.ts'
import { isText, setAt, toObject } from '../../../patches/json.ts'
import { failAfterSuccess, onError, onSuccess, setFields } from '../../../patches/replies.ts'
import { ignoreField, onRequestBody } from '../../../patches/requests.ts'
import { changeChat, createChat, deleteChat, readChat, v3History } from '../../../patches/routes.ts'
import { compose, editChatChanges, onStore, perServer } from '../../../patches/services.ts'
import { faultTable } from '../../../table.ts'
import type { Fault } from '../../../types.ts'

const emptyHistory = { status: 200, body: { result: [], pagination: { cursor: null } } }
export const chatManagementFaults: readonly Fault[] = [
  ...faultTable({
    'V3-CHAT-02': {
      'chat-name-lost: POST /chat ignores name: every chat is named New chat.': changeNewNames(
        () => undefined,
      ),
      'chat-name-first-word: Only the first word of a chat name is stored.': changeNewNames(
        (name) => name.split(' ')[0] ?? '',
      ),
      'chat-name-escaped-as-html: Chat names are stored with the escapes of HTML.': changeNewNames(
        (name) => name.replaceAll('&', '&amp;').replaceAll('<', '&lt;'),
      ),
    },
    'V3-CHAT-04': {
      'chat-read-another: GET /chat/{chat_id} returns a chat with another id.': setFields(
        readChat,
        { id: (id: string) => id.split('').toReversed().join('') },
      ),
      'chat-read-says-ok: GET /chat/{chat_id} returns {"ok": true} instead of the chat.': onSuccess(
        readChat,
        () => ({ status: 200, body: { ok: true } }),
      ),
    },
    'V3-CHAT-10': {
      'chat-update-refused: PATCH /chat/{chat_id} returns 405.': failAfterSuccess(changeChat, 405),
      'chat-update-forgotten: PATCH /chat/{chat_id} returns the new name but does not store it.':
        compose([
          onSuccess(changeChat, (reply, call) => ({
            ...reply,
            body: { ...toObject(reply.body), ...toObject(call.body) },
          })),
          onRequestBody(changeChat, () => ({})),
        ]),
      'chat-update-nothing: PATCH /chat/{chat_id} succeeds but changes nothing.': onRequestBody(
        changeChat,
        () => ({}),
      ),
    },
    'V3-CHAT-11': {
      'chat-delete-forgotten: DELETE /chat/{chat_id} succeeds but does not delete the chat.':
        onStore('chats', () => ({ delete: async () => true })),
      'chat-delete-hides: A deleted chat is no longer listed but still readable.': onStore(
        'chats',
        ({ list }) => {
          const hidden = new Set<string>()
          return {
            delete: async (_, id) => hidden.add(id).has(id),
            list: async (...given) => withoutIds(await list(...given), hidden),
          }
        },
      ),
      'chat-delete-keeps-listing: A deleted chat is no longer readable but still listed.': onStore(
        'chats',
        ({ find }) => {
          const deletedIds = new Set<string>()
          return {
            delete: async (_, id) => deletedIds.add(id).has(id),
            find: async (owner, id) => (deletedIds.has(id) ? undefined : find(owner, id)),
          }
        },
      ),
      'chat-delete-keeps-history: GET /message returns 200 with an empty history for a deleted chat.':
        perServer(() => {
          const deletedIds = new Set<unknown>()
          return compose([
            onSuccess(deleteChat, (reply, { params }) => {
              deletedIds.add(params['chat_id'])
              return reply
            }),
            onError(v3History, (reply, { query }) =>
              deletedIds.has(toObject(query)['chat_id']) ? emptyHistory : reply,
            ),
          ])
        }),
    },
    'V3-CHAT-13': {
      'chat-update-spreads: An update of a chat renames all chats with the same name.': onStore(
        'chats',
        (chats) => ({
          update: async (owner, id, change) => {
            const { name } = change
            const others = name === undefined ? [] : await chatsOfSameName(chats, owner, id)
            for (const other of others) await chats.update(owner, other, { ...(name && { name }) })
            return chats.update(owner, id, change)
          },
        }),
      ),
      'chat-delete-spreads: The deletion of a chat deletes all chats with the same name.': onStore(
        'chats',
        (chats) => ({
          delete: async (owner, id) => {
            for (const other of await chatsOfSameName(chats, owner, id))
              await chats.delete(owner, other)
            return chats.delete(owner, id)
          },
        }),
      ),
    },
    'V3-CHAT-14': {
      'chat-name-of-any-type: POST /chat with name of the wrong type is accepted.': ignoreField(
        createChat,
        'name',
        isText,
      ),
    },
  }),
  changeTitle('unchanged', 'is the current name of the chat', ({ name: _, ...change }) => change),
  changeTitle('empty', 'is empty', (change) => ({ ...change, name: '' })),
  changeTitle('a-dash', 'contains no letters', (change) => ({ ...change, name: '–' })),
]
/** Maps the names of new chats. */
function changeNewNames(make: (name: string) => string | undefined): Patch {
  return onRequestBody(createChat, (body) =>
    setAt(body, 'name', (name: unknown) => (isText(name) ? make(name) : name)),
  )
}

/** A title is recognized as a change of the name without a change of favorite. */
function changeTitle(name: string, what: string, make: (change: ChatChange) => ChatChange): Fault {
  return {
    name: `chat-title-${name}`,
    summary: `The generated title ${what}.`,
    breaks: ['V3-CHAT-12'],
    patch: editChatChanges((change) =>
      change.name !== undefined && change.favorite === undefined ? make(change) : change,
    ),
  }
}

async function chatsOfSameName(
  chats: ChatStore,
  owner: string,
  id: string,
): Promise<readonly string[]> {
  const name = (await chats.find(owner, id))?.name
  const { rows } = await chats.list(owner, { version: 'v3', limit: 1000 })
  return rows.filter((chat) => chat.name === name && chat.id !== id).map((chat) => chat.id)
}

function withoutIds({ rows, next }: Page<Chat>, ids: ReadonlySet<string>): Page<Chat> {
  return { rows: rows.filter(({ id }) => !ids.has(id)), next }
}
