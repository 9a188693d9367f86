/** The chat that a native route was called for, if it is one. */
import { ApiError } from '../http/errors.ts'
import type { Chat, ChatStore, ChatVersion } from '../store/types.ts'

/**
 * @throws ApiError 404 for a chat that is not there or belongs to somebody else; 409 for a chat of the
 * other version, with the prefix to use (sections 4.3 and 9)
 */
export async function ownChat(
  chats: ChatStore,
  caller: string,
  id: string,
  version: ChatVersion,
): Promise<Chat> {
  const chat = await chats.find(caller, id.toLowerCase())
  if (chat === undefined) {
    throw new ApiError(404, `No chat ${JSON.stringify(id)}`, {
      code: 'chat_not_found',
      param: 'chat_id',
    })
  }
  if (chat.version !== version) {
    throw new ApiError(409, `This chat is a ${chat.version} chat: use /api/${chat.version}`, {
      code: 'wrong_chat_version',
      param: 'chat_id',
    })
  }
  return chat
}
