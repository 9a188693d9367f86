/** All routes, surface by surface. */
import { type Route, route } from '../http/call.ts'
import type { Services } from '../services.ts'
import { chatChangeRoutes, chatRoutes } from './chats.ts'
import { baseRoutes, documentRoutes, searchRoutes } from './knowledge.ts'
import { catalogRoutes, modelRoutes } from './models.ts'
import { chatCompletionRoutes } from './openai/chat-completions.ts'
import { healthShape } from './shapes.ts'
import { messageRoutes } from './v2.ts'
import { attachmentRoutes } from './v3/attachments.ts'
import { historyRoutes } from './v3/conversation.ts'
import { generateRoutes } from './v3/generate.ts'

/** Section 9: `/api/v3/knowledge` duplicates `/api/knowledge`. The paths below them are our own choice. */
const knowledgePrefixes = ['/api/knowledge', '/api/v3/knowledge']

export function allRoutes(services: Services): readonly Route[] {
  return [
    ...healthRoutes(services),

    ...chatCompletionRoutes(services),
    ...modelRoutes(),

    ...messageRoutes(services),
    ...chatRoutes(services, 'v2'),

    ...historyRoutes(services),
    ...generateRoutes(services),
    ...chatRoutes(services, 'v3'),
    ...chatChangeRoutes(services),
    ...attachmentRoutes(services),
    ...catalogRoutes(),

    ...knowledgePrefixes.flatMap((prefix) => [
      ...baseRoutes(services, prefix),
      ...documentRoutes(services, prefix),
      ...searchRoutes(services, prefix),
    ]),
  ]
}

function healthRoutes({ store }: Services): readonly Route[] {
  return [
    route('GET', '/healthz', {
      summary: 'Tell whether the server is up',
      answer: healthShape,
      handle: async () => ({ status: 'ok' }),
    }),
    route('GET', '/readyz', {
      summary: 'Tell whether the server takes requests: not while it ends, or its database is away',
      answer: healthShape,
      handle: async () => {
        await store.ready()
        return { status: 'ok' }
      },
    }),
  ]
}
