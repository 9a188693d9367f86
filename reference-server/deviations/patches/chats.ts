/** Patches of the chats in the store. */
import type { Call } from '../../http/call.ts'
import type { Patch } from '../../services.ts'
import type { Chat, ChatChange, ChatPageRequest, Page } from '../../store/types.ts'
import { toObject } from './json.ts'
import { alsoDo } from './replies.ts'
import type { RoutePattern } from './routes.ts'
import { onStore, perServer } from './services.ts'

type Rows = Page<Chat>['rows']

/** Edits the rows of lists of chats. */
export function editChatRows(edit: (rows: Rows, request: ChatPageRequest) => Rows): Patch {
  return onStore('chats', ({ list }) => ({
    list: async (owner, request) => {
      const page = await list(owner, request)
      return { ...page, rows: edit(page.rows, request) }
    },
  }))
}

/** Edits the changes of chats; `before` is the chat without the change. */
export function editChatChanges(edit: (change: ChatChange, before: Chat) => ChatChange): Patch {
  return onStore('chats', ({ find, update }) => ({
    update: async (owner, id, change) => {
      const before = await find(owner, id)
      return update(owner, id, before === undefined ? change : edit(change, before))
    },
  }))
}

/** Side effect of an accepted request: a change of the chat that it names. */
export function alsoChange(route: RoutePattern, change: ChatChange): Patch {
  return alsoDo(route, ({ store }, call, { status }) =>
    status < 300 ? store.chats.update(call.caller, chatIdOf(call), change) : undefined,
  )
}

/** The chat that a request names in its path or its body. */
export function chatIdOf({ body, params }: Call): string {
  return params['chat_id'] ?? String(toObject(body)['chat_id'])
}

/** A patch with a set of ids. */
export function remembering(make: (ids: Set<string>) => Patch): Patch {
  return perServer(() => make(new Set()))
}
