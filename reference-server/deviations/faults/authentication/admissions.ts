/** Faults of routes that accept wrong credentials, or act upon them (section 5). */
import type { RequirementId } from '../../../../contract/index.ts'
import { type Operation, operations } from '../../../../contract/operations.ts'
import { onReply } from '../../patches/replies.ts'
import {
  addFavorite,
  changeChat,
  createChat,
  deleteChat,
  nameChat,
  type RoutePattern,
  removeFavorite,
  routeText,
  upload,
  v3Generate,
} from '../../patches/routes.ts'
import { compose } from '../../patches/services.ts'
import type { Fault } from '../../table.ts'
import {
  acceptCredential,
  isMistake,
  type MistakeName,
  mistakeNames,
  mistakes,
} from './statuses.ts'

type Routes = Readonly<Record<string, RoutePattern>>

/** Routes that the document does not show in full. */
const knowledgeRoutes: Routes = {
  'v3.bases': 'GET /api/v3/knowledge',
  'v3.plainBases': 'GET /api/knowledge',
  'v3.plainSearch': 'GET /api/knowledge/:base_id/search',
  'v3.addDocument': 'POST /api/v3/knowledge/:base_id/documents',
  'v3.plainUpload': 'POST /api/knowledge/:base_id/documents',
  'v3.searchBase': 'GET /api/v3/knowledge/:base_id/search',
}

/** Routes that change something, by what they do. */
const changes: Routes = {
  generates: v3Generate,
  creates: createChat,
  renames: changeChat,
  deletes: deleteChat,
  'adds-a-favorite': addFavorite,
  'removes-a-favorite': removeFavorite,
  names: nameChat,
  uploads: upload,
}

export const admissionFaults: readonly Fault[] = [
  ...[...shownRoutes(), ...Object.entries(knowledgeRoutes)].flatMap(([id, route]) =>
    mistakeNames.map((mistake) => openRoute(id, route, mistake)),
  ),
  ...Object.entries(changes).flatMap(([name, route]) =>
    (['without-key', 'with-key-of-that-length'] as const).map((mistake) =>
      sideEffect(name, route, mistake),
    ),
  ),
]

function shownRoutes(): readonly (readonly [id: string, route: RoutePattern])[] {
  return Object.entries<Operation>(operations)
    .filter(([id]) => id !== 'openai.model')
    .map(([id, { method, path }]) => {
      const pattern = path.replace('/api/', '').replaceAll(/\{(\w+)\}/g, ':$1')
      return [id, `${method} /api/${pattern}`]
    })
}

function openRoute(id: string, route: RoutePattern, mistake: MistakeName): Fault {
  const { requirement, description, accepts } = mistakes[mistake]
  const [surface = '', name = ''] = id.split('.')
  const area = surface === 'openai' ? 'OAI' : surface.toUpperCase()
  return {
    name: `${surface}-auth-${name.replace(/[A-Z]/, (letter) => `-${letter.toLowerCase()}`)}-${mistake}`,
    summary: `${routeText(route)} accepts ${description}.`,
    breaks: [`${area}-${requirement}` as RequirementId],
    patch: acceptCredential(route, accepts),
  }
}

function sideEffect(name: string, route: RoutePattern, mistake: MistakeName): Fault {
  const { requirement, description, accepts } = mistakes[mistake]
  return {
    name: `v3-auth-refuses-and-${name}-${mistake}`,
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
