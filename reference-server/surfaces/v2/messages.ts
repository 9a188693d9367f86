/** POST /api/v2/message (section 4.2): a user message is stored first. */

import { storeMessageRequest } from '../../../contract/requests/index.ts'
import { assistantOrInstructions } from '../../answering/assistant-context.ts'
import { ownFiles } from '../../answering/files.ts'
import { type Route, route } from '../../http/call.ts'
import type { Services } from '../../services.ts'
import type { Message } from '../../store/types.ts'
import { knownModel, ownChat, ownMessage } from '../ownership.ts'
import { messageRecord, messageShape } from '../shapes.ts'

export function messageRoutes({ clock, ids, store }: Services): readonly Route[] {
  return [
    route({
      method: 'POST',
      path: '/api/v2/message',
      summary: 'Store a user message',
      answer: { status: 201, body: messageShape },
      body: storeMessageRequest,
      handle: async ({ body, caller }) => {
        const chat = await ownChat(store.chats, caller, body.chat_id, 'v2')
        knownModel(body.model_id, 'model_id')
        assistantOrInstructions(body.assistant_id)
        const parentId = body.parent_id ?? null
        if (parentId !== null) await ownMessage(store.messages, chat.id, parentId)
        const attached = (body.attachments ?? []).map(({ id }) => id)
        const files = await ownFiles(store.attachments, caller, attached, 'attachments')
        const message: Message = {
          id: ids.uuid(),
          chatId: chat.id,
          modelId: body.model_id,
          role: 'user',
          content: body.content,
          createdAt: clock.now(),
          parentId,
          assistantId: body.assistant_id ?? null,
          think: body.think ?? false,
          rag: body.rag ?? false,
          attachmentIds: [...files.keys()],
        }
        await store.messages.append(message)
        for (const id of files.keys()) await store.attachments.link(chat.id, id)
        return { status: 201, body: messageRecord(message, [...files.values()]) }
      },
    }),
  ]
}
