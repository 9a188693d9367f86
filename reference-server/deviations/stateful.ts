import type { Chat } from '../store/types.ts'
import { grammarFault } from './faults/grammar.ts'
import { alsoDo } from './patches/replies.ts'
import { chatIdOf } from './patches/requests.ts'
import {
  editChatChanges,
  editChatRows,
  editedRows,
  keepingDeleted,
  onStore,
  remembering,
} from './patches/services.ts'
import { type Fault, faultTable } from './table.ts'

const chatFaults = faultTable({
  'V3-CHAT-10 chat-of-two-runs-keeps-its-name: The rename of a chat with two or more runs is accepted but ignored.':
    editChatChanges(async (change, { id, name: before }, { store }) => {
      const { name = before, ...rest } = change
      return name !== before && (await store.history.runs(id)).length > 1 ? rest : change
    }),
  'V3-FAV-01 chat-favorite-once-removed-stays-so: A chat that was removed from favorites cannot be added again.':
    remembering((removed) =>
      editChatChanges((change, { id, favorite }) => {
        if (favorite && change.favorite === false) removed.add(id)
        const { favorite: _, ...rest } = change
        return change.favorite && removed.has(id) ? rest : change
      }),
    ),
  'V3-CHAT-09 chat-once-favorite-is-excluded: exclude_favorites excludes chats that are no longer favorites.':
    remembering((once) => [
      editChatChanges((change, { id }) => {
        if (change.favorite) once.add(id)
        return change
      }),
      editChatRows((rows, { favorite }) =>
        favorite === false ? rows.filter(({ id }) => !once.has(id)) : rows,
      ),
    ]),
  'V3-CHAT-11 chat-favorite-deleted-is-readable: A deleted favorite is no longer listed but still readable.':
    remembering((hidden) => [
      onStore('chats', (chats) => ({
        delete: async (owner, id) => {
          const chat = await chats.find(owner, id)
          if (!chat?.favorite) return chats.delete(owner, id)
          hidden.add(id)
          await chats.update(owner, id, { favorite: false })
          return true
        },
      })),
      editChatRows((rows) => rows.filter(({ id }) => !hidden.has(id))),
    ]),
  'V3-CHAT-11 chat-of-two-runs-deleted-stays-listed: A deleted chat with two or more runs is still listed.':
    onStore('chats', (chats, { store }) => {
      const ghosts: Chat[] = []
      return {
        delete: async (owner, id) => {
          const chat = await chats.find(owner, id)
          const runs = await store.history.runs(id)
          if (chat && runs.length > 1) ghosts.push({ ...chat, favorite: false })
          return chats.delete(owner, id)
        },
        list: editedRows(chats.list, (rows, _owner, { limit, before, favorite }) => {
          const isPlain = favorite === undefined && before === undefined
          const room = limit - rows.length
          return isPlain && room > 0 ? [...rows, ...ghosts.slice(-room)] : rows
        }),
      }
    }),
  'V3-CHAT-11 chat-deleted-returns-with-a-name: Renaming a deleted chat restores it.':
    keepingDeleted((deleted) =>
      alsoDo('v3.updateChat', async ({ store }, call) => {
        const chat = deleted.get(chatIdOf(call))
        if (chat !== undefined && deleted.delete(chat.id)) await store.chats.create(chat)
      }),
    ),
  'V3-CHAT-08 chat-pages-skip-after-a-deletion: After a deletion, the second and later pages of a list omit their first chat.':
    keepingDeleted((deleted) =>
      editChatRows((rows, { before }) =>
        deleted.size > 0 && before !== undefined && rows.length > 1 ? rows.slice(1) : rows,
      ),
    ),
})

/** Faults of the grammar that need earlier requests in the chat. */
const ofTheGrammar = [
  'V3-CHAT-10 v3.updateChat: name is ignored (occurrence: third or later)',
  'V3-CHAT-10 v3.updateChat: name is ignored (occurrence: after a favorite)',
  'V3-HIST-07 v3.generate: the turn is not stored (occurrence: after a rename)',
  'V3-IDEM-02 v3.generate: the Idempotency-Key is ignored (occurrence: after a favorite)',
  'VER-09 v2.message: a refused request leaves a chat (occurrence: third or later)',
]

/**
 * Faults that occur only after a certain sequence of operations, which is in no scenario of the suites.
 * `chatgen check --explore` finds them.
 */
export const statefulFaults: readonly Fault[] = [...chatFaults, ...ofTheGrammar.map(grammarFault)]
