/** Faults of rejected and one-shot requests that depend on other operations. */
import type { Patch, Services } from '../../services.ts'
import { alsoDo, onReply } from '../patches/replies.ts'
import { onRequest } from '../patches/requests.ts'
import { deleteChat, oneShot, storeMessage, v3Generate } from '../patches/routes.ts'
import { compose, onStore, perServer } from '../patches/services.ts'
import { faultTable } from '../table.ts'
import { counting, remembering } from './memory.ts'

export const statefulRefusalFaults = faultTable({
  'V3-GEN-14': {
    'refusal-second-one-is-stored: From the second rejected generation on, a chat stores the rejected input.':
      {
        also: ['V3-IDEM-02', 'V3-IDEM-03'],
        because: 'a rejected repeat is stored as well',
        patch: counting((count) =>
          alsoDo(v3Generate, async ({ store, ids }, { body }, reply) => {
            if (reply.status < 400 || reply.status === 401) return
            const { chat_id: chat, input } = Object(body)
            if (typeof input !== 'string' || count(String(chat)) < 2) return
            const content = [{ type: 'input_text', text: input }]
            await store.history.append(String(chat), {
              id: ids.tagged('resp'),
              parentId: null,
              createdAt: Date.now(),
              input: [{ type: 'message', role: 'user', content }],
              output: [],
            })
          }),
        ),
      },
    'refusal-leaves-a-chat: A generation that is refused in a chat with runs leaves a new chat.':
      alsoDo(v3Generate, async (services, { caller, body }, reply) => {
        if (reply.status < 400 || reply.status === 401) return
        const runs = await services.store.history.runs(String(Object(body)['chat_id']))
        if (runs.length > 0) await addStrayChat(services, caller)
      }),
  },
  'VER-09': {
    'v2-call-leaves-a-chat: A v2 message for a v3 chat with runs is refused, and leaves a new chat.':
      alsoDo(storeMessage, async (services, { caller, body }, reply) => {
        if (reply.status < 400 || reply.status === 401) return
        const runs = await services.store.history.runs(String(Object(body)['chat_id']))
        if (runs.length > 0) await addStrayChat(services, caller)
      }),
    'v2-call-is-stored-in-a-chat-with-runs: A v2 message for a v3 chat with a run is rejected but stored.':
      alsoDo(storeMessage, async ({ store, ids }, { body }, reply) => {
        const { chat_id: chat, content } = Object(body)
        const runs = await store.history.runs(String(chat))
        if (reply.status < 400 || runs.length === 0) return
        const item = {
          type: 'message',
          role: 'user',
          content: [{ type: 'input_text', text: content }],
        }
        await store.history.append(String(chat), {
          id: ids.tagged('resp'),
          parentId: null,
          createdAt: Date.now(),
          input: [item],
          output: [],
        })
      }),
  },
  'V3-ONE-09': {
    'one-shot-after-a-deletion-is-stored: After the deletion of a chat, one-shots are stored as chats.':
      perServer(() => {
        let isStored = false
        return compose([
          onReply(deleteChat, (reply) => {
            isStored ||= reply.status < 300
            return reply
          }),
          alsoDo(oneShot, async (services, { caller, body }, reply) => {
            if (!isStored || reply.status >= 300) return
            await addStrayChat(services, caller, String(Object(body)['input']))
          }),
        ])
      }),
  },
  'V3-TOOLS-01': {
    'refusal-of-both-lists-once-a-chat: Both tool lists are accepted in a chat that has a run.':
      inUsedChats((call) => {
        const { include_tools: listed, ...body } = Object(call.body)
        return listed === undefined ? call : { ...call, body }
      }),
  },
  'V3-IDEM-01': {
    'refusal-of-no-key-once-a-chat: A generation without Idempotency-Key is accepted in a chat that has a run.':
      inUsedChats((call) =>
        call.headers['idempotency-key'] === undefined
          ? { ...call, headers: { ...call.headers, 'idempotency-key': call.id } }
          : call,
      ),
  },
})

async function addStrayChat(
  { store, ids }: Services,
  owner: string,
  name = 'New chat',
): Promise<void> {
  const now = Date.now()
  const times = { createdAt: now, updatedAt: now }
  await store.chats.create({
    id: ids.uuid(),
    owner,
    name,
    version: 'v3',
    favorite: false,
    ...times,
  })
}

/** Maps generation requests in chats that have a run. */
function inUsedChats(change: Parameters<typeof onRequest>[1]): Patch {
  return remembering((used) =>
    compose([
      onStore('history', (history) => ({
        append: async (chat, run) => {
          used.add(chat)
          await history.append(chat, run)
        },
      })),
      onRequest(v3Generate, (call) =>
        used.has(String(Object(call.body)['chat_id'])) ? change(call) : call,
      ),
    ]),
  )
}
