/** Faults of authentication on the compatible surface and on v3 (section 5). */

import { onReply } from '../../patches/replies.ts'
import {
  completions,
  createChat,
  modelList,
  type RoutePattern,
  v3Generate,
  v3History,
} from '../../patches/routes.ts'
import { compose } from '../../patches/services.ts'
import type { Fault } from '../../types.ts'
import { admits, admitting, everyMistake, type MistakeName, mistakes } from './credentials.ts'
import { authRefusalFaults } from './statuses.ts'

/** The routes at the heart of a surface take every mistake, the others some. */
const openaiRoutes: Readonly<Record<string, RoutePattern>> = {
  chat: completions,
  models: modelList,
}
const v3Routes: Readonly<Record<string, RoutePattern>> = {
  'create-chat': createChat,
  history: v3History,
  generate: v3Generate,
}
export const v3OtherRoutes: Readonly<Record<string, readonly [RoutePattern, MistakeName]>> = {
  'list-chats': ['GET /api/v3/chat', 'with-key-of-that-length'],
  favorites: ['GET /api/v3/chat/favorite', 'with-basic'],
  'read-chat': ['GET /api/v3/chat/:chat_id', 'with-any-scheme'],
  'update-chat': ['PATCH /api/v3/chat/:chat_id', 'with-beginning-of-key'],
  'delete-chat': ['DELETE /api/v3/chat/:chat_id', 'with-more-than-the-key'],
  'add-favorite': ['POST /api/v3/chat/:chat_id/favorite', 'with-empty-key'],
  'remove-favorite': ['DELETE /api/v3/chat/:chat_id/favorite', 'with-key-of-that-length'],
  'name-chat': ['POST /api/v3/chat/:chat_id/generate-name', 'with-any-scheme'],
  'one-shot': ['POST /api/v3/message/one-shot', 'with-beginning-of-key'],
  upload: ['POST /api/v3/attachment', 'with-any-scheme'],
  'list-files': ['GET /api/v3/attachment', 'with-key-of-that-length'],
  'chat-files': ['GET /api/v3/chat/:chat_id/attachments', 'with-more-than-the-key'],
  bases: ['GET /api/v3/knowledge', 'with-basic'],
  'plain-bases': ['GET /api/knowledge', 'with-beginning-of-key'],
  'plain-search': ['GET /api/knowledge/:base_id/search', 'with-key-of-that-length'],
  'upload-document': ['POST /api/v3/knowledge/:base_id/documents', 'with-any-scheme'],
  'plain-upload': ['POST /api/knowledge/:base_id/documents', 'with-more-than-the-key'],
  'search-base': ['GET /api/v3/knowledge/:base_id/search', 'with-empty-key'],
}

const admissions: readonly Fault[] = [
  ...Object.entries(openaiRoutes).flatMap(([name, route]) =>
    everyMistake.map((mistake) => admits('openai', name, route, mistake)),
  ),
  ...Object.entries(v3Routes).flatMap(([name, route]) =>
    everyMistake.map((mistake) => admits('v3', name, route, mistake)),
  ),
  ...Object.entries(v3OtherRoutes).flatMap(([name, [route, mistake]]) =>
    (['without-key', mistake] as const).map((one) => admits('v3', name, route, one)),
  ),
]

const silentDeeds: readonly Fault[] = (
  [
    ['generates', v3Generate],
    ['renames', 'PATCH /api/v3/chat/:chat_id'],
    ['deletes', 'DELETE /api/v3/chat/:chat_id'],
  ] as const
).map(
  ([deed, route]): Fault => ({
    name: `v3-auth-refuses-and-${deed}`,
    summary: `Without a key, ${route} is answered with 401, and done all the same.`,
    breaks: ['V3-AUTH-01'],
    patch: compose([
      admitting(route, mistakes['without-key'].passes),
      onReply(route, (reply, { headers }) =>
        headers.authorization === undefined ? { status: 401, body: { error: 'no key' } } : reply,
      ),
    ]),
  }),
)

export const authFaults: readonly Fault[] = [...admissions, ...authRefusalFaults, ...silentDeeds]
