/** The state of a server, in a database. */
import type {
  Attachment,
  AttachmentStore,
  Chat,
  ChatStore,
  Message,
  MessageStore,
  PageRequest,
  SeededBase,
  Store,
  StoreOptions,
} from '../types.ts'
import {
  type Database,
  jsonOf,
  numberOf,
  pageOf,
  patternOf,
  type Query,
  type Row,
  searchable,
  textOf,
  type Value,
} from './database.ts'
import { sqlHistory } from './history.ts'
import { sqlKnowledge } from './knowledge.ts'
import { freeRunningKeys, sqlLedger } from './ledger.ts'
import { migrate } from './schema.ts'

/**
 * Takes over the database, which is closed with the store.
 *
 * @throws StoreOpenError for a database of a newer server
 */
export async function sqlStore(
  database: Database,
  bases: readonly SeededBase[],
  { leaseMs = 10_000 }: StoreOptions = {},
): Promise<Store> {
  try {
    await migrate(database)
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
    ready: async () => {
      await database.query('SELECT version FROM schema_version')
    },
    close: async () => {
      ledger.close()
      await database.close()
    },
  }
}

function sqlAttachments({ query, dialect }: Database): AttachmentStore {
  return {
    async add(attachment) {
      await query(
        'INSERT INTO attachments (id, owner, name_search, attachment) VALUES (?, ?, ?, ?)',
        [
          ...[attachment.id, attachment.owner, searchable(attachment.filename)],
          JSON.stringify(attachment),
        ],
      )
    },
    async find(owner, id) {
      const [row] = await query('SELECT attachment FROM attachments WHERE id = ? AND owner = ?', [
        ...[id, owner],
      ])
      return row === undefined ? undefined : jsonOf(row, 'attachment')
    },
    async link(chatId, id) {
      await query(
        `INSERT INTO links (chat_id, attachment_id)
         SELECT id, ? FROM chats WHERE id = ? ${dialect.keyShare} ON CONFLICT DO NOTHING`,
        [id, chatId],
      )
    },
    async list(owner, { chatId, ...page }) {
      const linked = chatId === undefined ? '' : 'JOIN links ON attachment_id = id'
      const rows = await newestFirst(query, `attachments ${linked}`, page, {
        'owner = ?': owner,
        'chat_id = ?': chatId,
      })
      return pageOf(rows, page.limit, (row) => jsonOf<Attachment>(row, 'attachment'))
    },
  }
}

function sqlChats({ query }: Database): ChatStore {
  return {
    async create({ id, owner, name, version, favorite, createdAt, updatedAt }) {
      await query(
        `INSERT INTO chats (id, owner, name, name_search, version, favorite, created_at, updated_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
        [
          ...[id, owner, JSON.stringify(name), searchable(name), version, Number(favorite)],
          ...[createdAt, updatedAt],
        ],
      )
    },
    async find(owner, id) {
      const [row] = await query('SELECT * FROM chats WHERE id = ? AND owner = ?', [id, owner])
      return row === undefined ? undefined : chatOf(row)
    },
    async list(owner, { version, favorite, ...page }) {
      const rows = await newestFirst(query, 'chats', page, {
        'owner = ?': owner,
        'version = ?': version,
        'favorite = ?': favorite === undefined ? undefined : Number(favorite),
      })
      return pageOf(rows, page.limit, chatOf)
    },
    async update(owner, id, { name, favorite, updatedAt }) {
      const [row] = await query(
        `UPDATE chats SET name = COALESCE(?, name), name_search = COALESCE(?, name_search),
           favorite = COALESCE(?, favorite), updated_at = COALESCE(?, updated_at)
         WHERE id = ? AND owner = ? RETURNING *`,
        [
          name === undefined ? null : JSON.stringify(name),
          name === undefined ? null : searchable(name),
          favorite === undefined ? null : Number(favorite),
          updatedAt ?? null,
          ...[id, owner],
        ],
      )
      return row === undefined ? undefined : chatOf(row)
    },
    async delete(owner, id) {
      const rows = await query('DELETE FROM chats WHERE id = ? AND owner = ? RETURNING id', [
        ...[id, owner],
      ])
      return rows.length > 0
    },
  }
}

/** A page of a table, with one row more; conditions without a value do not apply. */
function newestFirst(
  query: Query,
  table: string,
  { search = '', limit, before }: PageRequest,
  conditions: Readonly<Record<string, Value | undefined>>,
): Promise<readonly Row[]> {
  const all = {
    ...conditions,
    'position < ?': before,
    "name_search LIKE ? ESCAPE '\\'": search === '' ? undefined : patternOf(search),
  }
  const applied = Object.entries(all).filter(([, value]) => value !== undefined)
  return query(
    `SELECT * FROM ${table} WHERE ${applied.map(([sql]) => sql).join(' AND ')}
     ORDER BY position DESC LIMIT ?`,
    [...applied.flatMap(([, value]) => value ?? []), limit + 1],
  )
}

/** The name is JSON: a database refuses some characters that a name may have. */
function chatOf(row: Row): Chat {
  return {
    id: textOf(row, 'id'),
    owner: textOf(row, 'owner'),
    name: jsonOf(row, 'name'),
    version: row['version'] === 'v2' ? 'v2' : 'v3',
    favorite: numberOf(row, 'favorite') === 1,
    createdAt: numberOf(row, 'created_at'),
    updatedAt: numberOf(row, 'updated_at'),
  }
}

function sqlMessages({ query, dialect }: Database): MessageStore {
  return {
    async append(message) {
      await query(
        `INSERT INTO messages (chat_id, id, parent_id, message)
         SELECT id, ?, ?, ? FROM chats WHERE id = ? ${dialect.keyShare}`,
        [message.id, message.parentId, JSON.stringify(message), message.chatId],
      )
    },
    async find(chatId, id) {
      const [row] = await query('SELECT message FROM messages WHERE chat_id = ? AND id = ?', [
        ...[chatId, id],
      ])
      return row === undefined ? undefined : jsonOf(row, 'message')
    },
    async chain(chatId, id) {
      const rows = await query(
        `WITH RECURSIVE chain (parent_id, message, depth) AS (
           SELECT parent_id, message, 0 FROM messages WHERE chat_id = ? AND id = ?
           UNION ALL
           SELECT messages.parent_id, messages.message, chain.depth + 1
           FROM messages JOIN chain ON messages.id = chain.parent_id WHERE messages.chat_id = ?)
         SELECT message FROM chain ORDER BY depth DESC`,
        [chatId, id, chatId],
      )
      return rows.map((row) => jsonOf<Message>(row, 'message'))
    },
  }
}
