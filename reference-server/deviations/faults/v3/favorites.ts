/** Faults of favorites, and side effects of requests on other chats (sections 2.5 and 4.3). */
import type { Patch } from '../../../services.ts'
import type { Chat } from '../../../store/types.ts'
import { toObject } from '../../patches/json.ts'
import { alsoDo, onSuccessBody, setFields } from '../../patches/replies.ts'
import { onRequest } from '../../patches/requests.ts'
import {
  addFavorite,
  changeChat,
  favoriteList,
  type RoutePattern,
  removeFavorite,
  v3Generate,
  v3History,
} from '../../patches/routes.ts'
import {
  alsoChange,
  chatIdOf,
  compose,
  editChatChanges,
  editChatRows,
  onStore,
  perServer,
  remembering,
} from '../../patches/services.ts'
import { faultTable } from '../../table.ts'

export const favoriteFaults = faultTable({
  'V3-FAV-01': {
    'favorite-add-forgotten: POST /chat/{chat_id}/favorite succeeds but does not add the chat to favorites.':
      editChatChanges((change) =>
        change.favorite === true && change.name === undefined ? {} : change,
      ),
    'favorite-list-latest-alone: GET /chat/favorite returns only the newest chat among the favorites.':
      setFields(favoriteList, { result: (chats: readonly unknown[]) => chats.slice(0, 1) }),
    'chat-update-clears-favorite: Renaming a chat removes it from favorites.': editChatChanges(
      (change) => (change.name === undefined ? change : { ...change, favorite: false }),
    ),
    'chat-favorite-twice-removes: Adding a chat to favorites twice removes it from favorites.':
      everySecond(addFavorite, false),
  },
  'V3-FAV-02': {
    'favorite-remove-forgotten: DELETE /chat/{chat_id}/favorite succeeds but does not remove the chat from favorites.':
      editChatChanges((change) =>
        change.favorite === false && change.name === undefined ? {} : change,
      ),
    'favorite-remove-deletes: DELETE /chat/{chat_id}/favorite deletes the chat.': alsoDo(
      removeFavorite,
      ({ store }, { caller, params }, { status }) =>
        status < 300 ? store.chats.delete(caller, params['chat_id'] ?? '') : undefined,
    ),
    'chat-favorite-removed-twice-returns: Removing a chat from favorites twice adds it to favorites.':
      everySecond(removeFavorite, true),
  },
  'V3-FAV-03': {
    'favorite-list-others: GET /chat/favorite returns all chats.': {
      also: ['V3-FAV-02'],
      patch: onStore('chats', ({ list }) => ({
        list: (owner, query) =>
          list(owner, query.favorite === true ? { ...query, favorite: undefined } : query),
      })),
    },
    'chat-generation-marks-favorite: A generation adds its chat to favorites.': alsoChange(
      v3Generate,
      { favorite: true },
    ),
  },
  'V3-CHAT-13': {
    'chat-delete-clears-histories: The deletion of a chat that was renamed and used empties the histories of favorites with one turn.':
      perServer(() => {
        const [renamed, favorites] = [new Set<string>(), new Set<string>()]
        const [turns, cleared] = [new Map<string, number>(), new Set<unknown>()]
        return compose([
          onStore('chats', (original) => ({
            update: (owner, id, change) => {
              if (change.favorite === true) favorites.add(id)
              else if (change.name !== undefined) renamed.add(id)
              return original.update(owner, id, change)
            },
            delete: (owner, id) => {
              if (renamed.has(id) && turns.has(id))
                for (const each of favorites) if (turns.get(each) === 1) cleared.add(each)
              return original.delete(owner, id)
            },
          })),
          onStore('history', (original) => ({
            append: (chatId, run, turn) => {
              turns.set(chatId, (turns.get(chatId) ?? 0) + 1)
              return original.append(chatId, run, turn)
            },
          })),
          onSuccessBody(v3History, (body, { query }) =>
            cleared.has(toObject(query)['chat_id']) ? { ...body, result: [] } : body,
          ),
        ])
      }),
  },
  'V3-CHAT-02': {
    'chat-favorite-renames: Adding a chat to favorites renames it to Favorite.': alsoChange(
      addFavorite,
      { name: 'Favorite' },
    ),
  },
  'V3-CHAT-10': {
    'chat-update-once: Only the first PATCH of a chat takes effect.': remembering((changed) =>
      onRequest(changeChat, (call) => {
        const isFirst = !changed.has(chatIdOf(call))
        changed.add(chatIdOf(call))
        return isFirst ? call : { ...call, body: {} }
      }),
    ),
  },
  'V3-CHAT-11': {
    'chat-deleted-stays-favorite: A deleted chat remains in the list of favorites.': perServer(
      () => {
        const deleted: Chat[] = []
        return compose([
          onStore('chats', ({ find, delete: remove }) => ({
            delete: async (owner, id) => {
              const chat = await find(owner, id)
              if (chat?.favorite) deleted.push(chat)
              return remove(owner, id)
            },
          })),
          editChatRows((rows, { favorite }) => (favorite === true ? [...rows, ...deleted] : rows)),
        ])
      },
    ),
  },
  'V3-CHAT-05': {
    'chat-list-without-favorites: GET /chat omits favorites.': onStore('chats', ({ list }) => ({
      list: (owner, query) =>
        list(owner, query.favorite === undefined ? { ...query, favorite: false } : query),
    })),
  },
  'V3-ATT-06': {
    'attachment-list-without-those-of-chats: GET /attachment without chat_id omits attachments that are linked to a chat.':
      perServer(() => {
        const linked = new Set<string>()
        return onStore('attachments', (original) => ({
          link: (chatId, id) => {
            linked.add(id)
            return original.link(chatId, id)
          },
          list: async (owner, query) => {
            const page = await original.list(owner, query)
            if (query.chatId !== undefined) return page
            return { ...page, rows: page.rows.filter(({ id }) => !linked.has(id)) }
          },
        }))
      }),
  },
  'V3-ATT-07': {
    'attachment-search-leaves-the-chat: GET /attachment with search ignores chat_id.':
      'v3.attachments: chat_id is ignored (search: given)',
  },
})
/** The second of two equal requests for a chat has the opposite effect. */
function everySecond(route: RoutePattern, favorite: boolean): Patch {
  return remembering((ids) =>
    alsoDo(route, ({ store }, call, { status }) => {
      const id = chatIdOf(call)
      if (status >= 300) return undefined
      if (ids.delete(id)) return store.chats.update(call.caller, id, { favorite })
      ids.add(id)
      return undefined
    }),
  )
}
