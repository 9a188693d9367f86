/** The chat or message that a request names, if it belongs to the caller. */

import type { UploadedFile } from '../http/call.ts'
import { ApiError } from '../http/errors.ts'
import { type CatalogModel, findModel } from '../model/models.ts'
import { BrokenPdfError, uploadText } from '../retrieval/document-text.ts'
import type { Chat, ChatStore, ChatVersion, Message, MessageStore } from '../store/types.ts'

/**
 * @throws ApiError 404 for a chat that does not exist or belongs to another caller; 409 for a chat of
 * the other version, with the prefix to use (sections 4.3 and 9)
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

/**
 * Model by one of the ids of section 2.1.
 *
 * @throws ApiError 404 with `model_not_found`
 */
export function knownModel(id: string, param: string): CatalogModel {
  const model = findModel(id)
  if (model === undefined) {
    throw new ApiError(404, `The model ${JSON.stringify(id)} does not exist`, {
      code: 'model_not_found',
      param,
    })
  }
  return model
}

/**
 * An attachment or document as it is stored; its text is undefined if the file is not text.
 *
 * @throws ApiError 400 for a PDF that cannot be read
 */
export async function uploadedContent({ filename, contentType, bytes }: UploadedFile) {
  try {
    const text = await uploadText(filename, contentType, bytes)
    return { filename, contentType, size: bytes.length, text }
  } catch (error) {
    if (!(error instanceof BrokenPdfError)) throw error
    throw new ApiError(400, `The PDF cannot be read: ${error.message}`, {
      code: 'broken_document',
      param: 'file',
    })
  }
}
