/** Faults of routes that accept wrong credentials, or act upon them (section 5). */
import { onReply } from '../../patches/replies.ts'
import {
  addFavorite,
  changeChat,
  chatFiles,
  chatList,
  completions,
  createChat,
  deleteChat,
  favoriteList,
  fileList,
  modelList,
  nameChat,
  oneShot,
  type RoutePattern,
  readChat,
  removeFavorite,
  routeText,
  storeMessage,
  upload,
  v2Generate,
  v3Generate,
  v3History,
} from '../../patches/routes.ts'
import { compose } from '../../patches/services.ts'
import type { Fault } from '../../types.ts'
import {
  acceptCredential,
  isMistake,
  type MistakeName,
  mistakeNames,
  mistakes,
} from './statuses.ts'

type Routes = Readonly<Record<string, RoutePattern>>
const areas = { openai: 'OAI', v2: 'V2', v3: 'V3' } as const

const openaiRoutes: Routes = { chat: completions, models: modelList }

const v2Routes: Routes = { message: storeMessage, reply: v2Generate }

const addDocument: RoutePattern = 'POST /api/v3/knowledge/:base_id/documents'

const v3Routes: Routes = {
  'create-chat': createChat,
  history: v3History,
  generate: v3Generate,
  'list-chats': chatList,
  favorites: favoriteList,
  'read-chat': readChat,
  'update-chat': changeChat,
  'delete-chat': deleteChat,
  'add-favorite': addFavorite,
  'remove-favorite': removeFavorite,
  'name-chat': nameChat,
  'one-shot': oneShot,
  upload,
  'list-files': fileList,
  'chat-files': chatFiles,
  bases: 'GET /api/v3/knowledge',
  'plain-bases': 'GET /api/knowledge',
  'plain-search': 'GET /api/knowledge/:base_id/search',
  'upload-document': addDocument,
  'add-document': addDocument,
  'plain-upload': 'POST /api/knowledge/:base_id/documents',
  'search-base': 'GET /api/v3/knowledge/:base_id/search',
}

const withKeyOfThatLength: Readonly<Record<string, RoutePattern>> = {
  creates: createChat,
  renames: changeChat,
  deletes: deleteChat,
  'adds-a-favorite': addFavorite,
  'removes-a-favorite': removeFavorite,
  names: nameChat,
  uploads: upload,
}

const withoutKey: Readonly<Record<string, RoutePattern>> = {
  generates: v3Generate,
  renames: changeChat,
  deletes: deleteChat,
  'creates-without-key': createChat,
  'adds-a-favorite-without-key': addFavorite,
  'removes-a-favorite-without-key': removeFavorite,
  'names-without-key': nameChat,
  'uploads-without-key': upload,
}
export const admissionFaults: readonly Fault[] = [
  ...openRoutes('openai', openaiRoutes),
  ...openRoutes('v2', v2Routes),
  ...openRoutes('v3', v3Routes),
  ...Object.entries(withoutKey).map(([name, route]) => sideEffect(name, route, 'without-key')),
  ...Object.entries(withKeyOfThatLength).map(([name, route]) =>
    sideEffect(`${name}-with-key-of-that-length`, route, 'with-key-of-that-length'),
  ),
]
function openRoutes(surface: keyof typeof areas, routes: Routes): readonly Fault[] {
  return Object.entries(routes).flatMap(([name, route]) =>
    mistakeNames.map((mistake): Fault => {
      const { requirement, description, accepts } = mistakes[mistake]
      return {
        name: `${surface}-auth-${name}-${mistake}`,
        summary: `${routeText(route)} accepts ${description}.`,
        breaks: [`${areas[surface]}-${requirement}`],
        patch: acceptCredential(route, accepts),
      }
    }),
  )
}

function sideEffect(name: string, route: RoutePattern, mistake: MistakeName): Fault {
  const { requirement, description, accepts } = mistakes[mistake]
  return {
    name: `v3-auth-refuses-and-${name}`,
    summary: `${routeText(route)} returns 401 for ${description} but still takes effect.`,
    breaks: [`V3-${requirement}`],
    patch: compose([
      acceptCredential(route, accepts),
      (services) =>
        onReply(route, (reply, { headers }) =>
          isMistake(mistake, headers.authorization, services.keys)
            ? { status: 401, body: { error: 'A valid API key is required' } }
            : reply,
        )(services),
    ]),
  }
}
