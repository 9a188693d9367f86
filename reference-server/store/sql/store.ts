/** The state of a server, in a database. */
import type {
  Attachment,
  Chat,
  ChatChange,
  ChatVersion,
  Message,
  Page,
  PageRequest,
  SeededBase,
  StoreOptions,
} from '../types.ts'
import {
  affects,
  createTables,
  type Database,
  type JsonRow,
  jsonOf,
  jsonRows,
  patternOf,
  type Query,
  readPage,
  searchable,
  type Value,
} from './database.ts'
import { sqlHistory } from './history.ts'
import { sqlKnowledge } from './knowledge.ts'
import { freeRunningKeys, sqlLedger } from './ledger.ts'

/** State of a server. Methods throw StoreFailure while a database is unavailable or its disk is full. */
export type Store = Awaited<ReturnType<typeof sqlStore>>

/**
 * Takes over the database, which is closed with the store.
 *
 * @throws StoreOpenError for a database of a newer server
 */
export async function sqlStore(
  database: Database,
  bases: readonly SeededBase[],
  { leaseMs = 10_000 }: StoreOptions = {},
) {
  try {
    await createTables(database)
    if (database.exclusive) await freeRunningKeys(database)
  } catch (error) {
    await database.close()
    throw error
  }
  const ledger = sqlLedger(database, leaseMs)
  return {
    chats: sqlChats(database),
    history: sqlHistory(database, ledger.finish),
    messages: sqlMessages(database),
    attachments: sqlAttachments(database),
    knowledge: sqlKnowledge(database, bases),
    idempotency: ledger.store,
    durable: database.durable,
    /** Resolves if the store is available. */
    ready: async (): Promise<void> => {
      await database.query('SELECT version FROM schema_version')
    },
    close: async (): Promise<void> => {
      ledger.close()
      await database.close()
    },
  }
}

function sqlAttachments({ query, dialect }: Database) {
  return {
    async add(attachment: Attachment): Promise<void> {
      const { id, owner, filename } = attachment
      await query(
        'INSERT INTO attachments (id, owner, name_search, attachment) VALUES (?, ?, ?, ?)',
        [id, owner, searchable(filename), JSON.stringify(attachment)],
      )
    },
    async find(owner: string, id: string): Promise<Attachment | undefined> {
      const sql = 'SELECT attachment AS json FROM attachments WHERE id = ? AND owner = ?'
      return (await jsonRows<Attachment>(query, sql, [id, owner]))[0]
    },
    /** An attachment may belong to several chats; linking to a deleted chat has no effect. */
    async link(chatId: string, id: string): Promise<void> {
      await query(
        `INSERT INTO links (chat_id, attachment_id)
         SELECT id, ? FROM chats WHERE id = ? ${dialect.keyShare} ON CONFLICT DO NOTHING`,
        [id, chatId],
      )
    },
    /** Newest first; with `chatId`, those that are linked to that chat. */
    list(
      owner: string,
      { chatId, ...page }: PageRequest & { readonly chatId?: string | undefined },
    ) {
      const linked = chatId === undefined ? '' : 'JOIN links ON attachment_id = id'
      const sql = `SELECT position, attachment AS json FROM attachments ${linked}`
      const conditions = { 'owner = ?': owner, 'chat_id = ?': chatId }
      return newestFirst<JsonRow, Attachment>(query, sql, page, conditions, jsonOf)
    },
  }
}

export interface ChatPageRequest extends PageRequest {
  readonly version: ChatVersion
  /** True for favorites only, false for the others; without it, both. */
  readonly favorite?: boolean | undefined
}

function sqlChats({ query }: Database) {
  return {
    async create(chat: Chat): Promise<void> {
      const { id, owner, name, version, favorite, createdAt, updatedAt } = chat
      const names = [JSON.stringify(name), searchable(name)]
      await query(
        `INSERT INTO chats (id, owner, name, name_search, version, favorite, created_at, updated_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
        [id, owner, ...names, version, Number(favorite), createdAt, updatedAt],
      )
    },
    /** Undefined for a chat of another caller, as for one that does not exist. */
    async find(owner: string, id: string): Promise<Chat | undefined> {
      const sql = `SELECT ${chatColumns} FROM chats WHERE id = ? AND owner = ?`
      return (await query<ChatRow>(sql, [id, owner])).map(chatOf)[0]
    },
    /** Newest first. */
    list(owner: string, { version, favorite, ...page }: ChatPageRequest): Promise<Page<Chat>> {
      const conditions = {
        'owner = ?': owner,
        'version = ?': version,
        'favorite = ?': favorite === undefined ? undefined : Number(favorite),
      }
      return newestFirst(
        query,
        `SELECT position, ${chatColumns} FROM chats`,
        page,
        conditions,
        chatOf,
      )
    },
    /** @returns undefined if the chat does not exist */
    async update(
      owner: string,
      id: string,
      { name, favorite, updatedAt }: ChatChange,
    ): Promise<Chat | undefined> {
      const names = name === undefined ? [null, null] : [JSON.stringify(name), searchable(name)]
      const rows = await query<ChatRow>(
        `UPDATE chats SET name = COALESCE(?, name), name_search = COALESCE(?, name_search),
           favorite = COALESCE(?, favorite), updated_at = COALESCE(?, updated_at)
         WHERE id = ? AND owner = ? RETURNING ${chatColumns}`,
        [...names, favorite === undefined ? null : Number(favorite), updatedAt ?? null, id, owner],
      )
      return rows.map(chatOf)[0]
    },
    /** Deletes history, messages and the links of attachments as well. */
    delete: (owner: string, id: string): Promise<boolean> =>
      affects(query, 'DELETE FROM chats WHERE id = ? AND owner = ? RETURNING id', [id, owner]),
  }
}

/** A page of a SELECT; conditions without a value do not apply. */
function newestFirst<Columns, T>(
  query: Query,
  select: string,
  { search = '', limit, before }: PageRequest,
  conditions: Readonly<Record<string, Value | undefined>>,
  read: (row: Columns) => T,
): Promise<Page<T>> {
  const all = {
    ...conditions,
    'position < ?': before,
    "name_search LIKE ? ESCAPE '\\'": search === '' ? undefined : patternOf(search),
  }
  const applied = Object.entries(all).filter(([, value]) => value !== undefined)
  const where = applied.map(([sql]) => sql).join(' AND ')
  const values = applied.flatMap(([, value]) => value ?? [])
  return readPage(query, `${select} WHERE ${where} ORDER BY position DESC`, values, limit, read)
}

const chatColumns =
  'id, owner, name, version, favorite, created_at AS "createdAt", updated_at AS "updatedAt"'

/** The name is JSON: a database refuses some characters that a name may have. */
type ChatRow = Omit<Chat, 'favorite'> & { readonly favorite: number }

function chatOf({ id, owner, name, version, favorite, createdAt, updatedAt }: ChatRow): Chat {
  const texts = { id, owner, name: JSON.parse(name), version }
  return { ...texts, favorite: favorite === 1, createdAt, updatedAt }
}

function sqlMessages({ query, dialect }: Database) {
  return {
    /** Adds a message; nothing is stored for a deleted chat. */
    async append(message: Message): Promise<void> {
      await query(
        `INSERT INTO messages (chat_id, id, parent_id, message)
         SELECT id, ?, ?, ? FROM chats WHERE id = ? ${dialect.keyShare}`,
        [message.id, message.parentId, JSON.stringify(message), message.chatId],
      )
    },
    async find(chatId: string, id: string): Promise<Message | undefined> {
      const sql = 'SELECT message AS json FROM messages WHERE chat_id = ? AND id = ?'
      return (await jsonRows<Message>(query, sql, [chatId, id]))[0]
    },
    /** The chain of messages up to this one, oldest first; empty if it does not exist. */
    chain(chatId: string, id: string): Promise<readonly Message[]> {
      const sql = `WITH RECURSIVE chain (parent_id, message, depth) AS (
           SELECT parent_id, message, 0 FROM messages WHERE chat_id = ? AND id = ?
           UNION ALL
           SELECT messages.parent_id, messages.message, chain.depth + 1
           FROM messages JOIN chain ON messages.id = chain.parent_id WHERE messages.chat_id = ?)
         SELECT message AS json FROM chain ORDER BY depth DESC`
      return jsonRows<Message>(query, sql, [chatId, id, chatId])
    },
  }
}
