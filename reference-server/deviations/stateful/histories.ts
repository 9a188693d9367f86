/** Faults of histories that depend on other operations. */
import type { Patch } from '../../services.ts'
import { onReply } from '../patches/replies.ts'
import { onRequestBody } from '../patches/requests.ts'
import { changeChat, deleteChat, type RoutePattern, v3Generate } from '../patches/routes.ts'
import { compose, onStore, perServer } from '../patches/services.ts'
import { faultTable } from '../table.ts'
import { counting, remembering } from './memory.ts'

export const statefulHistoryFaults = faultTable({
  'V3-HIST-07': {
    'history-lost-with-a-new-name: The second PATCH of a chat empties its history.': counting(
      (count) => emptiedBy(changeChat, (chat, status) => status < 300 && count(chat) === 2),
    ),
    'history-lost-with-a-mark-removed: Removing a chat from favorites empties its history.':
      emptiedBy('DELETE /api/v3/chat/:chat_id/favorite', (_chat, status) => status < 300),
    'history-keeps-two-runs: The history of a chat contains only its two latest runs.': onStore(
      'history',
      (history) => ({
        page: async (chat, after, limit) => {
          const runs = await history.runs(chat)
          const rows = runs.slice(-2).flatMap((run) =>
            [...run.input, ...run.output].map((item) => ({
              runId: run.id,
              createdAt: run.createdAt,
              item,
            })),
          )
          const page = rows.slice(after, after + limit)
          const end = after + page.length
          return { rows: page, next: end < rows.length ? end : null }
        },
      }),
    ),
    'history-of-another-lost-with-a-deletion: A deletion empties the history of the chat with the latest run.':
      perServer(() => {
        let latest = ''
        const emptied = new Set<string>()
        return compose([
          onStore('history', (history) => ({
            append: async (chat, run) => {
              latest = chat
              await history.append(chat, run)
            },
            page: async (chat, after, limit) =>
              emptied.has(chat) ? { rows: [], next: null } : history.page(chat, after, limit),
          })),
          onReply(deleteChat, (reply, { params }) => {
            if (reply.status < 300 && params['chat_id'] !== latest) emptied.add(latest)
            return reply
          }),
        ])
      }),
    'history-without-streams-of-favorites: Streamed runs are not stored in the history of a favorite.':
      remembering((streaming) =>
        compose([
          onRequestBody(v3Generate, (body) => {
            const chat = String(body['chat_id'])
            if (body['stream'] === true) streaming.add(chat)
            else streaming.delete(chat)
            return body
          }),
          (services) =>
            onStore('history', (history) => ({
              append: async (chat, run) => {
                const owner = 'caller-1'
                const isFavorite = (await services.store.chats.find(owner, chat))?.favorite
                if (!(isFavorite && streaming.has(chat))) await history.append(chat, run)
              },
            }))(services),
        ]),
      ),
  },
  'V3-HIST-10': {
    'history-third-continued-run-twice: The third run of a chat is stored twice in its history.':
      onStore('history', (history) => ({
        append: async (chat, run) => {
          await history.append(chat, run)
          if ((await history.runs(chat)).length === 3) await history.append(chat, run)
        },
      })),
    'history-second-page-of-two-runs-short: With two or more runs and a limit of 3 to 9, the second history page omits its first row.':
      onStore('history', (history) => ({
        page: async (chat, after, limit) => {
          const page = await history.page(chat, after, limit)
          const isUsed = (await history.runs(chat)).length > 1
          const isSecond = after === limit && limit > 2 && limit < 10
          return isUsed && isSecond ? { ...page, rows: page.rows.slice(1) } : page
        },
      })),
  },
  'V3-HIST-16': {
    'history-of-overlapping-runs-mixed: A run that overlaps with one of another chat is stored in the chat of the latest request.':
      {
        also: ['V3-HIST-07'],
        patch: perServer(() => {
          let latest = ''
          let running = 0
          return compose([
            onRequestBody(v3Generate, (body) => {
              latest = String(body['chat_id'])
              return body
            }),
            (services) => ({
              ...services,
              model: (request) => {
                running += 1
                return services.model(request)
              },
              timing: (count, given) => services.timing(count, { ttftMs: 20, ...given }),
            }),
            onStore('history', (history) => ({
              append: async (chat, run) => {
                const isAlone = running <= 1
                running -= 1
                await history.append(isAlone ? chat : latest, run)
              },
            })),
          ])
        }),
      },
  },
})

/** Hides all rows of the history of a chat that exist when a request for it is answered. */
function emptiedBy(route: RoutePattern, when: (chat: string, status: number) => boolean): Patch {
  return perServer(() => {
    const from = new Map<string, number>()
    return compose([
      onStore('history', (history) => ({
        page: async (chat, after, limit) => {
          const start = from.get(chat) ?? 0
          const { rows, next } = await history.page(chat, after + start, limit)
          return { rows, next: next === null ? null : next - start }
        },
      })),
      (services) =>
        onReply(route, (reply, { params }) => {
          const chat = params['chat_id'] ?? ''
          if (when(chat, reply.status)) {
            void services.store.history
              .page(chat, 0, 1_000_000)
              .then(({ rows }) => from.set(chat, (from.get(chat) ?? 0) + rows.length))
          }
          return reply
        })(services),
    ])
  })
}
