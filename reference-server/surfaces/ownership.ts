/** The chat, message or model that a request names, if it belongs to the caller; pages of its lists. */
import { parseJson } from '../../contract/json.ts'
import type { Call, UploadedFile } from '../http/call.ts'
import { ApiError, or404 } from '../http/errors.ts'
import { type CatalogModel, findModel } from '../model/models.ts'
import type { Failure } from '../model/types.ts'
import { documentText } from '../retrieval/retrieval.ts'
import type { Store } from '../store/sql/store.ts'
import type { Chat, ChatVersion, Message, Page, PageRequest } from '../store/types.ts'

/**
 * @throws ApiError 404 for a chat that does not exist or belongs to another caller; 409 for a chat of
 * the other version, with the prefix to use (sections 4.3 and 9)
 */
export async function ownChat(
  chats: Store['chats'],
  caller: string,
  id: string,
  version: ChatVersion,
): Promise<Chat> {
  const named = await chats.find(caller, id.toLowerCase())
  const chat = or404(named, `No chat ${JSON.stringify(id)}`, 'chat_not_found', 'chat_id')
  if (chat.version === version) return chat
  const message = `This chat is a ${chat.version} chat: use /api/${chat.version}`
  throw new ApiError(409, message, 'wrong_chat_version', 'chat_id')
}

/** The chat in the path of a request; see `ownChat`. */
export function chatInPath(
  chats: Store['chats'],
  { caller, params }: Pick<Call, 'caller' | 'params'>,
  version: ChatVersion,
): Promise<Chat> {
  return ownChat(chats, caller, params['chat_id'] ?? '', version)
}

/** @throws ApiError 404 for a message that is not in the chat */
export async function ownMessage(
  messages: Store['messages'],
  chatId: string,
  id: string,
): Promise<Message> {
  const message = `No message ${JSON.stringify(id)} in this chat`
  return or404(await messages.find(chatId, id), message, 'parent_not_found', 'parent_id')
}

/**
 * Model by one of the ids of section 2.1.
 *
 * @throws ApiError 404 with `model_not_found`
 */
export function knownModel(id: string, param: string): CatalogModel {
  const message = `The model ${JSON.stringify(id)} does not exist`
  return or404(findModel(id), message, 'model_not_found', param)
}

/** @throws ApiError 500 for an answer that is not streamed */
export function throwFailure(failure: Failure | null | undefined): void {
  if (failure) throw new ApiError(500, failure.message, failure.code)
}

/** An attachment or document as it is stored; its text is undefined if the file is not text. */
export function uploadedContent({ filename, contentType, bytes }: UploadedFile) {
  return { filename, contentType, size: bytes.length, text: documentText(bytes) }
}

/** Largest page; a larger `limit` is capped. */
const maxPageSize = 200

export function pageSize(limit = 50): number {
  return Math.min(limit, maxPageSize)
}

interface PageQuery {
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
  readonly search?: string | undefined
}

/**
 * Body of every list of the native surfaces.
 *
 * @param list name of the only list that accepts the cursor
 * @throws ApiError 400 for a cursor of another server or list
 */
export async function pageBody<Row>(
  list: string,
  { limit, cursor, search }: PageQuery,
  record: (row: Row) => object,
  read: (page: PageRequest) => Promise<Page<Row>>,
): Promise<object> {
  const position = cursor === undefined ? undefined : readCursor(list, cursor)
  const { rows, next } = await read({ limit: pageSize(limit), before: position, search })
  const opaque = Buffer.from(JSON.stringify([list, next])).toString('base64url')
  return { result: rows.map(record), pagination: { cursor: next === null ? null : opaque } }
}

function readCursor(list: string, cursor: string): number {
  const value = parseJson(Buffer.from(cursor, 'base64url').toString())
  if (Array.isArray(value) && value[0] === list && Number.isSafeInteger(value[1]) && value[1] > 0) {
    return value[1]
  }
  throw new ApiError(400, 'The cursor does not belong to this list', 'invalid_cursor', 'cursor')
}
