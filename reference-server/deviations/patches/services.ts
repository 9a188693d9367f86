/** Patches of the model and of the store, and composition of patches. */
import type { Generation, Model, ModelRequest, Step } from '../../model/types.ts'
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

/** Applies patches in order; later ones see, and may replace, what earlier ones did. */
export function compose(patches: readonly Patch[]): Patch {
  return (services) => patches.reduce((changed, patch) => patch(changed), services)
}

/** Patches with separate state for each server, which `begin` initializes. */
export function perServer<State>(
  begin: () => State,
  make: (state: State) => Patch | readonly Patch[],
): Patch {
  return (services) => compose([make(begin())].flat())(services)
}

/** Patches with a set of ids, initially empty. */
export function remembering(make: (ids: Set<string>) => Patch | readonly Patch[]): Patch {
  return perServer(() => new Set<string>(), make)
}

/** Patches with a map, initially empty. */
export function mapping<Value>(
  make: (values: Map<unknown, Value>) => Patch | readonly Patch[],
): Patch {
  return perServer(() => new Map<unknown, Value>(), make)
}

/** Patches that count: `next` returns 1, then 2, and so on. */
export function counting(make: (next: () => number) => Patch | readonly Patch[]): Patch {
  return perServer(
    () => ({ count: 0 }),
    (state) => make(() => ++state.count),
  )
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

/** Edits the steps of a generation, and recounts its tokens. */
export function withSteps(
  generated: Generation,
  change: (step: Step) => readonly Step[],
): Generation {
  const steps = generated.steps.flatMap(change)
  const count = (of: readonly Step[]) =>
    of.reduce((sum, { fragments }) => sum + fragments.length, 0)
  const reasoning = count(steps.filter(({ type }) => type === 'reasoning'))
  return { ...generated, steps, tokens: { ...generated.tokens, output: count(steps), reasoning } }
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

export function editChatRows(
  edit: (rows: readonly Chat[], request: ChatPageRequest) => readonly Chat[],
): Patch {
  return onStore('chats', ({ list }) => ({
    list: editedRows(list, (rows, _owner, request) => edit(rows, request)),
  }))
}

export function editFileRows(
  edit: (rows: readonly Attachment[], request: PageRequest) => readonly Attachment[],
): Patch {
  return onStore('attachments', ({ list }) => ({
    list: editedRows(list, (rows, _owner, request) => edit(rows, request)),
  }))
}

/** Edits the changes of chats; `before` is the chat without the change. */
export function editChatChanges(
  edit: (change: ChatChange, before: Chat, services: Services) => ChatChange | Promise<ChatChange>,
): Patch {
  return onStore('chats', ({ find, update }, services) => ({
    update: async (owner, id, change) => {
      const before = await find(owner, id)
      return update(owner, id, before ? await edit(change, before, services) : change)
    },
  }))
}

/** Notes each chat before it is deleted. */
function noteDeletions(note: (before: Chat) => void): Patch {
  return onStore('chats', (chats) => ({
    delete: async (owner, id) => {
      const before = await chats.find(owner, id)
      if (before !== undefined) note(before)
      return chats.delete(owner, id)
    },
  }))
}

/** Notes each chat before it is changed or deleted. */
export function noteChatsBefore(note: (before: Chat) => void): Patch {
  const noteChange = editChatChanges((change, before) => {
    note(before)
    return change
  })
  return compose([noteChange, noteDeletions(note)])
}

/** Patches with the chats that were deleted, by id. */
export function keepingDeleted(make: (deleted: Map<unknown, Chat>) => Patch): Patch {
  return mapping<Chat>((deleted) => [
    noteDeletions((chat) => deleted.set(chat.id, chat)),
    make(deleted),
  ])
}

/** Edits the results of Idempotency-Key claims. */
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

/** Stores Idempotency-Keys under other names. */
export function renameKeys(nameOf: (scope: IdempotencyScope) => string): Patch {
  const renamed = (scope: IdempotencyScope) => ({ ...scope, key: nameOf(scope) })
  return onStore('idempotency', ({ reserve, finish, release }) => ({
    reserve: (scope, fingerprint, now) => reserve(renamed(scope), fingerprint, now),
    finish: (scope, run) => finish(renamed(scope), run),
    release: (scope) => release(renamed(scope)),
  }))
}
