/** The store of a server that loses all data when it ends. */
import type {
  Attachment,
  AttachmentStore,
  Chat,
  ChatStore,
  HistoryRow,
  HistoryStore,
  Message,
  MessageStore,
  Page,
  PageRequest,
  SeededBase,
  Store,
  StoredRun,
} from '../types.ts'
import { type IdempotencyLimits, memoryIdempotency } from './idempotency.ts'
import { memoryKnowledge } from './knowledge.ts'

export interface MemoryOptions extends Partial<IdempotencyLimits> {
  readonly bases?: readonly SeededBase[]
}

const day = 24 * 60 * 60 * 1000

export function memoryStore({ bases = [], ...limits }: MemoryOptions = {}): Store {
  const history = memoryHistory()
  const messages = memoryMessages()
  const attachments = memoryAttachments()
  return {
    history,
    messages,
    attachments,
    chats: memoryChats([history, messages, attachments]),
    knowledge: memoryKnowledge(bases),
    idempotency: memoryIdempotency({ lifeMs: day, keys: 100_000, ...limits }),
    durable: false,
    ready: async () => {},
    close: async () => {},
  }
}

export function memoryAttachments(): AttachmentStore & ChatLife {
  const owners = new Map<string, NewestFirst<Attachment>>()
  const links = new Map<string, Set<string>>()
  return {
    async add(attachment) {
      const own = owners.get(attachment.owner) ?? newestFirst<Attachment>()
      owners.set(attachment.owner, own)
      own.set(attachment.id, attachment)
    },
    async find(owner, id) {
      return owners.get(owner)?.get(id)
    },
    async link(chatId, id) {
      links.get(chatId)?.add(id)
    },
    async list(owner, { chatId, search, ...page }) {
      const named = nameHolds(search)
      const linked = chatId === undefined ? undefined : (links.get(chatId) ?? new Set())
      const matches = ({ id, filename }: Attachment) => (linked?.has(id) ?? true) && named(filename)
      return owners.get(owner)?.page(page, matches) ?? { rows: [], next: null }
    },
    open(chatId) {
      links.set(chatId, new Set())
    },
    drop(chatId) {
      links.delete(chatId)
    },
  }
}

/** Data of a chat, created and deleted with it. */
export interface ChatLife {
  open(chatId: string): void
  drop(chatId: string): void
}

export function memoryChats(lives: readonly ChatLife[]): ChatStore {
  const owners = new Map<string, NewestFirst<Chat>>()
  return {
    async create(chat) {
      const own = owners.get(chat.owner) ?? newestFirst<Chat>()
      owners.set(chat.owner, own)
      own.set(chat.id, chat)
      for (const life of lives) life.open(chat.id)
    },
    async find(owner, id) {
      return owners.get(owner)?.get(id)
    },
    async list(owner, { version, favorite, search, ...page }) {
      const named = nameHolds(search)
      const matches = (chat: Chat) =>
        chat.version === version &&
        (favorite === undefined || chat.favorite === favorite) &&
        named(chat.name)
      return owners.get(owner)?.page(page, matches) ?? { rows: [], next: null }
    },
    async update(owner, id, change) {
      const own = owners.get(owner)
      const chat = own?.get(id)
      if (own === undefined || chat === undefined) return undefined
      const changed = { ...chat, ...change }
      own.set(id, changed)
      return changed
    },
    async delete(owner, id) {
      const deleted = owners.get(owner)?.delete(id) ?? false
      if (deleted) for (const life of lives) life.drop(id)
      return deleted
    },
  }
}

interface History {
  readonly runs: StoredRun[]
  readonly rows: HistoryRow[]
}

export function memoryHistory(): HistoryStore & ChatLife {
  const histories = new Map<string, History>()
  return {
    async append(chatId, run) {
      const history = histories.get(chatId)
      if (history === undefined) return
      history.runs.push(run)
      for (const item of [...run.input, ...run.output]) {
        history.rows.push({ runId: run.id, createdAt: run.createdAt, item })
      }
    },
    async page(chatId, after, limit) {
      const all = histories.get(chatId)?.rows ?? []
      const rows = all.slice(after, after + limit)
      const end = after + rows.length
      return { rows, next: end < all.length ? end : null }
    },
    async runs(chatId) {
      return histories.get(chatId)?.runs ?? []
    },
    open(chatId) {
      histories.set(chatId, { runs: [], rows: [] })
    },
    drop(chatId) {
      histories.delete(chatId)
    },
  }
}

export function memoryMessages(): MessageStore & ChatLife {
  const chats = new Map<string, Map<string, Message>>()
  return {
    async append(message) {
      chats.get(message.chatId)?.set(message.id, message)
    },
    async find(chatId, id) {
      return chats.get(chatId)?.get(id)
    },
    async chain(chatId, id) {
      const existing = chats.get(chatId)
      const chain: Message[] = []
      for (let at = existing?.get(id); at !== undefined; at = existing?.get(at.parentId ?? '')) {
        chain.push(at)
      }
      return chain.toReversed()
    },
    open(chatId) {
      chats.set(chatId, new Map())
    },
    drop(chatId) {
      chats.delete(chatId)
    },
  }
}

export interface NewestFirst<Row> {
  get(id: string): Row | undefined
  /** A new row comes first; a known one keeps its place. */
  set(id: string, row: Row): void
  delete(id: string): boolean
  page(request: Pick<PageRequest, 'limit' | 'before'>, matches: (row: Row) => boolean): Page<Row>
}

/** Positions only increase, so that additions and deletions do not shift a walk over the list. */
export function newestFirst<Row>(): NewestFirst<Row> {
  const rows = new Map<string, { readonly row: Row; readonly position: number }>()
  let last = 0
  return {
    get: (id) => rows.get(id)?.row,
    set(id, row) {
      last += 1
      rows.set(id, { row, position: rows.get(id)?.position ?? last })
    },
    delete: (id) => rows.delete(id),
    page({ limit, before = Number.POSITIVE_INFINITY }, matches) {
      const rest = [...rows.values()]
        .filter(({ position, row }) => position < before && matches(row))
        .toReversed()
      const page = rest.slice(0, limit)
      return {
        rows: page.map(({ row }) => row),
        next: rest.length > limit ? (page.at(-1)?.position ?? null) : null,
      }
    },
  }
}

/** Case-insensitive substring match of names. */
export function nameHolds(search: string | undefined): (name: string) => boolean {
  const part = (search ?? '').toLowerCase()
  return (name) => name.toLowerCase().includes(part)
}
