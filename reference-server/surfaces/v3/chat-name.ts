/** POST /api/v3/chat/{chat_id}/generate-name (section 4.3): a title out of what was said. */

import { type Route, route } from '../../http/call.ts'
import { titleOf } from '../../model/title.ts'
import type { Services } from '../../services.ts'
import { chatRecord } from '../chat-record.ts'
import { ownChat } from '../own-chat.ts'
import { chatShape } from '../shapes.ts'
import { turnsOf } from './conversation.ts'

export function chatNameRoutes({ clock, store }: Services): readonly Route[] {
  return [
    route({
      method: 'POST',
      path: '/api/v3/chat/:chat_id/generate-name',
      summary: 'Generate a title for a chat, which becomes its name',
      answer: { status: 200, body: chatShape },
      handle: async ({ caller, params }) => {
        const chat = await ownChat(store.chats, caller, params['chat_id'] ?? '', 'v3')
        const [first] = await store.history.runs(chat.id)
        const name = titleOf(turnsOf(first?.input ?? [], new Map()))
        const change = { name, updatedAt: clock.now() }
        const changed = await store.chats.update(caller, chat.id, change)
        return { status: 200, body: chatRecord(changed ?? chat) }
      },
    }),
  ]
}
