/** Faults of favorite chats (sections 2.5 and 4.3). */

import { alsoDo, failAfterSuccess, setFields } from '../../../patches/replies.ts'
import { rejectRequests } from '../../../patches/requests.ts'
import { addFavorite, favoriteList, removeFavorite } from '../../../patches/routes.ts'
import { onStore } from '../../../patches/services.ts'
import { faultTable } from '../../../table.ts'

export const favoriteFaults = faultTable({
  'V3-FAV-01': {
    'favorite-add-refused: POST /chat/{chat_id}/favorite returns 405.': failAfterSuccess(
      addFavorite,
      405,
    ),
    'favorite-add-forgotten: POST /chat/{chat_id}/favorite succeeds but does not add the chat to favorites.':
      onStore('chats', ({ update }) => ({
        update: (owner, id, change) => {
          const marks = change.favorite === true && change.name === undefined
          return update(owner, id, marks ? {} : change)
        },
      })),
    'favorite-list-refused: GET /chat/favorite is routed to GET /chat/{chat_id} and returns 404.':
      rejectRequests(favoriteList, () => true, 404),
    'favorite-list-counts: GET /chat/favorite returns the number of favorites instead of a list.':
      setFields(favoriteList, { result: (chats: readonly unknown[]) => chats.length }),
    'favorite-list-latest-alone: GET /chat/favorite returns only the newest chat among the favorites.':
      setFields(favoriteList, { result: (chats: readonly unknown[]) => chats.slice(0, 1) }),
  },
  'V3-FAV-02': {
    'favorite-remove-refused: DELETE /chat/{chat_id}/favorite returns 405.': failAfterSuccess(
      removeFavorite,
      405,
    ),
    'favorite-remove-forgotten: DELETE /chat/{chat_id}/favorite succeeds but does not remove the chat from favorites.':
      onStore('chats', ({ update }) => ({
        update: (owner, id, change) => {
          const unmarks = change.favorite === false && change.name === undefined
          return update(owner, id, unmarks ? {} : change)
        },
      })),
    'favorite-remove-deletes: DELETE /chat/{chat_id}/favorite deletes the chat.': alsoDo(
      removeFavorite,
      ({ store }, { caller, params }, { status }) =>
        status < 300 ? store.chats.delete(caller, params['chat_id'] ?? '') : undefined,
    ),
  },
  'V3-FAV-03': {
    'favorite-list-others: GET /chat/favorite also returns chats that were never favorites.':
      onStore('chats', ({ list, update }) => {
        const marked = new Set<string>()
        return {
          update: (owner, id, change) => {
            if (change.favorite === true) marked.add(id)
            return update(owner, id, change)
          },
          list: async (owner, query) => {
            if (query.favorite !== true) return list(owner, query)
            const { rows, next } = await list(owner, { ...query, favorite: undefined })
            return { rows: rows.filter(({ id, favorite }) => favorite || !marked.has(id)), next }
          },
        }
      }),
  },
})
