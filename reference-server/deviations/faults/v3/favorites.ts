import type { Chat } from '../../../store/types.ts'
import { alsoDo, setFields } from '../../patches/replies.ts'
import { favoriteList, removeFavorite, v3Generate } from '../../patches/routes.ts'
import {
  chatIdOf,
  compose,
  editChatChanges,
  editChatRows,
  onStore,
  perServer,
} from '../../patches/services.ts'
import { faultTable } from '../../table.ts'

export const favoriteFaults = faultTable({
  'V3-FAV-01 favorite-add-forgotten: POST /chat/{chat_id}/favorite succeeds but does not add the chat to favorites.':
    editChatChanges((change) =>
      change.favorite === true && change.name === undefined ? {} : change,
    ),
  'V3-FAV-01 favorite-list-latest-alone: GET /chat/favorite returns only the newest chat among the favorites.':
    setFields(favoriteList, { result: (chats: readonly unknown[]) => chats.slice(0, 1) }),
  'V3-FAV-01 chat-update-clears-favorite: Renaming a chat removes it from favorites.':
    editChatChanges((change) =>
      change.name === undefined ? change : { ...change, favorite: false },
    ),
  'V3-FAV-02 favorite-remove-forgotten: DELETE /chat/{chat_id}/favorite succeeds but does not remove the chat from favorites.':
    editChatChanges((change) =>
      change.favorite === false && change.name === undefined ? {} : change,
    ),
  'V3-FAV-02 favorite-remove-deletes: DELETE /chat/{chat_id}/favorite deletes the chat.': alsoDo(
    removeFavorite,
    ({ store }, { caller, params }, { status }) =>
      status < 300 ? store.chats.delete(caller, params['chat_id'] ?? '') : undefined,
  ),
  'V3-FAV-03 V3-FAV-02 favorite-list-others: GET /chat/favorite returns all chats.': onStore(
    'chats',
    ({ list }) => ({
      list: (owner, query) =>
        list(owner, query.favorite === true ? { ...query, favorite: undefined } : query),
    }),
  ),
  'V3-FAV-03 chat-generation-marks-favorite: A generation adds its chat to favorites.': alsoDo(
    v3Generate,
    ({ store }, call, { status }) =>
      status < 300
        ? store.chats.update(call.caller, chatIdOf(call), { favorite: true })
        : undefined,
  ),
  'V3-CHAT-11 chat-deleted-stays-favorite: A deleted chat remains in the list of favorites.':
    perServer(() => {
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
    }),
  'V3-CHAT-05 chat-list-without-favorites: GET /chat omits favorites.': onStore(
    'chats',
    ({ list }) => ({
      list: (owner, query) =>
        list(owner, query.favorite === undefined ? { ...query, favorite: false } : query),
    }),
  ),
})
