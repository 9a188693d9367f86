import { findChat } from './chats.ts'
import { type Call, Refusal, readForm, sendJson } from './http.ts'
import type { Json } from './json.ts'
import { pageOf } from './lists.ts'
import type { ListKind } from './rules.ts'
import type { StoredFile } from './state.ts'

/** Ids are numbers in a string, counted over all callers. */
export async function addFile(call: Call): Promise<void> {
  const { fields, file } = await readForm(call)
  if (file === undefined) throw new Refusal(422, 'a file part is wanted')
  const chat = fields['chat_id'] === undefined ? undefined : findChat(call, fields['chat_id'], 'v3')
  call.state.count += 1
  const stored: StoredFile = {
    id: String(1000 + call.state.count),
    filename: file.name,
    content_type: file.type,
    bucket: 'pier-nine',
    size: file.bytes.length,
    created_at: new Date().toISOString(),
    chat: chat?.id,
    text: file.bytes.toString('utf8'),
  }
  if (call.rules.storesUpload(call)) call.user.files.push(stored)
  sendJson(call, 201, { cargo: publicRecord(stored) })
}

function publicRecord({ id, filename, content_type, bucket, size, created_at }: StoredFile): Json {
  return { id, filename, content_type, bucket, size, created_at }
}

export function listFiles(call: Call, kind: ListKind): void {
  const { query, user, rules } = call
  const chatId = kind === 'files of a chat' ? call.ids[0] : query.get('chat_id')
  const chat = chatId === null ? undefined : findChat(call, chatId, 'v3')
  const search = (query.get('search') ?? '').toLowerCase()
  const list = user.files.filter(
    (file) =>
      (chat === undefined || file.chat === chat.id) &&
      file.filename.toLowerCase().includes(search) &&
      rules.listsFile(kind, file, call),
  )
  const { rows, cursor } = pageOf(call, kind, list, ({ id }) => id)
  sendJson(call, 200, { manifest: rows.map(publicRecord), onward: { token: cursor } })
}
