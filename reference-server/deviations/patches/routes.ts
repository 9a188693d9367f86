/** Routes and models by the names that deviations use. */
import type { Call } from '../../http/call.ts'
import { toObject } from './json.ts'

/** Method and path, with `:name` for an id: `GET /api/v3/chat/:chat_id`. */
export type RoutePattern = `${'GET' | 'POST' | 'PATCH' | 'DELETE'} /api/${string}`

/** The route as API documents write it: `GET /api/v3/chat/{chat_id}`. */
export function routeText(route: RoutePattern): string {
  return route.replaceAll(/:(\w+)/g, '{$1}')
}

/** The requests that a patch affects: those of a route, of some routes, or that meet a condition. */
export type Where =
  | RoutePattern
  | readonly RoutePattern[]
  | ((request: { readonly path: string }) => boolean)

export const everywhere: Where = () => true
/** v2, v3 and the knowledge bases. */
export const native: Where = ({ path }) => !path.startsWith('/api/openai')
export const ofV3: Where = ({ path }) => path.startsWith('/api/v3/')

export function matches(
  where: Where,
  request: { readonly method: string; readonly path: string },
): boolean {
  if (typeof where === 'function') return where(request)
  return [where].flat().some((route) => {
    const pattern = route.replaceAll(/:\w+/g, '[0-9a-fA-F-]{36}')
    return new RegExp(`^${pattern}/?$`).test(`${request.method} ${request.path}`)
  })
}

export const completions: RoutePattern = 'POST /api/openai/chat/completions'
export const modelList: RoutePattern = 'GET /api/openai/models'
export const oneModel: RoutePattern = 'GET /api/openai/models/[^/]+'
export const storeMessage: RoutePattern = 'POST /api/v2/message'
export const v2Generate: RoutePattern = 'POST /api/v2/message/generate'
export const createChat: RoutePattern = 'POST /api/v3/chat'
export const v3History: RoutePattern = 'GET /api/v3/message'
export const v3Generate: RoutePattern = 'POST /api/v3/message/generate'
export const oneShot: RoutePattern = 'POST /api/v3/message/one-shot'
export const chatList: RoutePattern = 'GET /api/v3/chat'
export const favoriteList: RoutePattern = 'GET /api/v3/chat/favorite'
export const readChat: RoutePattern = 'GET /api/v3/chat/:chat_id'
export const changeChat: RoutePattern = 'PATCH /api/v3/chat/:chat_id'
export const deleteChat: RoutePattern = 'DELETE /api/v3/chat/:chat_id'
export const nameChat: RoutePattern = 'POST /api/v3/chat/:chat_id/generate-name'
export const addFavorite: RoutePattern = 'POST /api/v3/chat/:chat_id/favorite'
export const removeFavorite: RoutePattern = 'DELETE /api/v3/chat/:chat_id/favorite'
export const chatFiles: RoutePattern = 'GET /api/v3/chat/:chat_id/attachments'
export const upload: RoutePattern = 'POST /api/v3/attachment'
export const fileList: RoutePattern = 'GET /api/v3/attachment'
export const mainModel = 'svc-main-model'
export const mainAlias = 'SVC-Main'
export const visionModel = 'SVC-Vision'

/** The chat that a request names in its path or its body. */
export function chatIdOf({ body, params }: Call): string {
  return params['chat_id'] ?? String(toObject(body)['chat_id'])
}
