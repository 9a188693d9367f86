/** The message that a v2 request names as its parent. */
import { ApiError } from '../../http/errors.ts'
import type { Message, MessageStore } from '../../store/types.ts'

/** @throws ApiError 404 for a message that is not in the chat */
export async function ownMessage(
  messages: MessageStore,
  chatId: string,
  id: string,
): Promise<Message> {
  const message = await messages.find(chatId, id)
  if (message === undefined) {
    throw new ApiError(404, `No message ${JSON.stringify(id)} in this chat`, {
      code: 'parent_not_found',
      param: 'parent_id',
    })
  }
  return message
}
