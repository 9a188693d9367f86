/** Patches of the model and of the store, and composition of patches. */

import type { Call } from '../../http/call.ts'
import type { Generation, Model, ModelRequest } from '../../model/types.ts'
import type { Patch, Services } from '../../services.ts'
import type { ChatPageRequest, Store } from '../../store/sql/store.ts'
import type {
  Attachment,
  Chat,
  ChatChange,
  IdempotencyScope,
  Message,
  Page,
  PageRequest,
  Reservation,
} from '../../store/types.ts'
import { toObject } from './json.ts'

/** Applies patches in order; later ones see, and may replace, what earlier ones did. */
export function compose(patches: readonly Patch[]): Patch {
  return (services) => patches.reduce((changed, patch) => patch(changed), services)
}

/** Patch with separate state for each server, initially empty. */
export function perServer(make: () => Patch): Patch {
  return (services) => make()(services)
}

/** Patch of the model's requests or answers, on the compatible surface, on the native ones, or on any. */
export function onModel(
  surface: 'compatible' | 'native' | 'any',
  change: (model: Model, request: ModelRequest) => Generation,
): Patch {
  const others = { compatible: 'service', native: 'client', any: undefined }[surface]
  return (services) => ({
    ...services,
    model: (request) =>
      request.toolsRunBy === others ? services.model(request) : change(services.model, request),
  })
}

type StorePart = Exclude<keyof Store, 'durable' | 'ready' | 'close'>

/**
 * Patch of some methods of one part of the store. If it is that of the keys, a turn is stored without its key, which
 * is finished afterwards by the changed method.
 */
export function onStore<Part extends StorePart>(
  part: Part,
  change: (original: Store[Part], services: Services) => Partial<Store[Part]>,
): Patch {
  return (services) => {
    const original = services.store[part]
    const changed = { ...services.store, [part]: { ...original, ...change(original, services) } }
    const { append } = changed.history
    const history: Store['history'] = {
      ...changed.history,
      append: (chatId, run) => append(chatId, run),
    }
    return { ...services, store: part === 'idempotency' ? { ...changed, history } : changed }
  }
}

/** A list or page whose rows are edited. */
export function editedRows<Query extends readonly unknown[], Row>(
  list: (...query: Query) => Promise<Page<Row>>,
  edit: (rows: readonly Row[], ...query: Query) => readonly Row[],
): (...query: Query) => Promise<Page<Row>> {
  return async (...query) => {
    const page = await list(...query)
    return { ...page, rows: edit(page.rows, ...query) }
  }
}

/** Edits the rows of lists of chats. */
export function editChatRows(
  edit: (rows: readonly Chat[], request: ChatPageRequest) => readonly Chat[],
): Patch {
  return onStore('chats', ({ list }) => ({
    list: editedRows(list, (rows, _owner, request) => edit(rows, request)),
  }))
}

/** Edits the rows of lists of attachments. */
export function editFileRows(
  edit: (rows: readonly Attachment[], request: PageRequest) => readonly Attachment[],
): Patch {
  return onStore('attachments', ({ list }) => ({
    list: editedRows(list, (rows, _owner, request) => edit(rows, request)),
  }))
}

/** Edits the changes of chats; `before` is the chat without the change. */
export function editChatChanges(
  edit: (change: ChatChange, before: Chat) => ChatChange | Promise<ChatChange>,
): Patch {
  return onStore('chats', ({ find, update }) => ({
    update: async (owner, id, change) => {
      const before = await find(owner, id)
      return update(owner, id, before === undefined ? change : await edit(change, before))
    },
  }))
}

/** The chat that a request names in its path or its body. */
export function chatIdOf({ body, params }: Call): string {
  return params['chat_id'] ?? String(toObject(body)['chat_id'])
}

/** A patch with a set of ids. */
export function remembering(make: (ids: Set<string>) => Patch): Patch {
  return perServer(() => make(new Set()))
}

/** A patch with the chats that were deleted, by id. */
export function keepingDeleted(make: (deleted: Map<string, Chat>) => Patch): Patch {
  return perServer(() => {
    const deleted = new Map<string, Chat>()
    return compose([
      onStore('chats', (chats) => ({
        delete: async (owner, id) => {
          const chat = await chats.find(owner, id)
          if (chat) deleted.set(id, chat)
          return chats.delete(owner, id)
        },
      })),
      make(deleted),
    ])
  })
}

/** Edits what a claim of an Idempotency-Key results in. */
export function editReservations(
  edit: (
    reservation: Reservation,
    scope: IdempotencyScope,
    services: Services,
  ) => Reservation | Promise<Reservation>,
): Patch {
  return onStore('idempotency', ({ reserve }, services) => ({
    reserve: async (scope, fingerprint, now) =>
      edit(await reserve(scope, fingerprint, now), scope, services),
  }))
}

/** Notes each v2 message before it is stored. */
export function noteMessages(note: (message: Message) => void): Patch {
  return onStore('messages', ({ append }) => ({
    append: async (message) => {
      note(message)
      await append(message)
    },
  }))
}
