/** Faults of favorite chats (sections 2.5 and 4.3). */

import { alsoDo, failAfterSuccess, setField } from '../../../patches/replies.ts'
import { rejectRequests } from '../../../patches/requests.ts'
import { addFavorite, favoriteList, removeFavorite } from '../../../patches/routes.ts'
import { onStore } from '../../../patches/services.ts'
import type { Fault } from '../../../types.ts'

export const favoriteFaults: readonly Fault[] = [
  {
    name: 'favorite-add-refused',
    summary: 'POST /chat/{chat_id}/favorite returns 405.',
    breaks: ['V3-FAV-01'],
    patch: failAfterSuccess(addFavorite, 405),
  },
  {
    name: 'favorite-add-forgotten',
    summary: 'POST /chat/{chat_id}/favorite succeeds but does not add the chat to favorites.',
    breaks: ['V3-FAV-01'],
    patch: onStore('chats', ({ update }) => ({
      update: (owner, id, change) => {
        const marks = change.favorite === true && change.name === undefined
        return update(owner, id, marks ? {} : change)
      },
    })),
  },
  {
    name: 'favorite-list-refused',
    summary: 'GET /chat/favorite is routed to GET /chat/{chat_id} and returns 404.',
    breaks: ['V3-FAV-01'],
    patch: rejectRequests(favoriteList, () => true, 404),
  },
  {
    name: 'favorite-list-counts',
    summary: 'GET /chat/favorite returns the number of favorites instead of a list.',
    breaks: ['V3-FAV-01'],
    patch: setField(favoriteList, 'result', (chats: readonly unknown[]) => chats.length),
  },
  {
    name: 'favorite-list-latest-alone',
    summary: 'GET /chat/favorite returns only the newest chat among the favorites.',
    breaks: ['V3-FAV-01'],
    patch: setField(favoriteList, 'result', (chats: readonly unknown[]) => chats.slice(0, 1)),
  },
  {
    name: 'favorite-remove-refused',
    summary: 'DELETE /chat/{chat_id}/favorite returns 405.',
    breaks: ['V3-FAV-02'],
    patch: failAfterSuccess(removeFavorite, 405),
  },
  {
    name: 'favorite-remove-forgotten',
    summary:
      'DELETE /chat/{chat_id}/favorite succeeds but does not remove the chat from favorites.',
    breaks: ['V3-FAV-02'],
    patch: onStore('chats', ({ update }) => ({
      update: (owner, id, change) => {
        const unmarks = change.favorite === false && change.name === undefined
        return update(owner, id, unmarks ? {} : change)
      },
    })),
  },
  {
    name: 'favorite-remove-deletes',
    summary: 'DELETE /chat/{chat_id}/favorite deletes the chat.',
    breaks: ['V3-FAV-02'],
    patch: alsoDo(removeFavorite, ({ store }, { caller, params }, { status }) =>
      status < 300 ? store.chats.delete(caller, params['chat_id'] ?? '') : undefined,
    ),
  },
  {
    name: 'favorite-list-others',
    summary: 'GET /chat/favorite also returns chats that were never favorites.',
    breaks: ['V3-FAV-03'],
    patch: onStore('chats', ({ list, update }) => {
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
]
