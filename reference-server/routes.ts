/** All routes of the server, surface by surface. */
import type { Route } from './http/call.ts'
import type { Parts } from './parts.ts'
import { healthRoutes } from './surfaces/health.ts'
import { chatCompletionRoutes } from './surfaces/openai/chat-completions.ts'
import { modelRoutes } from './surfaces/openai/models.ts'
import { chatRoutes } from './surfaces/v3/chats.ts'
import { generateRoutes } from './surfaces/v3/generate.ts'
import { historyRoutes } from './surfaces/v3/history.ts'

export function allRoutes(parts: Parts): readonly Route[] {
  return [
    ...healthRoutes(),
    ...chatCompletionRoutes(parts),
    ...modelRoutes(),
    ...chatRoutes(parts),
    ...historyRoutes(parts),
    ...generateRoutes(parts),
  ]
}
