/** Faults of favorite chats (sections 2.5 and 4.3). */

import { alsoDo, failAfterSuccess, setField } from '../../../patches/replies.ts'
import { rejectRequests } from '../../../patches/requests.ts'
import { addFavorite, favoriteList, removeFavorite } from '../../../patches/routes.ts'
import { onStore } from '../../../patches/services.ts'
import type { Fault } from '../../../types.ts'

export const favoriteFaults: readonly Fault[] = [
  {
    name: 'favorite-add-refused',
    summary: 'Adding a favorite is answered with 405.',
    breaks: ['V3-FAV-01'],
    patch: failAfterSuccess(addFavorite, 405),
  },
  {
    name: 'favorite-add-forgotten',
    summary: 'A chat that is added to the favorites does not become one.',
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
    summary: 'The list of favorites is taken for a chat called favorite.',
    breaks: ['V3-FAV-01'],
    patch: rejectRequests(favoriteList, () => true, 404),
  },
  {
    name: 'favorite-list-counts',
    summary: 'The list of favorites says how many there are.',
    breaks: ['V3-FAV-01'],
    patch: setField(favoriteList, 'result', (chats: readonly unknown[]) => chats.length),
  },
  {
    name: 'favorite-remove-refused',
    summary: 'Removing a favorite is answered with 405.',
    breaks: ['V3-FAV-02'],
    patch: failAfterSuccess(removeFavorite, 405),
  },
  {
    name: 'favorite-remove-forgotten',
    summary: 'A favorite that is removed stays one.',
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
    summary: 'Removing a favorite deletes the chat.',
    breaks: ['V3-FAV-02'],
    patch: alsoDo(removeFavorite, ({ store }, { caller, params }, { status }) =>
      status < 300 ? store.chats.delete(caller, params['chat_id'] ?? '') : undefined,
    ),
  },
  {
    name: 'favorite-list-others',
    summary: 'The favorites show chats that never were any, beside those that are.',
    breaks: ['V3-FAV-03'],
    patch: onStore('chats', ({ list, update }) => {
      const marked = new Set<string>()
      return {
        update: (owner, id, change) => {
          if (change.favorite === true) marked.add(id)
          return update(owner, id, change)
        },
        list: async (owner, asked) => {
          if (asked.favorite !== true) return list(owner, asked)
          const { rows, next } = await list(owner, { ...asked, favorite: undefined })
          return { rows: rows.filter(({ id, favorite }) => favorite || !marked.has(id)), next }
        },
      }
    }),
  },
]
