/** Attachments in a database. */
import type { Attachment, AttachmentStore } from '../types.ts'
import { type Database, jsonOf, pageOf, patternOf, searchable, type Value } from './database.ts'

export function sqlAttachments({ query, dialect }: Database): AttachmentStore {
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
    async list(owner, { chatId, search = '', limit, before }) {
      const conditions: [string, Value][] = [['owner = ?', owner]]
      if (chatId !== undefined) conditions.push(['chat_id = ?', chatId])
      if (before !== undefined) conditions.push(['position < ?', before])
      if (search !== '') conditions.push([`name_search LIKE ? ESCAPE '\\'`, patternOf(search)])
      const linked = chatId === undefined ? '' : 'JOIN links ON attachment_id = id'
      const rows = await query(
        `SELECT position, attachment FROM attachments ${linked}
         WHERE ${conditions.map(([sql]) => sql).join(' AND ')} ORDER BY position DESC LIMIT ?`,
        [...conditions.map(([, value]) => value), limit + 1],
      )
      return pageOf(rows, limit, (row) => jsonOf<Attachment>(row, 'attachment'))
    },
  }
}
