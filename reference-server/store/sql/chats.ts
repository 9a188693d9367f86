/** Chats in a database; histories, messages and links go with them. */
import type { Chat, ChatStore } from '../types.ts'
import {
  type Database,
  jsonOf,
  numberOf,
  pageOf,
  patternOf,
  type Row,
  searchable,
  textOf,
  type Value,
} from './database.ts'

export function sqlChats({ query }: Database): ChatStore {
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
    async list(owner, { version, favorite, search = '', limit, before }) {
      const conditions: [string, Value][] = [
        ['owner = ?', owner],
        ['version = ?', version],
      ]
      if (favorite !== undefined) conditions.push(['favorite = ?', Number(favorite)])
      if (before !== undefined) conditions.push(['position < ?', before])
      if (search !== '') conditions.push([`name_search LIKE ? ESCAPE '\\'`, patternOf(search)])
      const rows = await query(
        `SELECT * FROM chats WHERE ${conditions.map(([sql]) => sql).join(' AND ')}
         ORDER BY position DESC LIMIT ?`,
        [...conditions.map(([, value]) => value), limit + 1],
      )
      return pageOf(rows, limit, chatOf)
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
