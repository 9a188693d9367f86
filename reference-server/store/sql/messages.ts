/** The v2 messages of chats in a database: a tree, by the parent of each. */
import type { Message, MessageStore } from '../types.ts'
import { type Database, jsonOf } from './database.ts'

export function sqlMessages({ query, dialect }: Database): MessageStore {
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
