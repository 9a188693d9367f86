/** All routes of the server, surface by surface. */
import type { Route } from './http/call.ts'
import type { Services } from './services.ts'
import { healthRoutes } from './surfaces/health.ts'
import { knowledgeRoutes } from './surfaces/knowledge/prefixes.ts'
import { chatCompletionRoutes } from './surfaces/openai/chat-completions.ts'
import { modelRoutes } from './surfaces/openai/models.ts'
import { v2ChatRoutes } from './surfaces/v2/chats.ts'
import { replyRoutes } from './surfaces/v2/generate.ts'
import { messageRoutes } from './surfaces/v2/messages.ts'
import { attachmentRoutes } from './surfaces/v3/attachments.ts'
import { catalogueRoutes } from './surfaces/v3/catalogue.ts'
import { chatNameRoutes } from './surfaces/v3/chat-name.ts'
import { chatRoutes } from './surfaces/v3/chats.ts'
import { favoriteRoutes } from './surfaces/v3/favorites.ts'
import { generateRoutes } from './surfaces/v3/generate.ts'
import { historyRoutes } from './surfaces/v3/history.ts'
import { oneShotRoutes } from './surfaces/v3/one-shot.ts'

export function allRoutes(services: Services): readonly Route[] {
  return [
    ...healthRoutes(),
    ...chatCompletionRoutes(services),
    ...modelRoutes(),
    ...messageRoutes(services),
    ...replyRoutes(services),
    ...v2ChatRoutes(services),
    ...historyRoutes(services),
    ...generateRoutes(services),
    ...oneShotRoutes(services),
    ...chatRoutes(services),
    ...favoriteRoutes(services),
    ...chatNameRoutes(services),
    ...attachmentRoutes(services),
    ...knowledgeRoutes(services),
    ...catalogueRoutes(),
  ]
}
