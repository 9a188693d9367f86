/** Attachments in memory: each belongs to its owner, and to the chats that it is linked to. */

import type { Attachment, AttachmentStore } from '../types.ts'
import type { ChatLife } from './chats.ts'
import { type NewestFirst, nameHolds, newestFirst } from './newest-first.ts'

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
