/** Faults of the chat routes (sections 2.5 and 4.3): create, read, update, delete, name. */
import type { Patch } from '../../../../services.ts'
import type { Chat, ChatChange, ChatStore, Page } from '../../../../store/types.ts'
import { isText, setAt, toObject } from '../../../patches/json.ts'
import { failAfterSuccess, onError, onSuccess, setField } from '../../../patches/replies.ts'
import { ignoreField, onRequestBody } from '../../../patches/requests.ts'
import {
  changeChat,
  createChat,
  deleteChat,
  nameChat,
  readChat,
  v3History,
} from '../../../patches/routes.ts'
import { compose, onStore, perServer } from '../../../patches/services.ts'
import type { Fault } from '../../../types.ts'

const emptyHistory = { status: 200, body: { result: [], pagination: { cursor: null } } }

export const chatManagementFaults: readonly Fault[] = [
  {
    name: 'chat-name-lost',
    summary: 'POST /chat ignores name: every chat is named New chat.',
    breaks: ['V3-CHAT-02'],
    patch: changeNewNames(() => undefined),
  },
  {
    name: 'chat-name-first-word',
    summary: 'Only the first word of a chat name is stored.',
    breaks: ['V3-CHAT-02'],
    patch: changeNewNames((name) => name.split(' ')[0] ?? ''),
  },
  {
    name: 'chat-name-upper-case',
    summary: 'Chat names are stored in upper case.',
    breaks: ['V3-CHAT-02'],
    patch: changeNewNames((name) => name.toUpperCase()),
  },
  {
    name: 'chat-name-ascii',
    summary: 'Non-ASCII characters of a chat name are replaced by question marks.',
    breaks: ['V3-CHAT-02'],
    patch: changeNewNames((name) => name.replaceAll(/[^\0-\x7f]/g, '?')),
  },
  {
    name: 'chat-name-escaped-as-html',
    summary: 'Chat names are stored with the escapes of HTML.',
    breaks: ['V3-CHAT-02'],
    patch: changeNewNames((name) => name.replaceAll('&', '&amp;').replaceAll('<', '&lt;')),
  },
  {
    name: 'chat-read-refused',
    summary: 'GET /chat/{chat_id} returns 404 for an existing chat.',
    breaks: ['V3-CHAT-04'],
    patch: failAfterSuccess(readChat, 404),
  },
  {
    name: 'chat-read-another',
    summary: 'GET /chat/{chat_id} returns a chat with another id.',
    breaks: ['V3-CHAT-04'],
    patch: setField(readChat, 'id', (id: string) => id.split('').toReversed().join('')),
  },
  {
    name: 'chat-read-says-ok',
    summary: 'GET /chat/{chat_id} returns {"ok": true} instead of the chat.',
    breaks: ['V3-CHAT-04'],
    patch: onSuccess(readChat, () => ({ status: 200, body: { ok: true } })),
  },
  {
    name: 'chat-update-refused',
    summary: 'PATCH /chat/{chat_id} returns 405.',
    breaks: ['V3-CHAT-10'],
    patch: failAfterSuccess(changeChat, 405),
  },
  {
    name: 'chat-update-forgotten',
    summary: 'PATCH /chat/{chat_id} returns the new name but does not store it.',
    breaks: ['V3-CHAT-10'],
    patch: compose([
      onSuccess(changeChat, (reply, call) => ({
        ...reply,
        body: { ...toObject(reply.body), ...toObject(call.body) },
      })),
      onRequestBody(changeChat, () => ({})),
    ]),
  },
  {
    name: 'chat-update-nothing',
    summary: 'PATCH /chat/{chat_id} succeeds but changes nothing.',
    breaks: ['V3-CHAT-10'],
    patch: onRequestBody(changeChat, () => ({})),
  },
  {
    name: 'chat-delete-refused',
    summary: 'DELETE /chat/{chat_id} returns 405.',
    breaks: ['V3-CHAT-11'],
    patch: failAfterSuccess(deleteChat, 405),
  },
  {
    name: 'chat-delete-forgotten',
    summary: 'DELETE /chat/{chat_id} succeeds but does not delete the chat.',
    breaks: ['V3-CHAT-11'],
    patch: onStore('chats', () => ({ delete: async () => true })),
  },
  {
    name: 'chat-delete-hides',
    summary: 'A deleted chat is no longer listed but still readable.',
    breaks: ['V3-CHAT-11'],
    patch: onStore('chats', ({ list }) => {
      const hidden = new Set<string>()
      return {
        delete: async (_, id) => hidden.add(id).has(id),
        list: async (...given) => withoutIds(await list(...given), hidden),
      }
    }),
  },
  {
    name: 'chat-delete-keeps-listing',
    summary: 'A deleted chat is no longer readable but still listed.',
    breaks: ['V3-CHAT-11'],
    patch: onStore('chats', ({ find }) => {
      const deletedIds = new Set<string>()
      return {
        delete: async (_, id) => deletedIds.add(id).has(id),
        find: async (owner, id) => (deletedIds.has(id) ? undefined : find(owner, id)),
      }
    }),
  },
  {
    name: 'chat-delete-keeps-history',
    summary: 'GET /message returns 200 with an empty history for a deleted chat.',
    breaks: ['V3-CHAT-11'],
    patch: perServer(() => {
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
  {
    name: 'chat-title-refused',
    summary: 'POST /chat/{chat_id}/generate-name returns 404.',
    breaks: ['V3-CHAT-12'],
    patch: failAfterSuccess(nameChat, 404),
  },
  changeTitle('unchanged', 'is the current name of the chat', ({ name: _, ...change }) => change),
  changeTitle('empty', 'is empty', (change) => ({ ...change, name: '' })),
  changeTitle('a-dash', 'contains no letters', (change) => ({ ...change, name: '–' })),
  {
    name: 'chat-update-spreads',
    summary: 'An update of a chat renames all chats with the same name.',
    breaks: ['V3-CHAT-13'],
    patch: onStore('chats', (chats) => ({
      update: async (owner, id, change) => {
        const { name } = change
        const others = name === undefined ? [] : await chatsOfSameName(chats, owner, id)
        for (const other of others) await chats.update(owner, other, { ...(name && { name }) })
        return chats.update(owner, id, change)
      },
    })),
  },
  {
    name: 'chat-delete-spreads',
    summary: 'The deletion of a chat deletes all chats with the same name.',
    breaks: ['V3-CHAT-13'],
    patch: onStore('chats', (chats) => ({
      delete: async (owner, id) => {
        for (const other of await chatsOfSameName(chats, owner, id))
          await chats.delete(owner, other)
        return chats.delete(owner, id)
      },
    })),
  },
  {
    name: 'chat-name-of-any-type',
    summary: 'POST /chat with name of the wrong type is accepted.',
    breaks: ['V3-CHAT-14'],
    patch: ignoreField(createChat, 'name', isText),
  },
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
    patch: onStore('chats', ({ update }) => ({
      update: (owner, id, change) => {
        const isTitle = change.name !== undefined && change.favorite === undefined
        return update(owner, id, isTitle ? make(change) : change)
      },
    })),
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
